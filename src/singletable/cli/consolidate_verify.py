"""`singletable consolidate verify FILE URL`: compare every row with the new table, and every item with its row."""

from __future__ import annotations

import argparse

from singletable.cli.consolidation_target import (
    add_consolidation,
    add_pass_options,
    consolidation_run,
    failure_documents,
    print_failures,
    run_steps,
)
from singletable.cli.output import print_json

DIFFERENT = 1


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("verify", help="compare every row with the new table", description=__doc__)
    add_consolidation(parser)
    add_pass_options(parser, waits=False)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compare both sides without writing. Return 1 if they differ."""
    with consolidation_run(options) as one:
        result = run_steps(one, one.verify())
    if options.json:
        failures = failure_documents(result.failures)
        print_json({"rows": result.items, "different": result.failed, "differences": failures})
    elif result.failed:
        print_failures(result.failures, result.failed, f"differences in {result.items:,} rows")
    else:
        print(f"{result.items:,} rows and the new table are in sync")
    return DIFFERENT if result.failed else 0
