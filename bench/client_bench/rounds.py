"""Rounds of a run: every worker in turn, row by row."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from bench.client_bench import report
from bench.client_bench.contenders import Contender, Mode
from bench.client_bench.report import ENGINE, TYPED
from bench.client_bench.rows import ENGINE_ROWS, PUT_MANY
from bench.client_bench.timings import Cell, Timings
from bench.client_bench.worker_processes import Module, Worker, cold_start, start_worker
from bench.engine_bench.command import show_progress
from bench.engine_bench.peers import NotAvailable

PUT_MANY_ROUNDS_MAX = 5
"""The number of rounds of the row `put_many`, which takes seconds even if a round is short."""

T = TypeVar("T")


@dataclass(frozen=True)
class Duration:
    """How often and for how long each row is measured, and by which clock."""

    rounds: int
    seconds: float
    clock: str


def start_workers(
    stack: ExitStack, pythons: Mapping[Contender, Path], mode: Mode, url: str, module: Module
) -> list[Worker]:
    """Start a worker on the server for every contender that has this mode."""
    workers = []
    for contender, python in pythons.items():
        if mode not in contender.modes or (module == "write_worker" and not contender.writes):
            continue
        show_progress(f"starting {contender.name}")
        try:
            workers.append(stack.enter_context(start_worker(contender, mode, python, url, module=module)))
        except NotAvailable as reason:
            print(f"{contender.name}, {mode}, is skipped: {reason}")
    return workers


def start_in_process(stack: ExitStack, folder: Path, module: Module) -> list[Worker]:
    """Start workers for our contenders without a server, on `memory:` and on `file:`."""
    workers = []
    for contender in report.our_contenders():
        for backend in report.BACKENDS:
            show_progress(f"starting {contender.name} at {backend}")
            url = backend if backend == "memory:" else f"file:{folder}/{contender.module}-{module}.db"
            worker = start_worker(contender, "sync", Path(sys.executable), url, backend, module)
            workers.append(stack.enter_context(worker))
    return workers


def run_rows(
    workers: Sequence[Worker], mode: Mode, rows: Mapping[str, str], duration: Duration, timings: Timings
) -> None:
    """Measure every row with every worker in each round, after a warm-up round."""
    for number in range(duration.rounds + 1):
        for row, name in rows.items():
            show_progress(f"{name}, {mode}, round {number} of {duration.rounds}" if number else f"{name}, warming up")
            for worker in rotate(workers, number):
                one = worker.seconds_of_one(row, duration.seconds, duration.clock)
                if number:
                    timings.add(Cell(row, mode, worker.contender.name, worker.backend), one)
    show_progress("")


def run_engine_rows(workers: Sequence[Worker], duration: Duration, timings: Timings) -> None:
    """Compare typed writes with the engine, after a warm-up round."""
    for number in range(duration.rounds + 1):
        for worker in rotate(workers, number):
            show_progress(f"comparing {worker.contender.name} with the engine, round {number} of {duration.rounds}")
            for row in rows_with_engine(worker, number):
                figures = worker.compare_with_engine(row, duration.seconds)
                for kind, seconds in zip((TYPED, ENGINE), figures, strict=True):
                    if number:
                        timings.add(Cell(row, kind, worker.contender.name, worker.backend), seconds)
    show_progress("")


def rows_with_engine(worker: Worker, number: int) -> list[str]:
    """Return the rows of one round. `put_many` runs only in memory, without a warm-up, and in the first rounds."""
    has_put_many = worker.backend == "memory:" and 0 < number <= PUT_MANY_ROUNDS_MAX
    return [*ENGINE_ROWS, *((PUT_MANY,) if has_put_many else ())]


def run_cold_starts(pythons: Mapping[Contender, Path], url: str, starts: int, timings: Timings) -> None:
    """Start every contender in a new process, after a first start that loads its files into the page cache."""
    for number in range(starts + 1):
        for contender, python in rotate(list(pythons.items()), number):
            show_progress(f"cold start {number} of {starts}: {contender.name}")
            imported, first = cold_start(contender, python, url)
            if number:
                timings.add(Cell("import", "cold", contender.name), imported)
                timings.add(Cell("first", "cold", contender.name), imported + first)
    show_progress("")


def rotate(values: Sequence[T], number: int) -> list[T]:
    """Return the values rotated, so that a different one is first in every round."""
    middle = number % len(values) if values else 0
    return [*values[middle:], *values[:middle]]
