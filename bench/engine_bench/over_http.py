"""The rows over HTTP: every server in turn, row by row and round by round, so that noise hits all alike."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import NamedTuple

from bench.engine_bench.load import Prepared, WrongAnswer, ask, drive, prepare
from bench.engine_bench.peers import Program
from bench.engine_bench.server import Server, running
from bench.engine_bench.workload import CLIENTS_MAX, Exchange, Row, Workload, create_table, describe_table

CLIENTS = (1, CLIENTS_MAX)
CREATE_SECONDS_MAX = 10
# A slower server is not kept waiting for: eight of its answers would take as long as all that is measured.
ANSWER_SECONDS_MAX = 0.5
ROOT = Path(__file__).resolve().parents[2]

Say = Callable[[str], None]


class Cell(NamedTuple):
    """A row with so many clients on one server."""

    row: str
    clients: int
    server: str


@dataclass(frozen=True)
class Pace:
    """How long is measured: rounds, and the seconds of every cell in a round."""

    rounds: int
    seconds: float


@dataclass(frozen=True)
class Rates:
    """Answers a second of every cell, one figure per round, and why some cells are empty."""

    figures: dict[Cell, list[float]] = field(default_factory=dict)
    refusals: dict[tuple[str, str], str] = field(default_factory=dict)
    slow: dict[tuple[str, str], str] = field(default_factory=dict)

    def refuse(self, row: str, server: str, error: Exception) -> None:
        """A server that fails once in a row has no figures in it at all."""
        self.refusals[row, server] = " ".join(str(error).split())
        for clients in CLIENTS:
            self.figures.pop(Cell(row, clients, server), None)

    def rate(self, cell: Cell) -> float | None:
        """The median of the rounds."""
        figures = self.figures.get(cell)
        return median(figures) if figures else None

    def ratio(self, cell: Cell, peer: str) -> float | None:
        """The median, over the rounds, of a cell's rate divided by the peer's in the same round."""
        ours, theirs = self.figures.get(cell), self.figures.get(cell._replace(server=peer))
        if not ours or not theirs:
            return None
        if len(ours) != len(theirs):  # the peer is so slow that it was measured once
            return median(ours) / median(theirs)
        return median(our_rate / their_rate for our_rate, their_rate in zip(ours, theirs, strict=True))


def fill(server: Server, workload: Workload) -> None:
    """Makes the table, waits until it can be used, and loads it."""
    ask(server.port, [create_table()])
    deadline = perf_counter() + CREATE_SECONDS_MAX
    while True:
        try:
            ask(server.port, [describe_table()])
            break
        except WrongAnswer:
            if perf_counter() > deadline:
                raise
            sleep(0.05)
    ask(server.port, list(workload.load()))


def measure(servers: Sequence[Server], rows: Sequence[Row], pace: Pace, say: Say) -> Rates:
    """Every cell once a round; a first round only warms up, and finds who does not know a request at all."""
    rates = Rates()
    prepared = {row.name: prepare(row.exchanges) for row in rows}
    gc.collect()
    gc.disable()
    try:
        for number in range(pace.rounds + 1):
            for row in rows:
                say(f"{row.name}, round {number} of {pace.rounds}" if number else f"{row.name}, warming up")
                for cell, server in turns(row.name, servers, number):
                    if (row.name, server.name) not in rates.refusals | rates.slow:
                        run(rates, cell, server, prepared[row.name], pace.seconds, number)
    finally:
        gc.enable()
    return rates


def turns(row: str, servers: Sequence[Server], number: int) -> list[tuple[Cell, Server]]:
    """The cells of a row in the order of this round: who goes first changes from round to round."""
    turned = [servers[(place + number) % len(servers)] for place in range(len(servers))]
    return [(Cell(row, clients, server.name), server) for clients in CLIENTS for server in turned]


def run(rates: Rates, cell: Cell, server: Server, prepared: list[Prepared], seconds: float, number: int) -> None:
    """One cell in one round, from a place of its own among the requests."""
    try:
        measured = drive(server.port, prepared, clients=cell.clients, seconds=seconds, start=number * 997)
    except (WrongAnswer, OSError) as error:
        rates.refuse(cell.row, cell.server, error)
        return
    if measured.seconds / measured.answers > ANSWER_SECONDS_MAX and not number:
        rates.slow[cell.row, cell.server] = f"{measured.seconds / measured.answers:.1f} s an answer, so measured once"
        rates.figures[cell] = [measured.rate]
    elif number:
        rates.figures.setdefault(cell, []).append(measured.rate)


def ceilings(workload: Workload, seconds: float) -> dict[int, float]:
    """What the load generator itself can do: GetItem against a server that does nothing."""
    command = [sys.executable, "-m", "bench.engine_bench.responder"]
    program = Program("", lambda port: [*command, str(port)], lambda port: {"PYTHONPATH": str(ROOT)})
    anything = [Exchange(each.action, each.body, lambda answer: True) for each in workload.rows[0].exchanges]
    with running("responder", program) as responder:
        prepared = prepare(anything)
        return {clients: drive(responder.port, prepared, clients=clients, seconds=seconds).rate for clients in CLIENTS}
