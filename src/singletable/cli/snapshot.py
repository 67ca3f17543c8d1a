"""`singletable snapshot MODEL`: print the design of a model as JSON, for `singletable diff` and migrations."""

from __future__ import annotations

import argparse
from pathlib import Path

from singletable.errors import ArgumentRefused


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("snapshot", help="print the design of a model as JSON", description=__doc__)
    parser.add_argument("model", metavar="MODEL", help="a Python file or module; add :Table to select one table")
    parser.add_argument("--output", metavar="FILE", type=Path, help="write to this file instead of standard output")
    parser.add_argument("--fingerprint", action="store_true", help="print only the fingerprint of the design")
    parser.add_argument("--json", action="store_true", help="print JSON, which is always the format of a snapshot")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the snapshot of one table."""
    from singletable.cli.load_model import load_table
    from singletable.cli.output import print_json
    from singletable.evolve.design_snapshot import snapshot_of
    from singletable.evolve.snapshot_records import to_json

    snapshot = snapshot_of(load_table(options.model).design)
    text = to_json(snapshot)
    if options.fingerprint:
        if options.json:
            print_json({"table": snapshot.name, "fingerprint": snapshot.fingerprint})
        else:
            print(snapshot.fingerprint)
    elif options.output is None:
        print(text, end="")
    else:
        try:
            options.output.parent.mkdir(parents=True, exist_ok=True)
            options.output.write_text(text, encoding="utf-8")
        except OSError as problem:
            raise ArgumentRefused(f"cannot write {options.output}: {problem.strerror}") from None
    return 0
