"""The plan of a migration: the effect of each phase on the items of a table, computed without writing."""

from __future__ import annotations

from dataclasses import dataclass, field

from singletable.client.request_steps import Call, Steps
from singletable.client.responses import Item, read_page
from singletable.evolve.snapshot_records import IndexSnapshot
from singletable.migrations.change_units import change_units
from singletable.migrations.item_changes import ItemChange, ItemFailure
from singletable.migrations.item_pass import FAILURES_MAX
from singletable.migrations.runner import MigrationRun
from singletable.model.table_schema import TABLE


@dataclass
class PlannedWrites:
    """The number of items that a phase writes, and the write units that it consumes."""

    written: int = 0
    write_units: int = 0

    def add(self, change: ItemChange, table: IndexSnapshot, indexes: list[IndexSnapshot]) -> None:
        """Count the change of an item."""
        self.written += 1
        self.write_units += change_units(change.before, change.after, table, indexes)


@dataclass
class MigrationPlan:
    """The expected work of a migration."""

    items: int = 0
    read_units: float = 0.0
    """The read units of one scan of the table."""
    scans: int = 0
    """The number of scans of the table during the migration."""
    backfill: PlannedWrites = field(default_factory=PlannedWrites)
    contract: PlannedWrites = field(default_factory=PlannedWrites)
    failures: list[ItemFailure] = field(default_factory=list)
    failed: int = 0
    """The number of items that would stop the migration."""

    @property
    def write_units(self) -> int:
        """The write units of all phases."""
        return self.backfill.write_units + self.contract.write_units


def plan_migration(run: MigrationRun) -> Steps[MigrationPlan]:
    """Scan the table once, and compute the work of the migration, assuming that no other client writes meanwhile."""
    backfills = any(each.rewritten for each in run.operations)
    cleans = any(each.cleaned for each in run.operations)
    plan = MigrationPlan(scans=backfills + 1 + cleans)
    request = {"TableName": run.control.table, "ReturnConsumedCapacity": "TOTAL"}
    start: Item | None = None
    table, changes, now = run.before.indexes[TABLE], run.changes, run.settings.now()
    both = {each.name: each for each in (*run.before.indexes.values(), *run.after.indexes.values())}
    while True:
        (body,) = yield (Call("Scan", request | ({"ExclusiveStartKey": start} if start else {})),)
        page = read_page(body)
        plan.read_units += 0.0 if page.consumed_capacity is None else page.consumed_capacity.capacity_units
        for item in page.items:
            plan.items += 1
            current = item
            written = changes.backfill(item, now) if backfills else None
            if isinstance(written, ItemChange):
                plan.backfill.add(written, table, list(both.values()))
                current = written.after
            failure = changes.verify(current, now)
            if failure is not None:
                plan.failed += 1
                plan.failures += [failure] if len(plan.failures) < FAILURES_MAX else []
                continue
            cleaned = changes.contract(current, now) if cleans else None
            if isinstance(cleaned, ItemChange):
                plan.contract.add(cleaned, table, list(run.after.indexes.values()))
        start = page.last_evaluated_key
        if start is None:
            return plan
