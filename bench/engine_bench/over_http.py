"""The HTTP rows: servers take turns in each row and round, so that noise affects all of them equally."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import NamedTuple

from bench.engine_bench.load_generator import (
    PreparedRequest,
    UnexpectedResponse,
    measure_throughput,
    prepare,
    send_and_check,
)
from bench.engine_bench.peers import Program
from bench.engine_bench.server import Server, run_server
from bench.engine_bench.workload import CLIENTS_MAX, Exchange, Row, Workload, create_table, describe_table

CLIENTS = (1, CLIENTS_MAX)
CREATE_SECONDS_MAX = 10
# A slower server is measured only once, because eight of its responses would take as long as the whole run.
RESPONSE_SECONDS_MAX = 0.5
ROOT = Path(__file__).resolve().parents[2]

ShowProgress = Callable[[str], None]


class Cell(NamedTuple):
    """A row, measured with a number of clients on one server."""

    row: str
    clients: int
    server: str


@dataclass(frozen=True)
class Sampling:
    """How much to measure: the number of rounds, and the seconds of every cell in a round."""

    rounds: int
    seconds: float


@dataclass(frozen=True)
class Rates:
    """Responses per second of every cell, with one figure per round, and the reasons why some cells are empty."""

    figures: dict[Cell, list[float]] = field(default_factory=dict)
    failures: dict[tuple[str, str], str] = field(default_factory=dict)
    slow: dict[tuple[str, str], str] = field(default_factory=dict)

    def record_failure(self, row: str, server: str, error: Exception) -> None:
        """Record a failed row of a server, and drop all its figures in that row."""
        self.failures[row, server] = " ".join(str(error).split())
        for clients in CLIENTS:
            self.figures.pop(Cell(row, clients, server), None)

    def rate(self, cell: Cell) -> float | None:
        """Return the median of the rounds."""
        figures = self.figures.get(cell)
        return median(figures) if figures else None

    def ratio(self, cell: Cell, peer: str) -> float | None:
        """Return the rate of a cell divided by the rate of the peer in the same round, as the median of the rounds."""
        ours, theirs = self.figures.get(cell), self.figures.get(cell._replace(server=peer))
        if not ours or not theirs:
            return None
        if len(ours) != len(theirs):  # a slow peer was measured only once
            return median(ours) / median(theirs)
        return median(our_rate / their_rate for our_rate, their_rate in zip(ours, theirs, strict=True))


def fill(server: Server, workload: Workload) -> None:
    """Create the table, wait until it is active, and load its items."""
    send_and_check(server.port, [create_table()], server.sign)
    deadline = perf_counter() + CREATE_SECONDS_MAX
    while True:
        try:
            send_and_check(server.port, [describe_table()], server.sign)
            break
        except UnexpectedResponse:
            if perf_counter() > deadline:
                raise
            sleep(0.05)
    send_and_check(server.port, list(workload.load()), server.sign)


def measure(servers: Sequence[Server], rows: Sequence[Row], sampling: Sampling, show_progress: ShowProgress) -> Rates:
    """Measure every cell once per round.

    The first round warms up and finds the requests that a server does not support.
    """
    rates = Rates()
    prepared = {row.name: prepare(row.exchanges) for row in rows}
    gc.collect()
    gc.disable()
    try:
        for number in range(sampling.rounds + 1):
            for row in rows:
                show_progress(
                    f"{row.name}, round {number} of {sampling.rounds}" if number else f"{row.name}, warming up"
                )
                for cell, server in cells_of_round(row.name, servers, number):
                    if (row.name, server.name) not in rates.failures | rates.slow:
                        # Signatures expire, so signed requests are built again in every round.
                        requests = (
                            prepared[row.name] if server.credential is None else prepare(row.exchanges, server.sign)
                        )
                        measure_cell(rates, cell, server, requests, sampling.seconds, number)
    finally:
        gc.enable()
    return rates


def cells_of_round(row: str, servers: Sequence[Server], number: int) -> list[tuple[Cell, Server]]:
    """Return the cells of a row in the order of this round. The first server changes from round to round."""
    rotated = [servers[(position + number) % len(servers)] for position in range(len(servers))]
    return [(Cell(row, clients, server.name), server) for clients in CLIENTS for server in rotated]


def measure_cell(
    rates: Rates, cell: Cell, server: Server, prepared: list[PreparedRequest], seconds: float, number: int
) -> None:
    """Measure one cell in one round, from a different start position in every round."""
    try:
        throughput = measure_throughput(
            server.port, prepared, clients=cell.clients, seconds=seconds, start=number * 997, sign=server.sign
        )
    except (UnexpectedResponse, OSError) as error:
        rates.record_failure(cell.row, cell.server, error)
        return
    if throughput.seconds / throughput.responses > RESPONSE_SECONDS_MAX and not number:
        rates.slow[cell.row, cell.server] = (
            f"{throughput.seconds / throughput.responses:.1f} s per response, so measured once"
        )
        rates.figures[cell] = [throughput.rate]
    elif number:
        rates.figures.setdefault(cell, []).append(throughput.rate)


def generator_limits(workload: Workload, seconds: float) -> dict[int, float]:
    """Return the highest rates of the load generator itself: GetItem against a server that does nothing."""
    command = [sys.executable, "-m", "bench.engine_bench.responder"]
    program = Program("", lambda port: [*command, str(port)], lambda port: {"PYTHONPATH": str(ROOT)})
    anything = [Exchange(each.action, each.body, lambda response: True) for each in workload.rows[0].exchanges]
    with run_server("responder", program) as responder:
        prepared = prepare(anything)
        return {
            clients: measure_throughput(responder.port, prepared, clients=clients, seconds=seconds).rate
            for clients in CLIENTS
        }
