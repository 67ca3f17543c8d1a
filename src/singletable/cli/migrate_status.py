"""`singletable migrate status MODEL URL`: show the migrations of a table, and the phase of an open migration.

If shadow reads compare the patterns of the table, the command shows their modes and statistics too, as `consolidate
status` does.
"""

from __future__ import annotations

import argparse

from singletable.cli.consolidate_mode import print_states, state_document
from singletable.cli.migrate_run import state_text
from singletable.cli.migration_target import add_table, migration_target
from singletable.cli.output import print_json


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("status", help="show the migrations of a table", description=__doc__)
    add_table(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the migrations that were applied to the table."""
    from singletable.client.request_steps import run as run_steps
    from singletable.consolidation.pattern_modes import mode_items

    with migration_target(options) as target:
        state = target.state()
        progress = run_steps(target.control.progress(), target.session)
        states = run_steps(mode_items(target.design, target.control.table).states(), target.session)
        problem = target.missing_migration()
    applied = () if state is None else state.applied
    rows = [(each.label, each.applied_as in applied) for each in target.files]
    if options.json:
        phase = None if state is None or state.phase is None else state.phase.value
        document = {
            "table": target.control.table,
            "migrations": [{"name": name, "applied": is_applied} for name, is_applied in rows],
            "migration": None if state is None else state.migration,
            "phase": phase,
            "paused": state is not None and state.is_paused,
            "problem": problem,
            "items_read": None if progress is None else progress.items,
            "items_written": None if progress is None else progress.written,
            "modes": {name: state_document(each) for name, each in states.items()},
        }
        print_json(document)
        return 0
    for name, is_applied in rows:
        is_open = state is not None and state.migration == name
        print(f"{name}  {'applied' if is_applied else 'open' if is_open else 'pending'}")
    print("the table was never migrated" if state is None else state_text(state))
    if progress is not None:
        print(f"{progress.items:,} items read, {progress.written:,} written in this phase")
    if problem is not None:
        print(problem)
    if states:
        print_states(states)
    return 0
