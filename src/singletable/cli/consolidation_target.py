"""The consolidation of a `consolidate` command, its open table, and the options that these commands share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from singletable.cli.load_model import load_module
from singletable.cli.migrate_run import SEGMENTS_MAX, add_speed_options
from singletable.errors import ArgumentRefused

if TYPE_CHECKING:
    from singletable.client.request_steps import Steps
    from singletable.consolidation.consolidation import Consolidation
    from singletable.consolidation.consolidation_run import ConsolidationRun, PassProgress
    from singletable.migrations.item_changes import ItemFailure

R = TypeVar("R")


def add_consolidation(parser: argparse.ArgumentParser) -> None:
    """Add the file with the consolidation, and the URL of the tables."""
    parser.add_argument(
        "file", metavar="FILE", help="a Python file or module with a Consolidation; add :NAME to select one"
    )
    parser.add_argument("url", metavar="URL", help="file:PATH, http://HOST:PORT or dynamodb://REGION")
    parser.add_argument("--table-name", metavar="NAME", help="the name of the new table (default: that of the model)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def add_pass_options(parser: argparse.ArgumentParser, *, waits: bool = True) -> None:
    """Add the options for the speed of a pass over the rows, and the option to skip the wait for clients."""
    add_speed_options(parser)
    if waits:
        parser.add_argument(
            "--no-clients", action="store_true", help="do not wait for clients, because no other program writes"
        )


@contextmanager
def consolidation_run(options: argparse.Namespace) -> Generator[ConsolidationRun, None, None]:
    """Load the consolidation, and open its table with dual writes."""
    from singletable.consolidation.consolidation_run import ConsolidationRun, ConsolidationSettings
    from singletable.migrations.runner import WAIT_SECONDS

    if options.url == "memory:":
        raise ArgumentRefused("memory: is always empty; use file:PATH, http://HOST:PORT or dynamodb://REGION")
    segments = getattr(options, "segments", 4)
    if segments > SEGMENTS_MAX:
        raise ArgumentRefused(f"--segments must be at most {SEGMENTS_MAX}, got {segments}")
    consolidation = load_consolidation(options.file)
    wait = 0.0 if getattr(options, "no_clients", True) else WAIT_SECONDS
    settings = ConsolidationSettings(getattr(options, "rate", None), segments, wait, report=_report, progress=_progress)
    with consolidation.open(options.url, name=options.table_name) as table:
        yield ConsolidationRun(consolidation, table, settings)


def run_steps(run: ConsolidationRun, steps: Steps[R]) -> R:
    """Run steps of a runner on its table."""
    from singletable.client.request_steps import run as run_on_session

    return run_on_session(steps, run.table.session)


def load_consolidation(file: str) -> Consolidation[Any]:
    """Return the consolidation of a file or module. Raise ArgumentRefused if there is none, or no single one."""
    from singletable.consolidation.consolidation import Consolidation

    place, _, name = file.partition(":")
    members = vars(load_module(place))
    found = {key: each for key, each in members.items() if isinstance(each, Consolidation)}
    if name:
        found = {key: each for key, each in found.items() if key == name}
    if len(set(map(id, found.values()))) != 1:
        what = f"no Consolidation {name}" if name else "no Consolidation" if not found else ", ".join(found)
        remedy = f"select one with {place}:NAME" if found else "assign a Consolidation(...) to a name of the module"
        raise ArgumentRefused(f"{place} contains {what}; {remedy}")
    return next(iter(found.values()))


def print_failures(failures: Iterable[ItemFailure], failed: int, text: str) -> None:
    """Print the rows that stop a command."""
    print(f"{failed:,} {text}:")
    shown = list(failures)
    for failure in shown:
        print(f"  {failure.key}: {failure.reason}")
    if failed > len(shown):
        print(f"  ... and {failed - len(shown):,} more")


def failure_documents(failures: Iterable[ItemFailure]) -> list[dict[str, str]]:
    """Return the failures for JSON."""
    return [{"row": each.key, "reason": each.reason} for each in failures]


def confirm(options: argparse.Namespace, question: str, warning: str) -> None:
    """Ask the user to confirm. Raise ArgumentRefused unless the answer is yes."""
    if options.yes:
        return
    if not sys.stdin.isatty():
        raise ArgumentRefused(f"{warning}\n  Confirm with --yes.")
    print(warning, file=sys.stderr)
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise ArgumentRefused("nothing was changed")


def _report(text: str) -> None:
    print(text, file=sys.stderr)


def _progress(done: PassProgress) -> None:
    if not sys.stderr.isatty():
        return
    total = "" if done.rows_total is None else f" of about {done.rows_total:,}"
    left = "" if done.seconds_left is None else f", {done.seconds_left:,.0f} seconds left"
    print(f"\r\x1b[K  {done.source}: {done.rows:,}{total} rows{left}", end="", file=sys.stderr)
