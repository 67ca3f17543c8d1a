"""`singletable migrate undo MODEL URL`: restore the old design of a table, before the phase `contract`."""

from __future__ import annotations

import argparse

from singletable.cli.migrate_run import STOPPED, add_run_options, confirm, run_settings, show_result
from singletable.cli.migration_target import add_table, migration_target


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("undo", help="undo an open migration", description=__doc__)
    add_table(parser)
    add_run_options(parser)
    parser.set_defaults(run=run, until=None)


def run(options: argparse.Namespace) -> int:
    """Undo the open migration."""
    from singletable.client.request_steps import run as run_steps
    from singletable.migrations.runner import no_open_migration, undo_migration

    settings = run_settings(options)
    with migration_target(options) as target:
        state = target.state()
        following = None if state is None else target.run(state, settings)
        if state is None or state.phase is None or following is None:
            raise no_open_migration(target.control.table, state)
        confirm(options, target, following)
        result = run_steps(undo_migration(following, state), target.session)
    show_result(following.file.label, result, as_json=options.json)
    if result.failures:
        return STOPPED
    if result.state.phase is not None and not options.json:
        print("New code works with the old keys. After it has stopped, run `singletable migrate undo` again to finish.")
    return 0
