"""The command line of `bench/client.py`: which server, which contenders, and for how long."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from bench.client_bench import report
from bench.client_bench.contenders import CONTENDERS, OURS, Contender, Mode
from bench.client_bench.fleet import Worker, WrongObjects, cold_start, working
from bench.client_bench.libraries import PINS, python_of
from bench.client_bench.loading import fill
from bench.client_bench.targets import ROWS
from bench.client_bench.timings import Cell, Timings
from bench.engine_bench.command import CACHE, say, words_of
from bench.engine_bench.peers import PEERS, NotAvailable, Peer, ours
from bench.engine_bench.report import Judged, summary
from bench.engine_bench.server import running

USUAL = {"rounds": 9, "seconds": 0.3, "starts": 7}
QUICK = {"rounds": 3, "seconds": 0.1, "starts": 2}
T = TypeVar("T")
MODES: tuple[Mode, ...] = ("sync", "async")


def main(arguments: Sequence[str]) -> int:
    """Measures what is asked for; fails when something of ours is read wrongly, never when it is slow."""
    asked = parser().parse_args(arguments)
    for name, value in (QUICK if asked.quick else USUAL).items():
        if getattr(asked, name) is None:
            setattr(asked, name, value)
    begun = perf_counter()
    cache = asked.cache.expanduser().resolve()
    cache.mkdir(parents=True, exist_ok=True)
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f} before;", end=" ")
    clock = "the processor time of the client" if asked.clock == "cpu" else "the time of a call"
    print(
        f"{clock}, {asked.rounds} rounds of {asked.seconds:g} s for each row and contender, {asked.starts} cold starts"
    )
    with tempfile.TemporaryDirectory(dir=cache, prefix="run-") as folder, ExitStack() as stack:
        try:
            judged = measured(asked, cache, Path(folder), stack)
        except WrongObjects as problem:
            print(f"read wrongly: {problem}", file=sys.stderr)
            return 1
    print(f"\n{summary(judged)}\nin {perf_counter() - begun:.0f} seconds")
    return 0


def parser() -> argparse.ArgumentParser:
    """What can be asked for."""
    made = argparse.ArgumentParser("bench/client.py", description="Measures typed reads beside other clients.")
    made.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    made.add_argument("--rounds", type=int, help=f"how often everything is measured ({USUAL['rounds']})")
    made.add_argument("--seconds", type=float, help=f"of each cell in a round ({USUAL['seconds']})")
    made.add_argument("--starts", type=int, help=f"cold starts of each contender ({USUAL['starts']})")
    servers = [OURS, *(peer.word for peer in PEERS)]
    made.add_argument("--server", choices=servers, default=OURS, help="whom all contenders ask (singletable)")
    clock_help = "by the clock on the wall, or the processor time of the client alone, where the machine is busy (wall)"
    made.add_argument("--clock", choices=["wall", "cpu"], default="wall", help=clock_help)
    made.add_argument("--only", type=words_of, default=(), help=f"libraries beside ours: {','.join(PINS)}")
    made.add_argument("--cache", type=Path, default=CACHE, help=f"where libraries and servers are kept ({CACHE})")
    return made


def measured(asked: argparse.Namespace, cache: Path, folder: Path, stack: ExitStack) -> list[Judged]:
    """Every part, each with its tables."""
    peer = next((each for each in PEERS if each.word == asked.server), Peer(OURS, lambda _: ours(folder / "served")))
    installed = cache / peer.word
    installed.mkdir(exist_ok=True)
    server = stack.enter_context(running(peer.name, peer.install(installed)))
    fill(server.port)
    url = f"http://127.0.0.1:{server.port}"
    pythons = environments(asked.only, cache)
    print(f"on {server.name} ({server.version}), with {', '.join(sorted(set(PINS.values())))}")
    timings = Timings()
    judged: list[Judged] = []
    for mode in MODES:
        with ExitStack() as fleet:
            workers = started(fleet, pythons, mode, url)
            if mode == "sync":
                workers += inside(fleet, folder)
            run(workers, mode, asked, timings)
        print(f"\n{report.times_table(timings, mode)}\n\n{report.ratios_table(timings, mode)}", flush=True)
        judged += report.judge_all(timings, mode)
    print(f"\n{report.inside_times_table(timings)}\n\n{report.inside_table(timings)}", flush=True)
    judged += report.judge_all_inside(timings)
    start_cold(pythons, url, asked.starts, timings)
    print(f"\n{report.cold_table(timings)}", flush=True)
    return judged


def start_cold(pythons: dict[Contender, Path], url: str, starts: int, timings: Timings) -> None:
    """Every contender from nothing, so many times; a first time brings its files into memory."""
    for number in range(starts + 1):
        for contender, python in turned(list(pythons.items()), number):
            say(f"cold start {number} of {starts}: {contender.name}")
            imported, first = cold_start(contender, python, url)
            if number:
                timings.note(Cell("import", "cold", contender.name), imported)
                timings.note(Cell("first", "cold", contender.name), imported + first)
    say("")


def environments(only: Sequence[str], cache: Path) -> dict[Contender, Path]:
    """The Python of every contender that is asked for and can be had."""
    found: dict[Contender, Path] = {}
    for contender in CONTENDERS:
        if only and not contender.is_ours and contender.library not in only:
            continue
        say(f"installing {contender.library}")
        try:
            found[contender] = python_of(contender.library, cache)
        except NotAvailable as reason:
            say("")
            print(f"{contender.name} is left out: {reason}")
    say("")
    return found


def started(stack: ExitStack, pythons: dict[Contender, Path], mode: Mode, url: str) -> list[Worker]:
    """A process for every contender that has this mode."""
    workers = []
    for contender, python in pythons.items():
        if mode in contender.modes:
            say(f"starting {contender.name}")
            try:
                workers.append(stack.enter_context(working(contender, mode, python, url)))
            except NotAvailable as reason:
                print(f"{contender.name}, {mode}, is left out: {reason}")
    return workers


def inside(stack: ExitStack, folder: Path) -> list[Worker]:
    """Ours without a server."""
    workers = []
    for contender in report.ours():
        for place in report.PLACES:
            say(f"filling {contender.name} at {place}")
            url = place if place == "memory:" else f"file:{folder}/{contender.module}.db"
            workers.append(stack.enter_context(working(contender, "sync", Path(sys.executable), url, place)))
    return workers


def run(workers: Sequence[Worker], mode: Mode, asked: argparse.Namespace, timings: Timings) -> None:
    """Every contender in turn, row by row and round by round; a first round warms up."""
    for number in range(asked.rounds + 1):
        for row in ROWS:
            say(f"{ROWS[row]}, {mode}, round {number} of {asked.rounds}" if number else f"{ROWS[row]}, warming up")
            for worker in turned(workers, number):
                one = worker.seconds_of_one(row, asked.seconds, asked.clock)
                if number:
                    timings.note(Cell(row, mode, worker.contender.name, worker.place), one)
    say("")


def turned(values: Sequence[T], number: int) -> list[T]:
    """The same with another first in every round."""
    middle = number % len(values) if values else 0
    return [*values[middle:], *values[:middle]]
