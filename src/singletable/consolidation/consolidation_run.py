"""The runner of a consolidation: a generator that copies the rows, compares them, and moves from stage to stage."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from singletable.client.request_steps import Steps
from singletable.client.table import Table
from singletable.client.write.write_intents import WriteIntent
from singletable.consolidation.consolidation import Consolidation
from singletable.consolidation.consolidation_state import (
    PROGRESS_TEXT,
    STAGE_EFFECTS,
    ConsolidationState,
    Stage,
)
from singletable.consolidation.dual_table import DualTable
from singletable.consolidation.extra_items import ExtraItems
from singletable.consolidation.mapping_report import MappingReport, report_mapping
from singletable.consolidation.row_copies import CopyResult, RowCopies
from singletable.consolidation.row_mapping import RowMapping
from singletable.consolidation.row_readers import OldRow, RowReader, is_finished, row_reader
from singletable.consolidation.sources import DynamoDBSource
from singletable.errors import ConsolidationRefused, MigrationStopped
from singletable.migrations.control_items import Progress
from singletable.migrations.item_changes import ItemFailure
from singletable.migrations.item_pass import RENEW_SECONDS, keep_rate
from singletable.migrations.runner import WAIT_SECONDS
from singletable.migrations.table_indexes import describe_table

MESSAGES = {stage: f"{stage.value}: {text}" for stage, text in STAGE_EFFECTS.items()}


@dataclass(frozen=True)
class PassProgress:
    """The progress of a pass over one source."""

    source: str
    rows: int
    rows_total: int | None
    """About how many rows the source has, if it is known."""
    seconds_left: float | None


@dataclass(frozen=True)
class ConsolidationSettings:
    """The settings of a runner: its speed, its clock, and the functions that receive its reports."""

    rate: float | None = None
    segments: int = 4
    wait_seconds: float = WAIT_SECONDS
    clock: Callable[[], float] = time.monotonic
    report: Callable[[str], None] = lambda text: None
    progress: Callable[[PassProgress], None] = lambda progress: None


@dataclass(frozen=True)
class ConsolidationResult:
    """The result of a run: the stage that it reached, its work, and the rows that stop it."""

    state: ConsolidationState
    work: CopyResult
    failures: tuple[ItemFailure, ...] = ()


@dataclass
class ConsolidationRun:
    """One run of a consolidation on an open table."""

    consolidation: Consolidation[Any]
    opened: Table
    """The new table, which the consolidation has opened."""
    settings: ConsolidationSettings = field(default_factory=ConsolidationSettings)

    def __post_init__(self) -> None:
        table = self.opened._opened()
        assert isinstance(table, DualTable), "a consolidation opens a dual table"
        self.table = table
        self.writer = self.table.writer_of_both
        self.items = self.writer.items

    def plan(self) -> Steps[MappingReport]:
        """Map every row, and compute the work of the consolidation without writing."""
        return (yield from report_mapping(self.writer, self.consolidation.mappings, self.settings.segments))

    def run(self) -> Steps[ConsolidationResult]:
        """Copy and compare the rows, from the current stage on, until both sides are in sync.

        In the stage `dual write`, copy the rows of files and SQL queries that have changed since the previous run.
        """
        before = yield from self.items.state()
        if before is not None and before.stage in (Stage.CLOSING, Stage.RETIRED):
            raise ConsolidationRefused(
                f"table {self.items.table!r}: the old tables are retired, so their rows are not copied any more"
            )
        if before is None:
            self.settings.report("plan: map every row without writing")
            report = yield from self.plan()
            if report.failed:
                work = CopyResult(failed=report.failed)
                return ConsolidationResult(ConsolidationState(), work, tuple(report.failures))
        state = yield from self.items.take_over(before)
        work = CopyResult()
        if state.stage is Stage.DUAL:
            state, done = yield from self._copy_all(
                state, [m for m in self.consolidation.mappings if not isinstance(m.source, DynamoDBSource)]
            )
            return ConsolidationResult(state, done, tuple(done.failures))
        for stage, following in ((Stage.BACKFILL, Stage.VERIFY), (Stage.VERIFY, Stage.DUAL)):
            if state.stage is stage:
                self.settings.report(MESSAGES[stage])
                state, done = yield from self._stage(state)
                work.add(done)
                if done.failed:
                    return ConsolidationResult(state, work, tuple(done.failures))
                state = yield from self.items.change(state, replace(state, stage=following))
        self.settings.report(MESSAGES[Stage.DUAL])
        return ConsolidationResult(state, work)

    def verify(self) -> Steps[CopyResult]:
        """Compare every row with the new table, and every item of the new table with its row, without writing."""
        work = CopyResult()
        for mapping in self.consolidation.mappings:
            reader = row_reader(mapping.source, self.writer.keys, self.settings.segments, None, None)
            one = _SourcePass(self, mapping, reader, CopyResult(), None)
            work.add((yield from one.steps()))
        work.add((yield from self._extra_items()))
        return work

    def _stage(self, state: ConsolidationState) -> Steps[tuple[ConsolidationState, CopyResult]]:
        if state.stage is Stage.BACKFILL:
            return (yield from self._copy_all(state, self.consolidation.mappings))
        state, done = yield from self._copy_all(state, self.consolidation.mappings)
        done.add((yield from self._extra_items()))
        return state, done

    def _extra_items(self) -> Steps[CopyResult]:
        extra = ExtraItems(self.writer, list(self.consolidation.dynamodb_mappings), self.settings.segments)
        return (yield from extra.steps())

    def _copy_all(
        self, state: ConsolidationState, mappings: Sequence[RowMapping]
    ) -> Steps[tuple[ConsolidationState, CopyResult]]:
        """Copy the rows of some sources, from the checkpoint of an earlier runner on."""
        work = CopyResult()
        stored = yield from self.items.progress(PROGRESS_TEXT)
        names = [each.name for each in mappings]
        if stored is None or stored.phase != state.stage.value or stored.migration not in names:
            stored = None
        for mapping in mappings[names.index(stored.migration) if stored else 0 :]:
            done = CopyResult()
            start = None
            if stored is not None and stored.migration == mapping.name:
                start, done.items, done.written, done.failed = (
                    stored.positions,
                    stored.items,
                    stored.written,
                    stored.failed,
                )
            since = state.watermarks.get(mapping.name) if state.stage is Stage.DUAL else None
            reader = row_reader(mapping.source, self.writer.keys, self.settings.segments, start, since)
            work.add((yield from _SourcePass(self, mapping, reader, done, state).steps()))
            if reader.watermark is not None and reader.watermark != state.watermarks.get(mapping.name):
                marks = {**state.watermarks, mapping.name: reader.watermark}
                state = yield from self.items.change(state, replace(state, watermarks=marks))
        yield from self.items.delete_progress(PROGRESS_TEXT)
        return state, work


class _SourcePass:
    """A pass over the rows of one source: page by page, with checkpoints if it writes."""

    def __init__(
        self,
        run: ConsolidationRun,
        mapping: RowMapping,
        reader: RowReader,
        result: CopyResult,
        state: ConsolidationState | None,
    ) -> None:
        """Store the parts. Without a state, the pass compares and writes nothing."""
        self._run, self._mapping, self._reader, self._state = run, mapping, reader, state
        self._result = result
        check = None if state is None else run.items.epoch_check(state.epoch)
        self._copies = RowCopies(run.writer, mapping, result, None if state is None else self._commit, check)

    def steps(self) -> Steps[CopyResult]:
        """Copy or compare all rows."""
        run, result, clock = self._run, self._result, self._run.settings.clock
        total = yield from self._total()
        started = confirmed = clock()
        first = result.items
        while not is_finished(self._reader.positions):
            if self._state is not None and clock() - confirmed >= RENEW_SECONDS:
                yield from self._confirm()
                confirmed = clock()
            before = self._reader.read_units
            rows = yield from self._reader.page()
            result.read_units += self._reader.read_units - before
            yield from self._copies.copy(rows)
            if self._state is not None:
                counts = (result.items, result.written, result.failed)
                progress = Progress(self._mapping.name, self._state.stage.value, self._reader.positions, *counts)
                yield from run.items.put_progress(progress, self._state.epoch, PROGRESS_TEXT)
            seconds = clock() - started
            run.settings.progress(self._progress(rows, result.items - first, total, seconds))
            yield from keep_rate(result, run.settings.rate, seconds)
        return result

    def _progress(self, rows: Sequence[OldRow], done: int, total: int | None, seconds: float) -> PassProgress:
        left = None
        if total is not None and done:
            left = max(0.0, seconds * (total - self._result.items) / done)
        return PassProgress(self._mapping.name, self._result.items, total, left)

    def _total(self) -> Steps[int | None]:
        if not isinstance(self._mapping.source, DynamoDBSource):
            return None
        count = (yield from describe_table(self._mapping.name)).get("ItemCount")
        return int(count) if count else None

    def _commit(self, intents: Sequence[WriteIntent], entries: Sequence[Mapping[str, Any]]) -> Steps[float]:
        capacity = yield from self._run.writer.commit(intents, entries)
        return sum(capacity.values())

    def _confirm(self) -> Steps[None]:
        """Raise MigrationStopped if another runner has taken over."""
        state = yield from self._run.items.state()
        if state is None or self._state is None or state.epoch != self._state.epoch:
            raise MigrationStopped(self._run.items.stopped)
