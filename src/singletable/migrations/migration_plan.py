"""The plan of a migration: the effect of each phase on the items of a table, computed without writing."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from singletable.client.design_state import DesignState
from singletable.client.request_steps import Steps
from singletable.client.responses import Item
from singletable.client.write.item_actions import KeyId, key_id
from singletable.evolve.phases import Phase
from singletable.evolve.snapshot_records import IndexSnapshot
from singletable.migrations.change_units import check_units, request_units, written_items
from singletable.migrations.item_changes import ItemFailure, change_requests
from singletable.migrations.item_pass import (
    FAILURES_MAX,
    Compute,
    Computed,
    SegmentedScan,
    compute_changes,
    read_related,
)
from singletable.migrations.runner import MigrationRun
from singletable.model.table_schema import TABLE


@dataclass
class PlannedWrites:
    """The number of items that a phase writes, with the write units and the stream records of these writes."""

    written: int = 0
    write_units: int = 0
    stream_records: int = 0
    """The records of changed items in a stream of the table, without those of reserved items."""


@dataclass
class MigrationPlan:
    """The expected work of a migration."""

    items: int = 0
    read_units: float = 0.0
    """The read units of all phases, without the reads of items that the migration creates."""
    scans: int = 0
    """The number of scans of the table during the migration."""
    expand: PlannedWrites = field(default_factory=PlannedWrites)
    backfill: PlannedWrites = field(default_factory=PlannedWrites)
    contract: PlannedWrites = field(default_factory=PlannedWrites)
    failures: list[ItemFailure] = field(default_factory=list)
    failed: int = 0
    """The number of items that would stop the migration."""

    @property
    def write_units(self) -> int:
        """The write units of all phases."""
        return self.expand.write_units + self.backfill.write_units + self.contract.write_units

    @property
    def stream_records(self) -> int:
        """The stream records of all phases."""
        return self.expand.stream_records + self.backfill.stream_records + self.contract.stream_records

    def fail(self, failures: Sequence[ItemFailure]) -> None:
        """Count items that would stop the migration."""
        self.failed += len(failures)
        self.failures = [*self.failures, *failures][:FAILURES_MAX]


def plan_migration(run: MigrationRun, state: DesignState) -> Steps[MigrationPlan]:
    """Scan the table once, and compute the work of the migration, assuming that no other client writes meanwhile."""
    return (yield from _Planning(run, state).steps())


class _Planning:
    """The planning of one migration: the phases, applied to each page of items in memory."""

    def __init__(self, run: MigrationRun, state: DesignState) -> None:
        self._run, self._state = run, replace(state, migration=run.file.label, target=run.after.fingerprint)
        self._state = replace(self._state, began_at=int(run.settings.now()))
        self._plan = MigrationPlan(scans=run.stops_old_writers + run.backfills + 1 + run.cleans)
        self._written: dict[KeyId, Item | None] = {}
        """The planned state of related items."""

    def steps(self) -> Steps[MigrationPlan]:
        """Return the plan."""
        run, plan, conversion = self._run, self._plan, self._run.conversion
        both = list({each.name: each for each in (*run.before.indexes.values(), *run.after.indexes.values())}.values())
        scan = SegmentedScan(run.control.table, ({},) * run.settings.segments)
        while not scan.is_finished:
            items = yield from scan.page()
            plan.items += len(items)
            items = self._current(items, {})
            if run.stops_old_writers:
                items = yield from self._phase(Phase.EXPAND, items, conversion.reset, both, is_guarded=True)
            if run.backfills:
                items = yield from self._phase(Phase.BACKFILL, items, conversion.backfill, both)
            items = yield from self._phase(Phase.VERIFY, items, conversion.verify, both)
            if run.cleans:
                contract, after = conversion.contract, list(run.after.indexes.values())
                yield from self._phase(Phase.CONTRACT, items, contract, after, is_guarded=True)
        plan.read_units += plan.scans * scan.read_units
        return plan

    def _phase(
        self,
        phase: Phase,
        items: list[Item],
        compute: Compute,
        indexes: Sequence[IndexSnapshot],
        *,
        is_guarded: bool = False,
    ) -> Steps[list[Item]]:
        """Count the work of a phase on some items, and return the items after it."""
        run, plan = self._run, self._plan
        changes, failures = yield from self._computed(items, compute)
        if phase is Phase.VERIFY:  # the other phases find the same failures
            plan.fail([each for _, each in failures])
        planned = {Phase.EXPAND: plan.expand, Phase.BACKFILL: plan.backfill}.get(phase, plan.contract)
        check = run.control.epoch_check(0)
        stored = run.control.state_item(replace(self._state, phase=phase, epoch=self._state.epoch + 1))
        now = dict[KeyId, Item | None]()
        for request in change_requests(changes, check, is_guarded=is_guarded):
            planned.written += sum(each.writes_item for each in request.changes)
            items_of_request = written_items(request, ChainMap(now, self._written))
            planned.write_units += request_units(request, items_of_request, run.before.indexes[TABLE], indexes)
            planned.write_units += check_units(stored) if request.is_transaction else 0
            planned.stream_records += sum(each.is_changed for each in items_of_request.values())
            written = {key: each.after for key, each in items_of_request.items() if not each.is_check}
            now |= written
            own = {key_id(each.key) for each in request.changes}
            self._written |= {key: each for key, each in written.items() if key not in own or key in self._written}
        return self._current(items, now)

    def _current(self, items: list[Item], now: Mapping[KeyId, Item | None]) -> list[Item]:
        """Return the planned state of some items, without the deleted ones."""
        names, current = self._run.before.indexes[TABLE].attributes, ChainMap({**now}, self._written)
        keys = [key_id({name: item[name] for name in names}) for item in items]
        after = [current.get(key, item) for key, item in zip(keys, items, strict=True)]
        return [each for each in after if each is not None]

    def _computed(self, items: list[Item], compute: Compute) -> Steps[Computed]:
        computing = compute_changes(items, compute, self._run.settings.now())
        try:
            keys = next(computing)
            while True:
                found, units = yield from read_related(self._run.control.table, keys)
                self._plan.read_units += units
                keys = computing.send({key: self._written.get(key, each) for key, each in found.items()})
        except StopIteration as finished:
            result: Computed = finished.value
            return result
