"""`singletable migrate status MODEL URL`: show the migrations of a table, and the phase of an open migration.

If shadow reads compare the patterns of the table, the command shows their modes and statistics too, as `consolidate
status` does.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from singletable.cli.consolidate_mode import print_states, state_document
from singletable.cli.migrate_run import state_text
from singletable.cli.migration_target import MigrationTarget, add_table, migration_target
from singletable.cli.output import print_json

if TYPE_CHECKING:
    from singletable.client.design_state import DesignState


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
        replaced = replaced_table(target, state)
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
            "replaced_table": replaced,
        }
        print_json(document)
        return 0
    for name, is_applied in rows:
        is_open = state is not None and state.migration == name
        print(f"{name}  {'applied' if is_applied else 'open' if is_open else 'pending'}")
    print("the table was never migrated" if state is None else state_text(state))
    if replaced is not None:
        print(f"table {target.control.table} replaces {replaced}: delete {replaced} when you do not need it any more")
    if progress is not None:
        print(f"{progress.items:,} items read, {progress.written:,} written in this phase")
    if problem is not None:
        print(problem)
    if states:
        print_states(states)
    return 0


def replaced_table(target: MigrationTarget, state: DesignState | None) -> str | None:
    """Return the name of an existing table that the table of the model has replaced, or None."""
    from singletable.client.request_steps import run as run_steps
    from singletable.errors import RequestRefused
    from singletable.migrations.table_indexes import describe_table

    former = target.design.settings.former_tables
    if not former or state is None or state.phase is not None or state.fingerprint != target.model.fingerprint:
        return None
    try:
        run_steps(describe_table(former[-1]), target.session)
    except RequestRefused as problem:
        if problem.code != "ResourceNotFoundException":
            raise
        return None
    return former[-1]
