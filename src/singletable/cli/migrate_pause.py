"""`singletable migrate pause MODEL URL`: stop the runner of an open migration, which `resume` continues."""

from __future__ import annotations

import argparse
from dataclasses import replace

from singletable.cli.migrate_run import state_text
from singletable.cli.migration_target import add_table, migration_target
from singletable.cli.output import print_json
from singletable.errors import MigrationRefused


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("pause", help="stop the runner; `resume` continues the migration", description=__doc__)
    add_table(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Mark the migration as paused."""
    from singletable.client.request_steps import run as run_steps

    with migration_target(options) as target:
        state = target.state()
        if state is None or state.phase is None:
            raise MigrationRefused(f"table {target.control.table!r}: no migration is open")
        state = run_steps(target.control.change(state, replace(state, is_paused=True)), target.session)
    print_json({"paused": True}) if options.json else print(state_text(state))
    return 0
