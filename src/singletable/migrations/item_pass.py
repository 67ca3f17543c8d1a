"""A pass over all items of a table: a segmented scan with a rate limit, conditional writes and checkpoints."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from singletable.client.request_steps import Call, Steps, pause, send_each
from singletable.client.responses import Item, read_batch_get, read_page, read_transaction, read_write
from singletable.client.write.item_actions import KeyId, key_id
from singletable.errors import MigrationStopped, RequestRefused, Throttled
from singletable.migrations.adaptive_rate import AdaptiveRate, is_throttled
from singletable.migrations.control_items import ControlItems, Progress
from singletable.migrations.item_changes import ChangeRequest, Found, ItemChange, ItemFailure, NeedsItems
from singletable.migrations.item_changes import change_requests as requests_of
from singletable.migrations.table_indexes import describe_table
from singletable.values.limits import BATCH_GET_KEYS_MAX

R = TypeVar("R")
RENEW_SECONDS = 15.0
PAGE_ITEMS_MAX = 500
REQUESTS_AT_ONCE = 25
FAILURES_MAX = 100
CONFLICT_SECONDS = 0.05
RECHECKS, RECHECK_SECONDS = 3, 1.0
_FAILED, _CANCELLED = "ConditionalCheckFailedException", "TransactionCanceledException"
_INVALID = frozenset(
    {
        *("ValidationException", "ValidationError"),  # the code of a request, and the code of an action
        *("ItemCollectionSizeLimitExceededException", "ItemCollectionSizeLimitExceeded"),
    }
)
"""The error codes of a write that fails again each time."""
Compute = Callable[[Item, float, Found], ItemChange | ItemFailure | NeedsItems | None]


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
    seconds_left: float | None = None
    """The estimated rest of the pass; None if DynamoDB's item count, which can be hours old, does not allow it."""

    @property
    def units(self) -> float:
        """The read and write units."""
        return self.read_units + self.write_units

    def add(self, other: PassResult) -> None:
        """Add the numbers of another pass."""
        self.items += other.items
        self.written += other.written
        self.conflicts += other.conflicts
        self.read_units += other.read_units
        self.write_units += other.write_units
        self.failures = (self.failures + other.failures)[:FAILURES_MAX]
        self.failed += other.failed

    def fail(self, failure: ItemFailure) -> None:
        """Count an item that cannot be converted."""
        self.failed += 1
        if len(self.failures) < FAILURES_MAX:
            self.failures.append(failure)


@dataclass
class SegmentedScan:
    """A segmented scan of a table, page by page. All segments are read together."""

    table: str
    positions: tuple[Item | None, ...]
    """The next position of each segment, or None for a finished segment."""
    read_units: float = 0.0

    @property
    def is_finished(self) -> bool:
        """Whether every segment is finished."""
        return all(each is None for each in self.positions)

    def page(self) -> Steps[list[Item]]:
        """Return the items of the next page of every segment."""
        active = [number for number, each in enumerate(self.positions) if each is not None]
        bodies = yield [self._call(number) for number in active]
        positions, items = list(self.positions), list[Item]()
        for number, body in zip(active, bodies, strict=True):
            page = read_page(body)
            positions[number] = page.last_evaluated_key
            self.read_units += 0.0 if page.consumed_capacity is None else page.consumed_capacity.capacity_units
            items += page.items
        self.positions = tuple(positions)
        return items

    def _call(self, segment: int) -> Call:
        request = {
            "TableName": self.table,
            "Segment": segment,
            "TotalSegments": len(self.positions),
            "Limit": PAGE_ITEMS_MAX,
            "ReturnConsumedCapacity": "TOTAL",
        }
        start = self.positions[segment]
        return Call("Scan", request | ({"ExclusiveStartKey": start} if start else {}))


def keep_rate(result: PassResult, rate: float | None, seconds: float) -> Steps[None]:
    """Wait until the units that a pass has consumed in some seconds are within its rate."""
    ahead = 0.0 if rate is None else (result.write_units + result.read_units) / rate - seconds
    if ahead > 0:
        yield from pause(ahead)


Computed = tuple[list[ItemChange], list[tuple[Item, ItemFailure]]]


def compute_changes(
    items: Sequence[Item], compute: Compute, now: float, known: Found | None = None
) -> Generator[list[Item], Found, Computed]:
    """Compute the changes of some items. Yield the keys of related items, and receive these items.

    `known` contains related items that were read before.
    """
    found: dict[KeyId, Item | None] = dict(known or {})
    results: dict[int, ItemChange | ItemFailure | None] = {}
    waiting = list(range(len(items)))
    while waiting:
        needed: dict[KeyId, Item] = {}
        again: list[int] = []
        for number in waiting:
            computed = compute(items[number], now, found)
            if isinstance(computed, NeedsItems):
                needed |= {key_id(key): key for key in computed.keys}
                again.append(number)
            else:
                results[number] = computed
        if needed:
            found |= yield list(needed.values())
        waiting = again
    ordered = [results[number] for number in sorted(results)]
    changes = [each for each in ordered if isinstance(each, ItemChange)]
    failures = ((items[number], each) for number, each in results.items())
    return changes, [(item, each) for item, each in failures if isinstance(each, ItemFailure)]


