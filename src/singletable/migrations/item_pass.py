"""A pass over all items of a table: a segmented scan with a rate limit, conditional updates and checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from singletable.client.request_steps import Call, Steps, pause, send_each
from singletable.client.responses import Item, read_get, read_page, read_write
from singletable.errors import MigrationStopped, RequestRefused
from singletable.migrations.control_items import ControlItems, Progress
from singletable.migrations.item_changes import ItemChange, ItemFailure

RENEW_SECONDS = 15.0
PAGE_ITEMS_MAX = 500
UPDATES_AT_ONCE = 25
FAILURES_MAX = 100
_FAILED = "ConditionalCheckFailedException"
Compute = Callable[[Item, float], ItemChange | ItemFailure | None]


@dataclass
class PassResult:
    """The result of a pass."""

    items: int = 0
    written: int = 0
    conflicts: int = 0
    """The items that another writer changed meanwhile. The pass computes their changes again."""
    read_units: float = 0.0
    write_units: float = 0.0
    failures: list[ItemFailure] = field(default_factory=list)
    failed: int = 0
    """The number of failures. The list contains only the first ones."""

    def add(self, other: PassResult) -> None:
        """Add the numbers of another pass."""
        self.items += other.items
        self.written += other.written
        self.conflicts += other.conflicts
        self.read_units += other.read_units
        self.write_units += other.write_units
        self.failures = (self.failures + other.failures)[:FAILURES_MAX]
        self.failed += other.failed


@dataclass
class ItemPass:
    """One pass: the function that computes the change of each item, and the maximum write rate."""

    control: ControlItems
    migration: str
    phase: str
    compute: Compute
    epoch: int
    segments: int
    rate: float | None
    """Write and read units per second. None for no limit."""
    now: Callable[[], float]
    clock: Callable[[], float]
    report: Callable[[PassResult], None]

    def __post_init__(self) -> None:
        self._result = PassResult()
        self._confirmed_at = self.clock()
        self._started_at = self.clock()

    def steps(self) -> Steps[PassResult]:
        """Run the pass from its last checkpoint."""
        progress = Progress(self.migration, self.phase, ({},) * self.segments)
        stored = yield from self.control.progress()
        if stored is not None and (stored.migration, stored.phase) == (self.migration, self.phase):
            progress = stored
            result = self._result
            result.items, result.written, result.failed = stored.items, stored.written, stored.failed
        while not progress.is_finished:
            progress = yield from self._page(progress)
            yield from self.control.put_progress(progress, self.epoch)
            self.report(self._result)
            yield from self._slow_down()
        return self._result

    def _page(self, progress: Progress) -> Steps[Progress]:
        """Process the next page of every segment, and return the progress."""
        if self.clock() - self._confirmed_at >= RENEW_SECONDS:
            yield from self._confirm()
        active = [number for number, each in enumerate(progress.positions) if each is not None]
        bodies = yield [self._scan(number, progress) for number in active]
        positions = list(progress.positions)
        changes: list[ItemChange] = []
        for number, body in zip(active, bodies, strict=True):
            page = read_page(body)
            positions[number] = page.last_evaluated_key
            self._result.items += len(page.items)
            self._result.read_units += 0.0 if page.consumed_capacity is None else page.consumed_capacity.capacity_units
            changes += [each for item in page.items if (each := self._computed(item)) is not None]
        yield from self._write(changes)
        result = self._result
        counts = (result.items, result.written, result.failed)
        return Progress(progress.migration, progress.phase, tuple(positions), *counts)

    def _scan(self, segment: int, progress: Progress) -> Call:
        request = {
            "TableName": self.control.table,
            "Segment": segment,
            "TotalSegments": len(progress.positions),
            "Limit": PAGE_ITEMS_MAX,
            "ReturnConsumedCapacity": "TOTAL",
        }
        start = progress.positions[segment]
        return Call("Scan", request | ({"ExclusiveStartKey": start} if start else {}))

    def _computed(self, item: Item) -> ItemChange | None:
        computed = self.compute(item, self.now())
        if isinstance(computed, ItemFailure):
            self._result.failed += 1
            if len(self._result.failures) < FAILURES_MAX:
                self._result.failures.append(computed)
            return None
        return computed

    def _write(self, changes: list[ItemChange]) -> Steps[None]:
        """Send the updates. Compute the change of an item again if another writer changed it meanwhile."""
        while changes:
            if self.clock() - self._confirmed_at >= RENEW_SECONDS:
                yield from self._confirm()
            batch, changes = changes[:UPDATES_AT_ONCE], changes[UPDATES_AT_ONCE:]
            results = yield from send_each([each.call(self.control.table) for each in batch])
            again: list[ItemChange] = []
            for change, result in zip(batch, results, strict=True):
                if isinstance(result, bytes):
                    capacity = read_write(result).consumed_capacity
                    self._result.written += 1
                    self._result.write_units += 0.0 if capacity is None else capacity.capacity_units
                elif isinstance(result, RequestRefused) and result.code == _FAILED:
                    self._result.conflicts += 1
                    again.append(change)
                else:
                    raise result
            changes = [*(yield from self._computed_again(again)), *changes]

    def _computed_again(self, stale: list[ItemChange]) -> Steps[list[ItemChange]]:
        found: list[ItemChange] = []
        for change in stale:
            parameters = {"TableName": self.control.table, "Key": change.key, "ConsistentRead": True}
            (body,) = yield (Call("GetItem", parameters),)
            item = read_get(body).item
            if item is not None and (computed := self._computed(item)) is not None:
                found.append(computed)
        return found

    def _confirm(self) -> Steps[None]:
        """Raise MigrationStopped if another runner has taken over, or if the migration is paused."""
        asked_at = self.clock()
        state = yield from self.control.state()
        if state is None or state.epoch != self.epoch or state.migration != self.migration:
            raise MigrationStopped(
                f"table {self.control.table!r}: another runner has taken over migration {self.migration}, so this "
                "runner stops"
            )
        if state.is_paused:
            raise MigrationStopped(
                f"table {self.control.table!r}: migration {self.migration} is paused.\n"
                "  `singletable migrate run` continues it."
            )
        self._confirmed_at = asked_at

    def _slow_down(self) -> Steps[None]:
        """Wait until the consumed units are within the rate."""
        if self.rate is None:
            return
        ahead = (self._result.write_units + self._result.read_units) / self.rate - (self.clock() - self._started_at)
        if ahead > 0:
            yield from pause(ahead)
