"""`singletable consolidate run FILE URL`: copy the rows of all sources to the new table, or continue the copy.

In the stage `dual write`, a run copies the rows of files and SQL queries that have changed since the previous run.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from singletable.cli.consolidation_target import (
    add_consolidation,
    add_pass_options,
    confirm,
    consolidation_run,
    failure_documents,
    print_failures,
    run_steps,
)
from singletable.cli.output import print_json
from singletable.planner.formatting import format_number

if TYPE_CHECKING:
    from singletable.consolidation.consolidation_run import ConsolidationResult

STOPPED = 1
WRITERS = (
    "Every program that writes an old table must send its writes through singletable.consolidation.install() before "
    "the rows are copied. A write of another program does not reach the new table."
)


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("run", help="copy the rows into the new table, or continue", description=__doc__)
    add_consolidation(parser)
    add_pass_options(parser)
    parser.add_argument("--yes", action="store_true", help="confirm that every program writes through install()")
    parser.add_argument("--dry-run", action="store_true", help="write nothing, as `plan` does")
    parser.set_defaults(run=run, region="us-east-1", prices=None)


def run(options: argparse.Namespace) -> int:
    """Run the consolidation. Return 1 if rows stop it."""
    if options.dry_run:
        from singletable.cli.consolidate_plan import run as plan

        return plan(options)
    options.yes = options.yes or options.no_clients
    with consolidation_run(options) as one:
        if run_steps(one, one.items.state()) is None:
            confirm(options, f"Copy the rows into table {one.items.table}?", WRITERS)
        result = run_steps(one, one.run())
    if options.json:
        print_json(_document(result))
    else:
        _print(result)
    return STOPPED if result.work.failed else 0


def _print(result: ConsolidationResult) -> None:
    work = result.work
    units = f"{format_number(work.read_units)} RRU, {format_number(work.write_units)} WRU"
    print(f"{work.items:,} rows read, {work.written:,} copied, {units}")
    if work.failed:
        print_failures(result.failures, work.failed, f"rows or items stop the stage {result.state.stage.value!r}")
        print("Correct the rows or the mapping, and run the command again.")
    else:
        print(f"stage {result.state.stage.value!r}: the old tables and the new table are in sync")


def _document(result: ConsolidationResult) -> dict[str, Any]:
    work = result.work
    return {
        "stage": result.state.stage.value,
        "rows": work.items,
        "copied": work.written,
        "conflicts": work.conflicts,
        "read_units": work.read_units,
        "write_units": work.write_units,
        "failed": work.failed,
        "failures": failure_documents(result.failures),
    }
