"""`singletable check-store PATH`: verify every item and index entry of a store file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

PROBLEMS_SHOWN = 50


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("check-store", help="verify a store file", description=__doc__)
    parser.add_argument("path", metavar="PATH", type=Path, help="the store file; other processes may have it open")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check the store and print the result. Return 1 if it is damaged."""
    from singletable.engine.integrity_check import check_store

    checked = check_store(options.path)
    if options.json:
        print(json.dumps(checked._asdict(), indent=2))
    elif checked.problems:
        for problem in checked.problems[:PROBLEMS_SHOWN]:
            print(problem)
        if len(checked.problems) > PROBLEMS_SHOWN:
            print(f"... and {len(checked.problems) - PROBLEMS_SHOWN:,} more; --json lists all")
        print(f"{options.path} is damaged: {_counted(len(checked.problems), 'problem')}.")
    else:
        contents = f"{_counted(checked.tables, 'table')}, {_counted(checked.items, 'item')}"
        entries = f"{checked.entries:,} index {'entry' if checked.entries == 1 else 'entries'}"
        copies = f", {_counted(checked.backups, 'backup')}" if checked.backups else ""
        print(f"{options.path} is intact: {contents}, {entries}{copies}.")
    return 1 if checked.problems else 0


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
