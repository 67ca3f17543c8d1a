"""`singletable consolidate retire FILE URL`: end the dual writes, and back up and protect the old tables.

The command deletes no table. It lists the tables that you can delete.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from singletable.cli.consolidation_target import add_consolidation, confirm, consolidation_run, run_steps
from singletable.cli.output import print_json

if TYPE_CHECKING:
    from singletable.consolidation.retirement import RetiredTable

WARNING = "After this step, the old tables are not written any more, and this cannot be undone."


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("retire", help="end the dual writes, and back up the old tables", description=__doc__)
    add_consolidation(parser)
    parser.add_argument("--yes", action="store_true", help="confirm that the old tables are not needed any more")
    parser.add_argument(
        "--no-clients", action="store_true", help="do not wait for clients, because no other program writes"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Retire the old tables. Raise ConsolidationRefused if the stage or a pattern does not allow it yet."""
    from singletable.consolidation.pattern_modes import read_pattern_states
    from singletable.consolidation.retirement import check_ready, retire

    with consolidation_run(options) as one:
        standings = read_pattern_states(one.opened)
        run_steps(one, check_ready(one, standings))
        confirm(options, f"Retire the old tables of {one.items.table}?", WARNING)
        tables = run_steps(one, retire(one, standings))
    if options.json:
        print_json({"retired": [{"table": each.name, "backup": each.backup} for each in tables]})
        return 0
    print_retired(tables)
    return 0


def print_retired(tables: Sequence[RetiredTable]) -> None:
    """List the old tables that you can delete."""
    print("the dual writes have ended. These tables are backed up and protected:")
    for each in tables:
        print(f"  {each.name}: {each.backup}")
    print("Remove the deletion protection and delete them when you no longer need them.")
