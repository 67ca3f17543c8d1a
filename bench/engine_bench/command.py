"""The command line of `bench/engine.py`: what to measure, for how long, and where the peers are kept."""

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

from bench.engine_bench.load import WrongAnswer
from bench.engine_bench.over_http import Pace
from bench.engine_bench.parts import PARTS, Outcome, Setting
from bench.engine_bench.peers import PEERS, NotAvailable
from bench.engine_bench.report import summary
from bench.engine_bench.workload import Workload

CACHE = Path("~/.cache/singletable-bench")
USUAL = {"rounds": 5, "seconds": 0.5, "items": 1_000_000}
QUICK = {"rounds": 2, "seconds": 0.25, "items": 100_000}


def main(arguments: Sequence[str]) -> int:
    """Measures what is asked for; fails when the engine answers wrongly, never when it is slow."""
    asked = parser().parse_args(arguments)
    for name, value in (QUICK if asked.quick else USUAL).items():
        if getattr(asked, name) is None:
            setattr(asked, name, value)
    begun = perf_counter()
    cache = asked.cache.expanduser().resolve()
    cache.mkdir(parents=True, exist_ok=True)
    system = f"{os.cpu_count()} cores, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    system += f", load {os.getloadavg()[0]:.1f} before"
    print(f"{system}; {asked.rounds} rounds, {asked.seconds:g} s for each row, server and number of clients")
    # Beside the peers: the system's folder for temporary files may be memory, and ours is measured on disk.
    with tempfile.TemporaryDirectory(dir=cache, prefix="run-") as folder:
        setting = setting_of(asked, cache, Path(folder))
        outcomes = [outcome_of(part, setting) for part in asked.parts]
    print(f"\n{summary([judged for outcome in outcomes for judged in outcome.judged])}")
    print(f"in {perf_counter() - begun:.0f} seconds")
    return 1 if any(outcome.failures for outcome in outcomes) else 0


def parser() -> argparse.ArgumentParser:
    """What can be asked for."""
    opening = "Measures the engine beside its peers and prints a table of ratios with their targets."
    made = argparse.ArgumentParser("bench/engine.py", description=opening)
    made.add_argument("--quick", action="store_true", help="fewer and shorter rounds, fewer items")
    made.add_argument("--rounds", type=int, help=f"how often everything is measured ({USUAL['rounds']})")
    made.add_argument("--seconds", type=float, help=f"of each cell in a round ({USUAL['seconds']})")
    made.add_argument("--items", type=int, help=f"of the large store ({USUAL['items']:,})")
    words = [peer.word for peer in PEERS]
    made.add_argument("--only", action="append", choices=[*words, "none"], help="one peer, or none; may be given again")
    made.add_argument("--rows", type=words_of, default=(), help="how their names begin: GetItem,Query")
    made.add_argument("--parts", type=parts_of, default=tuple(PARTS), help=f"some of {','.join(PARTS)}")
    made.add_argument("--cache", type=Path, default=CACHE, help=f"where peers and stores are kept ({CACHE})")
    return made


def words_of(text: str) -> tuple[str, ...]:
    """The beginnings of names between commas, in small letters."""
    return tuple(word.strip().lower() for word in text.split(",") if word.strip())


def parts_of(text: str) -> tuple[str, ...]:
    """The parts between commas."""
    words = words_of(text)
    if unknown := set(words) - set(PARTS):
        raise argparse.ArgumentTypeError(f"no part {', '.join(sorted(unknown))} among {', '.join(PARTS)}")
    return words


def setting_of(asked: argparse.Namespace, cache: Path, folder: Path) -> Setting:
    """What was asked for, as the parts take it."""
    return Setting(
        cache=cache,
        folder=folder,
        workload=Workload(),
        peers=tuple(peer for peer in PEERS if not asked.only or peer.word in asked.only),
        row_names=asked.rows,
        pace=Pace(asked.rounds, asked.seconds),
        items=asked.items,
        say=say,
    )


def outcome_of(part: str, setting: Setting) -> Outcome:
    """Runs one part and prints what it found."""
    try:
        outcome = PARTS[part](setting)
    except NotAvailable as reason:
        outcome = Outcome(f"left out: {reason}")
    except (WrongAnswer, ImportError) as error:
        outcome = Outcome(f"ended: {error}", failures=(str(error),))
    say("")
    print(f"\n== {part}\n\n{outcome.text}", flush=True)
    for failure in outcome.failures:
        print(f"singletable fails: {failure}", file=sys.stderr)
    return outcome


def say(text: str) -> None:
    """Shows what is being done, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
