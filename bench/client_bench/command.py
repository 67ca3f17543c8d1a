"""Command line of `bench/client.py`: the server, the contenders, the rows, and the duration."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from bench.client_bench import engine_report, report
from bench.client_bench.contenders import CONTENDERS, OURS, Contender, Mode
from bench.client_bench.fleet import Module, WorkerStopped, WrongObjects
from bench.client_bench.libraries import PINS, python_of
from bench.client_bench.loading import create_write_table, fill
from bench.client_bench.rounds import (
    Duration,
    run_cold_starts,
    run_engine_rows,
    run_rows,
    start_in_process,
    start_workers,
)
from bench.client_bench.rows import READ_ROWS, WRITE_ROWS
from bench.client_bench.timings import Timings
from bench.engine_bench.command import CACHE, say, words_of
from bench.engine_bench.peers import PEERS, NotAvailable, Peer, ours
from bench.engine_bench.report import Judged, summary
from bench.engine_bench.server import running

USUAL = {"rounds": 9, "seconds": 0.3, "starts": 7}
QUICK = {"rounds": 3, "seconds": 0.1, "starts": 2}
MODES: tuple[Mode, ...] = ("sync", "async")


@dataclass(frozen=True)
class Run:
    """What every part of a run needs."""

    url: str
    folder: Path
    pythons: Mapping[Contender, Path]
    duration: Duration
    timings: Timings


def main(arguments: Sequence[str]) -> int:
    """Run the benchmark; fail when a contender reads or writes wrong orders, never because of a missed target."""
    options = parse(arguments)
    start = perf_counter()
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f} before;", end=" ")
    clock = "processor time of the client" if options.clock == "cpu" else "wall-clock time of a call"
    print(f"{clock}, {options.rounds} rounds of {options.seconds:g} s per row and contender", end="")
    print("" if options.rows == "writes" else f", {options.starts} cold starts")
    try:
        with prepare(options) as run:
            judged = measure(run, options)
    except (WrongObjects, WorkerStopped) as problem:
        print(f"failed: {problem}", file=sys.stderr)
        return 1
    print(f"\n{summary(judged)}\nin {perf_counter() - start:.0f} seconds")
    return 0


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line, with the defaults of a quick or a usual run."""
    options = parser().parse_args(arguments)
    for name, value in (QUICK if options.quick else USUAL).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser("bench/client.py", description="Compare typed reads and writes with other clients.")
    made.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    made.add_argument("--rows", choices=["reads", "writes", "all"], default="all", help="rows to measure (all)")
    made.add_argument("--rounds", type=int, help=f"rounds of each row and contender ({USUAL['rounds']})")
    made.add_argument("--seconds", type=float, help=f"length of a round ({USUAL['seconds']})")
    made.add_argument("--starts", type=int, help=f"cold starts of each contender ({USUAL['starts']})")
    servers = [OURS, *(peer.word for peer in PEERS)]
    made.add_argument("--server", choices=servers, default=OURS, help="server of all contenders (singletable)")
    clock_help = "wall-clock time, or the processor time of the client, for a machine that is busy (wall)"
    made.add_argument("--clock", choices=["wall", "cpu"], default="wall", help=clock_help)
    made.add_argument("--only", type=words_of, default=(), help=f"libraries to compare with ours: {','.join(PINS)}")
    made.add_argument("--cache", type=Path, default=CACHE, help=f"folder for libraries and servers ({CACHE})")
    return made


@contextmanager
def prepare(options: argparse.Namespace) -> Iterator[Run]:
    """Start the server, create its tables, and install the contenders."""
    cache = options.cache.expanduser().resolve()
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="run-") as name:
        folder = Path(name)
        usual = Peer(OURS, lambda _: ours(folder / "served"))
        peer = next((each for each in PEERS if each.word == options.server), usual)
        installed = cache / peer.word
        installed.mkdir(exist_ok=True)
        with running(peer.name, peer.install(installed)) as server:
            if options.rows != "writes":
                fill(server.port)
            if options.rows != "reads":
                create_write_table(server.port)
            pythons = environments(options.only, cache, options.rows)
            libraries = sorted({PINS[contender.library] for contender in pythons if not contender.is_ours})
            print(f"on {server.name} ({server.version}), with {', '.join(libraries)}")
            duration = Duration(options.rounds, options.seconds, options.clock)
            yield Run(f"http://127.0.0.1:{server.port}", folder, pythons, duration, Timings())


def environments(only: Sequence[str], cache: Path, rows: str) -> dict[Contender, Path]:
    """Return the Python of every contender that can be installed."""
    found: dict[Contender, Path] = {}
    for contender in CONTENDERS:
        if only and not contender.is_ours and contender.library not in only:
            continue
        if rows == "writes" and not contender.writes:
            continue
        say(f"installing {contender.library}")
        try:
            found[contender] = python_of(contender.library, cache)
        except NotAvailable as reason:
            say("")
            print(f"{contender.name} is left out: {reason}")
    say("")
    return found


def measure(run: Run, options: argparse.Namespace) -> list[Judged]:
    """Measure the requested rows and print their tables."""
    judged: list[Judged] = []
    if options.rows != "writes":
        judged += measure_reads(run, options.starts)
    if options.rows != "reads":
        judged += measure_writes(run)
    return judged


def measure_reads(run: Run, starts: int) -> list[Judged]:
    """Measure the read rows and the cold starts."""
    judged = measure_modes(run, "read_worker", READ_ROWS)
    times, ratios = report.in_process_times_table(run.timings, READ_ROWS), report.in_process_table(run.timings)
    print(f"\n{times}\n\n{ratios}", flush=True)
    run_cold_starts(run.pythons, run.url, starts, run.timings)
    print(f"\n{report.cold_table(run.timings)}", flush=True)
    return [*judged, *report.judge_all_in_process(run.timings)]


def measure_writes(run: Run) -> list[Judged]:
    """Measure the write rows, and compare typed writes with the engine."""
    judged = measure_modes(run, "write_worker", WRITE_ROWS)
    print(f"\n{report.in_process_times_table(run.timings, WRITE_ROWS)}", flush=True)
    with ExitStack() as stack:
        run_engine_rows(start_in_process(stack, run.folder, "engine_worker"), run.duration, run.timings)
    print(f"\n{engine_report.engine_table(run.timings)}", flush=True)
    return [*judged, *engine_report.judge_all_engine(run.timings)]


def measure_modes(run: Run, module: Module, rows: Mapping[str, str]) -> list[Judged]:
    """Measure rows on the server, sync and async; in the sync rounds also without a server."""
    judged: list[Judged] = []
    for mode in MODES:
        with ExitStack() as stack:
            workers = start_workers(stack, run.pythons, mode, run.url, module)
            if mode == "sync":
                workers += start_in_process(stack, run.folder, module)
            run_rows(workers, mode, rows, run.duration, run.timings)
        times = report.times_table(run.timings, mode, rows)
        print(f"\n{times}\n\n{report.ratios_table(run.timings, mode, rows)}", flush=True)
        judged += report.judge_all(run.timings, mode, rows)
    return judged
