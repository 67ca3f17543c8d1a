"""`singletable consolidate status FILE URL`: show the stage of a consolidation and the state of each pattern."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from singletable.cli.consolidate_mode import print_states, state_document
from singletable.cli.consolidation_target import add_consolidation, consolidation_run, run_steps
from singletable.cli.output import print_json

if TYPE_CHECKING:
    from singletable.consolidation.consolidation_state import ConsolidationState
    from singletable.migrations.control_items import Progress


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("status", help="show the stage and the patterns", description=__doc__)
    add_consolidation(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the state of the consolidation."""
    from singletable.consolidation.consolidation_state import PROGRESS_TEXT
    from singletable.consolidation.pattern_modes import read_pattern_states
    from singletable.consolidation.retirement import obstacles

    with consolidation_run(options) as one:
        state = run_steps(one, one.items.state())
        progress = run_steps(one, one.items.progress(PROGRESS_TEXT))
        states = read_pattern_states(one.opened)
        reasons = obstacles(one, states, time.time())
    if options.json:
        print_json(
            {
                "stage": None if state is None else state.stage.value,
                "source": None if progress is None else progress.migration,
                "rows_read": None if progress is None else progress.items,
                "rows_copied": None if progress is None else progress.written,
                "modes": {name: state_document(each) for name, each in states.items()},
                "not_clean": reasons,
                "retired": [] if state is None else [each.split(" ")[0] for each in state.retired],
            }
        )
        return 0
    _print(state, progress)
    if states:
        print_states(states)
    if state is None or not state.retired:
        print("the old tables cannot be retired yet:" if reasons else "the old tables can be retired")
        for reason in reasons:
            print(f"  {reason}")
    return 0


def _print(state: ConsolidationState | None, progress: Progress | None) -> None:
    from singletable.consolidation.consolidation_state import STAGE_EFFECTS

    if state is None:
        print("no row was copied; `singletable consolidate plan` shows the work")
        return
    print(f"stage {state.stage.value!r}: {STAGE_EFFECTS[state.stage]}")
    if progress is not None:
        print(f"{progress.migration}: {progress.items:,} rows read, {progress.written:,} copied in this stage")
    for each in state.retired:
        name, backup = each.split(" ", 1)
        print(f"{name}: backed up in {backup}; delete it when you no longer need it")
