"""`singletable migrate resume MODEL URL`: continue an open migration, for example after a pause."""

from __future__ import annotations

import argparse

from singletable.cli.migrate_run import UNTIL, add_run_options
from singletable.cli.migrate_run import run as run_migrations
from singletable.cli.migration_target import add_table, migration_target
from singletable.errors import MigrationRefused


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("resume", help="continue an open migration", description=__doc__)
    add_table(parser)
    add_run_options(parser)
    parser.add_argument("--until", metavar="PHASE", choices=UNTIL, help="stop after the work of a phase")
    parser.set_defaults(run=run, region="us-east-1", prices=None, dry_run=False)


def run(options: argparse.Namespace) -> int:
    """Continue the migration. Return 1 if items stop it."""
    with migration_target(options) as target:
        state = target.state()
    if state is None or state.phase is None:
        raise MigrationRefused(
            f"table {target.control.table!r}: no migration is open.\n  `singletable migrate run` starts the next one."
        )
    return run_migrations(options)