def read_related(table: str, keys: Sequence[Item]) -> Steps[tuple[dict[KeyId, Item | None], float]]:
    """Read items by key, with strong consistency. Return them and the read units."""
    found: dict[KeyId, Item | None] = {key_id(key): None for key in keys}
    units, left = 0.0, list(keys)
    while left:
        part, left = left[:BATCH_GET_KEYS_MAX], left[BATCH_GET_KEYS_MAX:]
        request = {
            "RequestItems": {table: {"Keys": part, "ConsistentRead": True}},
            "ReturnConsumedCapacity": "TOTAL",
        }
        (body,) = yield (Call("BatchGetItem", request),)
        answer = read_batch_get(body)
        units += sum(each.capacity_units for each in answer.consumed_capacity)
        names = tuple(part[0])
        for item in answer.responses.get(table, ()):
            found[key_id({name: item[name] for name in names})] = item
        unprocessed = answer.unprocessed_keys.get(table, {}).get("Keys", [])
        if unprocessed:
            yield from pause(CONFLICT_SECONDS)
            left += unprocessed
    return found, units


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
    is_guarded: bool
    """Whether every write checks the epoch in a transaction."""
    now: Callable[[], float]
    clock: Callable[[], float]
    report: Callable[[PassResult], None]

    def __post_init__(self) -> None:
        self._result = PassResult()
        self._confirmed_at = self.clock()
        self._rate = AdaptiveRate(self.rate, self.clock)

    def steps(self) -> Steps[PassResult]:
        """Run the pass from its last checkpoint."""
        progress = Progress(self.migration, self.phase, ({},) * self.segments)
        result = self._result
        stored = yield from self.control.progress()
        if stored is not None and (stored.migration, stored.phase) == (self.migration, self.phase):
            progress = stored
            result.items, result.written, result.failed = stored.items, stored.written, stored.failed
        scan = SegmentedScan(self.control.table, progress.positions)
        expected = int((yield from describe_table(self.control.table)).get("ItemCount", 0))
        started_at, started_with = self.clock(), result.items
        while not scan.is_finished:
            if self.clock() - self._confirmed_at >= RENEW_SECONDS:
                yield from self._confirm()
            before = scan.read_units
            items = yield from self._repeated(scan.page)
            result.items += len(items)
            result.read_units += scan.read_units - before
            yield from self._write((yield from self._computed(items)))
            counts = (result.items, result.written, result.failed)
            progress = Progress(self.migration, self.phase, scan.positions, *counts)
            yield from self._repeated(partial(self.control.put_progress, progress, self.epoch))
            per_item = (self.clock() - started_at) / max(result.items - started_with, 1)
            result.seconds_left = per_item * (expected - result.items) if expected >= result.items else None
            self.report(result)
            if seconds := self._rate.pause(result.units):
                yield from pause(seconds)
        return result

    def _computed(self, items: Sequence[Item], targets: Sequence[Item] = ()) -> Steps[list[ItemChange]]:
        """Return the changes of some items, and count the items that cannot be converted.

        An item and its related items are read one after the other, and a client may still be updating a copy. So the
        pass reads an item again before it counts a failure. `targets` are the keys to which items could not move.
        """
        changes, failures = yield from self._computed_once(items, targets)
        for _ in range(RECHECKS):
            if not failures or self._result.failed >= FAILURES_MAX:
                break
            yield from pause(RECHECK_SECONDS)
            again = yield from self._read_again([item for item, _ in failures])
            more, failures = yield from self._computed_once(again, targets)
            changes += more
        for _, failure in failures:
            self._result.fail(failure)
        return changes

    def _computed_once(self, items: Sequence[Item], targets: Sequence[Item]) -> Steps[Computed]:
        known, units = yield from self._repeated(partial(read_related, self.control.table, targets))
        self._result.read_units += units
        computing = compute_changes(items, self.compute, self.now(), known)
        try:
            keys = next(computing)
            while True:
                found, units = yield from self._repeated(partial(read_related, self.control.table, keys))
                self._result.read_units += units
                keys = computing.send(found)
        except StopIteration as finished:
            result: Computed = finished.value
            return result

    def _write(self, changes: list[ItemChange]) -> Steps[None]:
        """Send the changes. Compute the change of an item again if another writer changed an item meanwhile."""
        check = self.control.epoch_check(self.epoch)
        waiting = list(requests_of(changes, check, is_guarded=self.is_guarded))
        while waiting:
            if self.clock() - self._confirmed_at >= RENEW_SECONDS:
                yield from self._confirm()
            batch, waiting = waiting[:REQUESTS_AT_ONCE], waiting[REQUESTS_AT_ONCE:]
            results = yield from send_each([each.call(self.control.table) for each in batch])
            stale: list[ItemChange] = []
            throttled: list[ChangeRequest] = []
            split: list[ChangeRequest] = []
            problem: RequestRefused | None = None
            for request, result in zip(batch, results, strict=True):
                if isinstance(result, bytes):
                    self._count(request, result)
                elif isinstance(result, RequestRefused) and is_throttled(result):
                    self._reject_takeover(request, result)
                    problem = result
                    throttled.append(request)
                elif isinstance(result, RequestRefused) and (reason := _invalid_reason(result)) is not None:
                    self._reject_takeover(request, result)
                    split += self._split(request, reason)
                elif isinstance(result, RequestRefused) and result.code in (_FAILED, _CANCELLED):
                    self._reject_takeover(request, result)
                    self._result.conflicts += len(request.changes)
                    stale += request.changes
                else:
                    raise result
            waiting = [*split, *waiting]
            if problem is not None:
                yield from pause(self._rate.throttle(self._result.units, problem))
                waiting = [*throttled, *waiting]
            if stale:
                computed = yield from self._computed_again(stale)
                waiting = [*requests_of(computed, check, is_guarded=self.is_guarded), *waiting]
            if waiting and self._rate.is_lowered and (seconds := self._rate.pause(self._result.units)):
                yield from pause(seconds)

    def _split(self, request: ChangeRequest, reason: str) -> list[ChangeRequest]:
        """Return one request per item of an invalid request, to find the item at fault. List the only item of one."""
        first, *others = request.changes
        if others:
            return [replace(request, changes=(each,)) for each in request.changes]
        self._result.fail(ItemFailure(json.dumps(first.key, ensure_ascii=False), reason))
        return []

    def _count(self, request: ChangeRequest, body: bytes) -> None:
        result = self._result
        result.written += sum(each.writes_item for each in request.changes)
        if request.is_transaction:
            capacity = read_transaction(body).consumed_capacity
            result.write_units += sum(each.capacity_units for each in capacity)
        elif (consumed := read_write(body).consumed_capacity) is not None:
            result.write_units += consumed.capacity_units

    def _reject_takeover(self, request: ChangeRequest, problem: RequestRefused) -> None:
        """Raise MigrationStopped if the transaction failed because another runner has taken over."""
        reasons = problem.fields.get("CancellationReasons") or [{}]
        if request.is_transaction and reasons[0].get("Code") == "ConditionalCheckFailed":
            raise MigrationStopped(self._taken_over)

    def _computed_again(self, stale: list[ItemChange]) -> Steps[list[ItemChange]]:
        yield from pause(CONFLICT_SECONDS)
        again = yield from self._read_again([each.before for each in stale])
        return (yield from self._computed(again, [key for each in stale for key in each.targets]))

    def _read_again(self, items: Sequence[Item]) -> Steps[list[Item]]:
        names = self.control.attributes
        keys = [{name: item[name] for name in names} for item in items]
        found, units = yield from self._repeated(partial(read_related, self.control.table, keys))
        self._result.read_units += units
        return [each for each in found.values() if each is not None]

    @property
    def _taken_over(self) -> str:
        return (
            f"table {self.control.table!r}: another runner has taken over migration {self.migration}, so this runner "
            "stops"
        )

    def _confirm(self) -> Steps[None]:
        """Raise MigrationStopped if another runner has taken over, or if the migration is paused."""
        asked_at = self.clock()
        state = yield from self._repeated(self.control.state)
        if state is None or state.epoch != self.epoch or state.migration != self.migration:
            raise MigrationStopped(self._taken_over)
        if state.is_paused:
            raise MigrationStopped(
                f"table {self.control.table!r}: migration {self.migration} is paused.\n"
                "  `singletable migrate resume` continues it."
            )
        self._confirmed_at = asked_at

    def _repeated(self, steps: Callable[[], Steps[R]]) -> Steps[R]:
        """Run steps that can be repeated. Repeat them more slowly while DynamoDB throttles them."""
        while True:
            try:
                return (yield from steps())
            except Throttled as problem:
                yield from pause(self._rate.throttle(self._result.units, problem))


def _invalid_reason(problem: RequestRefused) -> str | None:
    """Return why DynamoDB rejects a write each time, or None if it may succeed later."""
    if problem.code in _INVALID:
        return problem.message
    reasons = problem.fields.get("CancellationReasons") or ()
    return next((each.get("Message") or each["Code"] for each in reasons if each.get("Code") in _INVALID), None)
