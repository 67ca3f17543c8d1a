"""`singletable migrate run MODEL URL`: run the next migration of a table, or continue an open one."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from singletable.cli.migrate_plan import old_programs
from singletable.cli.migration_target import MigrationTarget, add_table, migration_target
from singletable.cli.output import print_json
from singletable.errors import ArgumentRefused
from singletable.planner.formatting import format_number

if TYPE_CHECKING:
    from singletable.client.design_state import DesignState
    from singletable.migrations.item_pass import PassResult
    from singletable.migrations.runner import MigrationRun, RunResult, RunSettings

STOPPED = 1
SEGMENTS_MAX = 1000
UNTIL = ("pending", "expand", "backfill", "verify", "switch")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("run", help="run the next migration, or continue it", description=__doc__)
    add_table(parser)
    add_run_options(parser)
    parser.add_argument(
        "--until",
        metavar="PHASE",
        choices=UNTIL,
        help="stop after the work of a phase: pending, expand, backfill, verify or switch",
    )
    parser.add_argument("--dry-run", action="store_true", help="count everything and write nothing, as `plan` does")
    parser.set_defaults(run=run, region="us-east-1", prices=None)


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the speed of a run and for its confirmation."""
    add_speed_options(parser)
    parser.add_argument(
        "--yes", action="store_true", help="confirm that you stopped all programs that do not read the design state"
    )
    parser.add_argument(
        "--no-clients", action="store_true", help="do not wait for clients, because no other program uses the table"
    )


def add_speed_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the speed of a run."""
    parser.add_argument(
        "--rate", metavar="UNITS", type=_positive, help="read and write units per second (default: no limit)"
    )
    parser.add_argument(
        "--segments", metavar="N", type=_positive, default=4, help="the number of segments of the Scan (default: 4)"
    )


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0):
        raise argparse.ArgumentTypeError(f"invalid number {text!r}: write 1 or more")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Run the migration. Return 1 if items stop it, or if the model has no migration yet."""
    if options.dry_run:
        from singletable.cli.migrate_plan import run as plan

        return plan(options)
    from singletable.client.request_steps import run as run_steps
    from singletable.migrations.baseline import baseline
    from singletable.migrations.control_table import prepare_control_table
    from singletable.migrations.runner import run_migration

    settings = run_settings(options)
    with migration_target(options) as target:
        run_steps(prepare_control_table(target.control, settings.report), target.session)
        state = target.state()
        following = target.run(target.known_state(), settings)
        if state is None or following is not None:
            confirm(options, target, following)
        if state is None:
            state = run_steps(baseline(target.control, target.files[0], target.first_design), target.session)
            settings.report(f"recorded {target.files[0].label} as the design of table {target.control.table}")
        if following is None:
            return target.report_no_migration(as_json=options.json)
        while following is not None:
            result = run_steps(run_migration(following, state), target.session)
            show_result(following.file.label, result, as_json=options.json)
            state = result.state
            if result.failures:
                return STOPPED
            if state.phase is not None:
                return 0 if settings.until is state.phase else STOPPED
            is_confirmed = following.moves_items
            following = target.run(state, settings)
            if following is not None and following.moves_items and not is_confirmed:
                confirm(options, target, following)
    return 0


def run_settings(options: argparse.Namespace) -> RunSettings:
    """Return the settings of a run, which reports on standard error."""
    from singletable.evolve.phases import Phase
    from singletable.migrations.runner import WAIT_SECONDS, RunSettings

    if options.segments > SEGMENTS_MAX:
        raise ArgumentRefused(f"--segments must be at most {SEGMENTS_MAX}, got {options.segments}")

    def report(text: str) -> None:
        print(text, file=sys.stderr)

    def progress(done: PassResult) -> None:
        if sys.stderr.isatty():
            print(f"\r{progress_text(done)}\x1b[K", end="", file=sys.stderr)

    wait = 0.0 if options.no_clients else WAIT_SECONDS
    until = None if options.until is None else Phase(options.until)
    return RunSettings(options.rate, options.segments, wait, until, report=report, progress=progress)


def progress_text(done: PassResult) -> str:
    """Return the progress of a pass over the items, with the estimated time that is left."""
    text = f"  {done.items:,} items read, {done.written:,} written"
    if done.seconds_left is None:
        return text
    minutes, seconds = divmod(round(done.seconds_left), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{text}, about {hours}:{minutes:02}:{seconds:02} left"


def confirm(options: argparse.Namespace, target: MigrationTarget, migration: MigrationRun | None) -> None:
    """Ask whether all programs that do not read the design state are stopped.

    Raise ArgumentRefused unless the user confirms.
    """
    if options.yes or options.no_clients:
        return
    if not sys.stdin.isatty():
        raise ArgumentRefused(f"{old_programs(migration)}\n  Confirm with --yes.")
    print(old_programs(migration), file=sys.stderr)
    print(f"Migrate table {target.control.table}? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise ArgumentRefused("nothing was changed")


def show_result(label: str, result: RunResult, *, as_json: bool) -> None:
    """Print the result of a run, and the items that stop it."""
    if as_json:
        print_json(_document(label, result))
        return
    work, state = result.work, result.state
    units = f"{format_number(work.read_units)} RRU, {format_number(work.write_units)} WRU"
    print(f"{label}: {work.items:,} items read, {work.written:,} written, {units}")
    if not result.failures:
        print(state_text(state))
        return
    phase = "" if state.phase is None else state.phase.value
    print(f"stopped in the phase {phase!r}: {work.failed:,} items do not conform to the new design")
    for failure in result.failures:
        print(f"  {failure.key}: {failure.reason}")
    print("Correct the items and run the migration again, or undo it with `singletable migrate undo`.")


def state_text(state: DesignState) -> str:
    """Return the state of a table in one line."""
    if state.phase is not None:
        paused = ", paused" if state.is_paused else ""
        return f"migration {state.migration} is in the phase {state.phase.value!r}{paused}"
    return f"the items follow the design {state.fingerprint}"


def _document(label: str, result: RunResult) -> dict[str, Any]:
    work, state = result.work, result.state
    return {
        "migration": label,
        "phase": None if state.phase is None else state.phase.value,
        "fingerprint": state.fingerprint,
        "items": work.items,
        "written": work.written,
        "conflicts": work.conflicts,
        "read_units": work.read_units,
        "write_units": work.write_units,
        "failed": work.failed,
        "failures": [{"key": each.key, "reason": each.reason} for each in result.failures],
    }
