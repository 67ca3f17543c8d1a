"""Command line of `bench/engine.py`: the parts, the rows, the duration, and the folder of the peers."""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from bench.engine_bench.load_generator import UnexpectedResponse
from bench.engine_bench.over_http import Sampling
from bench.engine_bench.parts import PARTS, PartReport, RunSettings
from bench.engine_bench.peers import DISK_PEERS, PEERS, NotAvailable
from bench.engine_bench.report import summary
from bench.engine_bench.workload import Workload

CACHE = Path("~/.cache/singletable-bench")
FULL = {"rounds": 5, "seconds": 0.5, "items": 1_000_000}
QUICK = {"rounds": 2, "seconds": 0.25, "items": 100_000}


def main(arguments: Sequence[str]) -> int:
    """Run the selected parts. Fail if the engine responds incorrectly, but never because of a missed target."""
    options = build_parser().parse_args(arguments)
    for name, value in (QUICK if options.quick else FULL).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    start = perf_counter()
    cache = options.cache.expanduser().resolve()
    cache.mkdir(parents=True, exist_ok=True)
    system = f"{os.cpu_count()} cores, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    system += f", load {os.getloadavg()[0]:.1f} before"
    print(f"{system}; {options.rounds} rounds, {options.seconds:g} s per row, server and number of clients")
    # The stores are in the cache folder, because the system's temporary folder may be in memory and singletable is
    # measured on disk.
    with tempfile.TemporaryDirectory(dir=cache, prefix="run-") as folder:
        settings = settings_from(options, cache, Path(folder))
        reports = [run_part(part, settings) for part in options.parts]
    print(f"\n{summary([result for report in reports for result in report.results])}")
    print(f"in {perf_counter() - start:.0f} seconds")
    return 1 if any(report.failures for report in reports) else 0


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    description = "Compare the engine with its peers and print tables of ratios with their targets."
    parser = argparse.ArgumentParser("bench/engine.py", description=description)
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds, fewer items")
    parser.add_argument("--rounds", type=int, help=f"rounds of each row and server ({FULL['rounds']})")
    parser.add_argument("--seconds", type=float, help=f"length of a round ({FULL['seconds']})")
    parser.add_argument("--items", type=int, help=f"items of the large store ({FULL['items']:,})")
    slugs = [*(peer.slug for peer in PEERS), *(peer.name.lower() for peer in DISK_PEERS)]
    parser.add_argument("--only", action="append", choices=[*slugs, "none"], help="one peer, or none; repeatable")
    parser.add_argument("--rows", type=split_names, default=(), help="beginnings of row names: GetItem,Query")
    parser.add_argument("--parts", type=parse_parts, default=tuple(PARTS), help=f"parts to run, from {','.join(PARTS)}")
    parser.add_argument("--cache", type=Path, default=CACHE, help=f"folder for peers and stores ({CACHE})")
    return parser


def split_names(text: str) -> tuple[str, ...]:
    """Split names at commas, in lower case."""
    return tuple(name.strip().lower() for name in text.split(",") if name.strip())


def parse_parts(text: str) -> tuple[str, ...]:
    """Parse the value of `--parts`."""
    names = split_names(text)
    if unknown := set(names) - set(PARTS):
        raise argparse.ArgumentTypeError(f"unknown part {', '.join(sorted(unknown))}; choose from {', '.join(PARTS)}")
    return names


def settings_from(options: argparse.Namespace, cache: Path, folder: Path) -> RunSettings:
    """Return the settings of the parts from the command line."""
    return RunSettings(
        cache=cache,
        folder=folder,
        workload=Workload(),
        peers=tuple(peer for peer in PEERS if not options.only or peer.slug in options.only),
        disk_peers=tuple(peer for peer in DISK_PEERS if not options.only or peer.name.lower() in options.only),
        row_names=options.rows,
        sampling=Sampling(options.rounds, options.seconds),
        items=options.items,
        show_progress=show_progress,
    )


def run_part(part: str, settings: RunSettings) -> PartReport:
    """Run one part and print its report."""
    try:
        report = PARTS[part](settings)
    except NotAvailable as reason:
        report = PartReport(f"skipped: {reason}")
    except (UnexpectedResponse, ImportError) as error:
        report = PartReport(f"failed: {error}", failures=(str(error),))
    show_progress("")
    print(f"\n== {part}\n\n{report.text}", flush=True)
    for failure in report.failures:
        print(f"singletable fails: {failure}", file=sys.stderr)
    return report


def show_progress(text: str) -> None:
    """Show the current step, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
