"""The runner of migrations: a generator without I/O. It changes a table from one design to the next, phase by phase."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property

from singletable.client.design_lease import VIEW_SECONDS_MAX
from singletable.client.design_state import DesignState
from singletable.client.request_steps import Steps, pause
from singletable.errors import MigrationRefused
from singletable.evolve.differences import differences, needs_migration, works_in_all_phases
from singletable.evolve.dual_designs import moved_entities
from singletable.evolve.moved_entities import MovedEntity
from singletable.evolve.operation import Category, Operation
from singletable.evolve.phases import DESCRIPTIONS, Phase
from singletable.evolve.snapshot_records import Snapshot
from singletable.migrations.baseline import check_description
from singletable.migrations.control_items import ControlItems
from singletable.migrations.item_changes import ItemFailure
from singletable.migrations.item_conversion import ItemConversion
from singletable.migrations.item_pass import Compute, ItemPass, PassResult
from singletable.migrations.migration_files import (
    MigrationFile,
    earlier_design,
    reject_unsafe_moves,
    reject_unsupported,
)
from singletable.migrations.table_indexes import change_ttl, create_indexes, delete_indexes, describe_table
from singletable.model.design import Design

WAIT_SECONDS = VIEW_SECONDS_MAX + 5
"""The waiting time of the runner. It is longer than any client can use an outdated state."""


@dataclass(frozen=True)
class RunSettings:
    """The settings of a runner: its speed, its clocks, and the function that receives its reports."""

    rate: float | None = None
    segments: int = 4
    wait_seconds: float = WAIT_SECONDS
    until: Phase | None = None
    """The phase after whose work the runner stops; None to finish the migration."""
    now: Callable[[], float] = time.time
    """The clock that decides whether an item has expired."""
    clock: Callable[[], float] = time.monotonic
    report: Callable[[str], None] = lambda text: None
    progress: Callable[[PassResult], None] = lambda result: None


@dataclass(frozen=True)
class MigrationRun:
    """One migration of one table: the designs before and after it, and the operations between them."""

    control: ControlItems
    file: MigrationFile
    before: Snapshot
    design: Design
    operations: tuple[Operation, ...]
    settings: RunSettings

    @property
    def after(self) -> Snapshot:
        """The design of the table after the migration."""
        return self.file.snapshot

    def finished(self, state: DesignState) -> DesignState:
        """Return the state of a table after the migration."""
        applied, fingerprint = (*state.applied, self.file.applied_as), self.after.fingerprint
        return replace(_closed(state), fingerprint=fingerprint, applied=applied)

    @cached_property
    def conversion(self) -> ItemConversion:
        """The conversion of the items."""
        return ItemConversion(self.before, self.design, self.operations, self.moved)

    @cached_property
    def moved(self) -> tuple[MovedEntity, ...]:
        """The entities whose items move."""
        return moved_entities(self.design, self.before, self.operations)

    @property
    def stops_old_writers(self) -> bool:
        """Whether old code must not write from the phase `expand` on."""
        return any(each.stops_old_writers for each in self.operations)

    @property
    def moves_items(self) -> bool:
        """Whether items move, are split or are merged. Old code does not find all of them meanwhile."""
        return any(each.category is Category.MOVE for each in self.operations)

    @property
    def backfills(self) -> bool:
        """Whether the backfill writes items."""
        return any(each.rewritten for each in self.operations)

    @property
    def cleans(self) -> bool:
        """Whether the last phase writes items."""
        return any(each.cleaned for each in self.operations)


@dataclass(frozen=True)
class RunResult:
    """The result of a run: the state of the table, the work done, and the items that stop the run."""

    state: DesignState
    work: PassResult
    failures: tuple[ItemFailure, ...] = ()


def migration_run(
    control: ControlItems,
    files: Sequence[MigrationFile],
    state: DesignState,
    design: Design,
    model: Snapshot,
    settings: RunSettings,
) -> MigrationRun | None:
    """Return the next migration of a table, or None if all migrations have run.

    Raise MigrationRefused if a file contradicts the table.
    """
    for applied, file in zip(state.applied, files, strict=False):
        if applied != file.applied_as:
            name = applied.partition(":")[0]
            what = "was edited after it ran" if name == file.label else f"ran as {name}"
            raise MigrationRefused(
                f"{file.path} {what} on table {control.table!r}; nothing was written.\n"
                "  Restore the file from version control, and put the change into a new migration."
            )
    if len(state.applied) > len(files):
        names = ", ".join(each.partition(":")[0] for each in state.applied[len(files) :])
        raise MigrationRefused(
            f"table {control.table!r} has the migrations {names}, which have no file; nothing was written.\n  Update "
            "your checkout, because another checkout has run them."
        )
    waiting = files[len(state.applied) :]
    if not waiting:
        return None
    file, before = waiting[0], files[len(state.applied) - 1].snapshot
    operations = differences(before, file.snapshot)
    if waiting[-1].snapshot.fingerprint != model.fingerprint and needs_migration(operations):
        raise MigrationRefused(
            f"{waiting[-1].path} has another design than {model.name}; nothing was written.\n  Run `singletable "
            "migrate make` if the model has changed, or update your checkout."
        )
    if file.snapshot.fingerprint != model.fingerprint:
        design = earlier_design(file)
    reject_unsupported(before, file.snapshot, operations)
    reject_unsafe_moves(before, file.snapshot, operations, design)
    return MigrationRun(control, file, before, design, operations, settings)


def run_migration(run: MigrationRun, state: DesignState) -> Steps[RunResult]:
    """Run all remaining phases of a migration, starting with the current phase of the table."""
    control, work = run.control, PassResult()
    if state.phase is Phase.ROLLBACK:
        raise MigrationRefused(f"migration {state.migration} is being undone; run `singletable migrate undo` to finish")
    if state.migration not in (None, run.file.label):
        raise MigrationRefused(f"table {control.table!r}: migration {state.migration} is open; finish it first")
    if state.phase is None:
        remedy = "Another program has changed the table: restore its indexes, and run the migration again."
        description = yield from describe_table(control.table)
        name = f"its last migration ({_last(state)})"
        check_description(control.table, run.before, description, name, remedy, next_design=run.after)
        yield from control.put_design(run.before)
        yield from control.put_design(run.after)
        if not needs_migration(run.operations):
            return RunResult((yield from control.change(state, run.finished(state))), work)
        opened = replace(state, migration=run.file.label, target=run.after.fingerprint, phase=Phase.PENDING)
        opened = replace(opened, stops_old_writers=run.stops_old_writers, moves_items=run.moves_items)
        opened = replace(opened, began_at=int(run.settings.now()))
        state = yield from control.change(state, opened)
    state = yield from control.take_over(state)
    while state.phase is not None:
        run.settings.report(f"{state.phase.value}: {DESCRIPTIONS[state.phase]}")
        done, following = yield from _phase(run, state)
        work.add(done)
        if following is state.phase or state.phase is run.settings.until:
            return RunResult(state, work, tuple(done.failures))
        changed = replace(state, phase=following)
        state = yield from control.change(state, run.finished(state) if following is None else changed)
    return RunResult(state, work)


def _phase(run: MigrationRun, state: DesignState) -> Steps[tuple[PassResult, Phase | None]]:
    """Do the work of the current phase.

    Return the result with the next phase, or with the same phase if items stop it.
    """
    table, settings, conversion = run.control.table, run.settings, run.conversion
    match state.phase:
        case Phase.PENDING:
            return PassResult(), Phase.EXPAND
        case Phase.EXPAND:
            yield from create_indexes(table, run.before, run.after, settings.report)
            if not run.stops_old_writers and not run.moves_items:
                return PassResult(), Phase.BACKFILL
            yield from pause(settings.wait_seconds)  # until no old code writes, or reads an item that moves
            if not run.stops_old_writers:
                return PassResult(), Phase.BACKFILL
            return (yield from _item_pass(run, state, conversion.reset, is_guarded=True)), Phase.BACKFILL
        case Phase.BACKFILL:
            yield from pause(settings.wait_seconds)  # until no client writes only the old keys
            done = PassResult()
            if run.backfills:
                done = yield from _item_pass(run, state, conversion.backfill)
            return done, Phase.BACKFILL if done.failed else Phase.VERIFY
        case Phase.VERIFY:
            done = yield from _item_pass(run, state, conversion.verify)
            return done, Phase.VERIFY if done.failed else Phase.SWITCH
        case Phase.SWITCH:
            yield from pause(settings.wait_seconds)  # until no client reads with the old keys
            return PassResult(), Phase.CONTRACT
        case _:
            yield from pause(settings.wait_seconds)  # until no client writes the old keys
            yield from delete_indexes(table, run.after, run.before, settings.report)
            if run.before.ttl_attribute is not None:
                yield from change_ttl(table, run.after.ttl_attribute, settings.report)
            done = PassResult()
            if run.cleans:
                done = yield from _item_pass(run, state, conversion.contract, is_guarded=True)
            return done, Phase.CONTRACT if done.failed else None


def _item_pass(
    run: MigrationRun, state: DesignState, compute: Compute, *, is_guarded: bool = False
) -> Steps[PassResult]:
    settings, phase = run.settings, "" if state.phase is None else state.phase.value
    one = ItemPass(
        *(run.control, run.file.label, phase, compute, state.epoch, settings.segments, settings.rate),
        *(is_guarded, settings.now, settings.clock, settings.progress),
    )
    done = yield from one.steps()
    yield from run.control.delete_progress()
    return done


def undo_migration(run: MigrationRun, state: DesignState) -> Steps[RunResult]:
    """Restore the old design of the table, from any phase before `contract`.

    Afterwards, the migration is pending, so that new code works until you replace it. A second undo then closes the
    migration.
    """
    control, settings = run.control, run.settings
    _reject_undo(run, state)
    state = yield from control.take_over(state)
    if state.phase is Phase.PENDING:
        return RunResult((yield from control.change(state, _closed(state))), PassResult())
    if state.phase is Phase.SWITCH:
        state = yield from control.change(state, replace(state, phase=Phase.VERIFY))
        settings.report("verify: wait until no client reads the new form")
        yield from pause(settings.wait_seconds)  # until no client reads with the new keys
    state = yield from control.change(state, replace(state, phase=Phase.ROLLBACK))
    settings.report(f"rollback: {DESCRIPTIONS[Phase.ROLLBACK]}")
    yield from pause(settings.wait_seconds)  # until no client writes the new keys
    yield from delete_indexes(control.table, run.before, run.after, settings.report)
    if run.before.ttl_attribute is None and run.after.ttl_attribute is not None:
        yield from change_ttl(control.table, None, settings.report)
    done = yield from _item_pass(run, state, run.conversion.rollback, is_guarded=True)
    if done.failed and run.moves_items:  # some items still have their new keys
        return RunResult(state, done, tuple(done.failures))
    pending = replace(state, phase=Phase.PENDING) if works_in_all_phases(run.operations) else _closed(state)
    return RunResult((yield from control.change(state, pending)), done)


def _last(state: DesignState) -> str:
    return state.applied[-1].partition(":")[0] if state.applied else "none"


def _closed(state: DesignState) -> DesignState:
    return replace(state, phase=None, migration=None, target=None, stops_old_writers=False, moves_items=False)


def _reject_undo(run: MigrationRun, state: DesignState) -> None:
    """Raise MigrationRefused if no migration is open, or if clients already write only the new keys."""
    if state.phase is None:
        raise no_open_migration(run.control.table, state)
    if state.phase is Phase.CONTRACT:
        raise MigrationRefused(
            f"table {run.control.table!r}: migration {state.migration} is in the phase 'contract', in which the new "
            "code already writes, so it cannot be undone.\n  Finish it, and make a migration to the old design.\n  "
            f"{_recovery_point(state)}"
        )


def no_open_migration(table: str, state: DesignState | None) -> MigrationRefused:
    """Return the error of an undo of a table without an open migration. It names the recovery point."""
    recovery = "" if state is None else f"\n  {_recovery_point(state)}"
    return MigrationRefused(
        f"table {table!r}: no migration is open.\n  A finished migration cannot be undone: make a migration to the old "
        f"design.{recovery}"
    )


def _recovery_point(state: DesignState) -> str:
    """Return how to restore the table as it was before the open or last migration."""
    if state.began_at is None:
        return "A backup from before the migration restores the table as it was then, without later writes."
    began = datetime.fromtimestamp(state.began_at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return (
        f"Recovery point: {began}, when the migration began. Point-in-time recovery to this time, or an earlier "
        "backup, restores the table as it was then, without later writes."
    )
