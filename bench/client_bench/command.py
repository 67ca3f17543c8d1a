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

from bench.client_bench import report
from bench.client_bench.contenders import CONTENDERS, OURS, Contender, Mode
from bench.client_bench.libraries import PINS, python_of
from bench.client_bench.rounds import (
    Duration,
    run_cold_starts,
    run_engine_rows,
    run_rows,
    start_in_process,
    start_workers,
)
from bench.client_bench.rows import READ_ROWS, WRITE_ROWS
from bench.client_bench.server_tables import create_write_table, fill
from bench.client_bench.timings import Timings
from bench.client_bench.worker_processes import Module, WorkerStopped, WrongObjects
from bench.engine_bench.command import CACHE, show_progress, split_names
from bench.engine_bench.peers import PEERS, NotAvailable, Peer, singletable_program
from bench.engine_bench.report import TargetResult, summary
from bench.engine_bench.server import run_server

FULL = {"rounds": 9, "seconds": 0.3, "starts": 7}
QUICK = {"rounds": 3, "seconds": 0.1, "starts": 2}
MODES: tuple[Mode, ...] = ("sync", "async")


@dataclass(frozen=True)
class Run:
    """The shared state of a run: server, folder, Python interpreters, duration and results."""

    url: str
    folder: Path
    pythons: Mapping[Contender, Path]
    duration: Duration
    timings: Timings


def main(arguments: Sequence[str]) -> int:
    """Run the benchmark. It fails if a contender reads or writes wrong orders, but never because of a missed target."""
    options = parse(arguments)
    start = perf_counter()
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f} before;", end=" ")
    clock = "processor time of the client" if options.clock == "cpu" else "wall-clock time of a call"
    print(f"{clock}, {options.rounds} rounds of {options.seconds:g} s per row and contender", end="")
    print("" if options.rows == "writes" else f", {options.starts} cold starts")
    try:
        with prepare(options) as run:
            results = measure(run, options)
    except (WrongObjects, WorkerStopped) as problem:
        print(f"failed: {problem}", file=sys.stderr)
        return 1
    print(f"\n{summary(results)}\nin {perf_counter() - start:.0f} seconds")
    return 0


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line, with the defaults of a quick or a full run."""
    options = build_parser().parse_args(arguments)
    for name, value in (QUICK if options.quick else FULL).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        "bench/client.py", description="Compare typed reads and writes with other clients."
    )
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--rows", choices=["reads", "writes", "all"], default="all", help="rows to measure (all)")
    parser.add_argument("--rounds", type=int, help=f"rounds of each row and contender ({FULL['rounds']})")
    parser.add_argument("--seconds", type=float, help=f"length of a round ({FULL['seconds']})")
    parser.add_argument("--starts", type=int, help=f"cold starts of each contender ({FULL['starts']})")
    servers = [OURS, *(peer.slug for peer in PEERS)]
    parser.add_argument("--server", choices=servers, default=OURS, help="server of all contenders (singletable)")
    clock_help = "wall-clock time, or the processor time of the client, for a machine that is busy (wall)"
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall", help=clock_help)
    parser.add_argument(
        "--only", type=split_names, default=(), help=f"libraries to compare with ours: {','.join(PINS)}"
    )
    parser.add_argument("--cache", type=Path, default=CACHE, help=f"folder for libraries and servers ({CACHE})")
    return parser


@contextmanager
def prepare(options: argparse.Namespace) -> Iterator[Run]:
    """Start the server, create its tables, and install the contenders."""
    cache = options.cache.expanduser().resolve()
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="run-") as name:
        folder = Path(name)
        own = Peer(OURS, lambda _: singletable_program(folder / "served"))
        peer = next((each for each in PEERS if each.slug == options.server), own)
        install_folder = cache / peer.slug
        install_folder.mkdir(exist_ok=True)
        with run_server(peer.name, peer.install(install_folder)) as server:
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
        show_progress(f"installing {contender.library}")
        try:
            found[contender] = python_of(contender.library, cache)
        except NotAvailable as reason:
            show_progress("")
            print(f"{contender.name} is skipped: {reason}")
    show_progress("")
    return found


def measure(run: Run, options: argparse.Namespace) -> list[TargetResult]:
    """Measure the requested rows and print their tables."""
    results: list[TargetResult] = []
    if options.rows != "writes":
        results += measure_reads(run, options.starts)
    if options.rows != "reads":
        results += measure_writes(run)
    return results


def measure_reads(run: Run, starts: int) -> list[TargetResult]:
    """Measure the read rows and the cold starts."""
    results = measure_modes(run, "read_worker", READ_ROWS)
    times, ratios = report.in_process_times_table(run.timings, READ_ROWS), report.in_process_table(run.timings)
    print(f"\n{times}\n\n{ratios}", flush=True)
    run_cold_starts(run.pythons, run.url, starts, run.timings)
    print(f"\n{report.cold_table(run.timings)}", flush=True)
    return [*results, *report.in_process_results(run.timings)]


def measure_writes(run: Run) -> list[TargetResult]:
    """Measure the write rows, and compare typed writes with the engine."""
    results = measure_modes(run, "write_worker", WRITE_ROWS)
    print(f"\n{report.in_process_times_table(run.timings, WRITE_ROWS)}", flush=True)
    with ExitStack() as stack:
        run_engine_rows(start_in_process(stack, run.folder, "engine_worker"), run.duration, run.timings)
    print(f"\n{report.engine_table(run.timings)}", flush=True)
    return [*results, *report.engine_results(run.timings)]


def measure_modes(run: Run, module: Module, rows: Mapping[str, str]) -> list[TargetResult]:
    """Measure rows on the server, sync and async. In the sync rounds, also measure them without a server."""
    results: list[TargetResult] = []
    for mode in MODES:
        with ExitStack() as stack:
            workers = start_workers(stack, run.pythons, mode, run.url, module)
            if mode == "sync":
                workers += start_in_process(stack, run.folder, module)
            run_rows(workers, mode, rows, run.duration, run.timings)
        times = report.times_table(run.timings, mode, rows)
        print(f"\n{times}\n\n{report.ratios_table(run.timings, mode, rows)}", flush=True)
        results += report.ratio_results(run.timings, mode, rows)
    return results
