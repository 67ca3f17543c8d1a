"""Enforced throughput limits (token buckets): provisioned units, on-demand maximums, and limits per partition."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from singletable.engine.tables.table_definition import IndexDefinition, TableDefinition
from singletable.engine.traffic.capacity_use import TABLE, CapacityUse
from singletable.engine.traffic.throttling import Limit, ThrottledRequest
from singletable.values.limits import PARTITION_READ_UNITS_PER_SECOND_MAX, PARTITION_WRITE_UNITS_PER_SECOND_MAX


class TokenBucket:
    """Allows a request while units remain, and then deducts the actual cost of the request.

    The cost of a read is known only after the read, so a request can overdraw the bucket. Later requests are throttled
    until the bucket has refilled. Callers always pass the current time.
    """

    __slots__ = ("_at", "_burst_seconds", "_level", "_rate")

    def __init__(self, rate: float, burst_seconds: float, now: float, *, saved_seconds: float = 1.0) -> None:
        self._rate = rate
        self._burst_seconds = burst_seconds
        self._level = rate * min(burst_seconds, saved_seconds)
        self._at = now

    def has_units(self, now: float) -> bool:
        """Return whether another request is allowed."""
        self._fill(now)
        return self._level > 0.0

    def take(self, units: float, now: float) -> None:
        """Deduct units. The level of the bucket can become negative."""
        self._fill(now)
        self._level -= units

    def is_full(self, now: float) -> bool:
        """Return whether the bucket is full. Discarding a full bucket has no effect."""
        self._fill(now)
        return self._level >= self._rate * self._burst_seconds

    def set_rate(self, rate: float, now: float) -> None:
        """Change the rate in units per second. Saved units remain, up to the new maximum."""
        self._fill(now)
        self._rate = rate
        self._level = min(self._level, rate * self._burst_seconds)

    def _fill(self, now: float) -> None:
        if now > self._at:  # if the clock was set back, wait until it has caught up
            self._level = min(self._rate * self._burst_seconds, self._level + (now - self._at) * self._rate)
            self._at = now


# DynamoDB saves up to five minutes of unused units.
BURST_SECONDS = 300.0
# The limit of a partition is per second, and unused units are not saved.
PARTITION_BURST_SECONDS = 1.0
BUCKETS_MIN = 10_000

Direction = tuple[str, bool]  # the name of an index ("" for the table), and whether the units are write units


class CapacityLimits:
    """The provisioned units of a table and its global indexes, or their on-demand maximums."""

    def __init__(self, definition: TableDefinition, now: float) -> None:
        self._buckets: dict[Direction, TokenBucket] = {}
        # A new bucket is full, as if no units had been used before this process started.
        self._saved_seconds = max(1.0, now - definition.created_at)
        self.update(definition, now)

    def update(self, definition: TableDefinition, now: float) -> None:
        """Apply the throughput of a changed table definition."""
        rates = {direction: rate for direction, rate in _rates(definition) if rate is not None}
        for direction in self._buckets.keys() - rates.keys():
            del self._buckets[direction]
        for direction, rate in rates.items():
            bucket = self._buckets.get(direction)
            if bucket is None:
                self._buckets[direction] = TokenBucket(rate, BURST_SECONDS, now, saved_seconds=self._saved_seconds)
            else:
                bucket.set_rate(rate, now)
        self._saved_seconds = 1.0

    def allows(self, use: CapacityUse, now: float) -> bool:
        """Return whether enough units are left to allow a request."""
        bucket = self._buckets.get((use.resource, use.is_write))
        return bucket is None or bucket.has_units(now)

    def take(self, use: CapacityUse, now: float) -> None:
        """Deduct the units that a request consumes."""
        bucket = self._buckets.get((use.resource, use.is_write))
        if bucket is not None:
            bucket.take(use.units, now)


def _rates(definition: TableDefinition) -> Iterator[tuple[Direction, float | None]]:
    is_provisioned = definition.billing_mode == "PROVISIONED"
    limited: list[tuple[str, TableDefinition | IndexDefinition]] = [(TABLE, definition)]
    limited += [(index.name, index) for index in definition.indexes if not index.is_local]
    for name, each in limited:
        provisioned, ceiling = each.throughput, each.on_demand
        if is_provisioned:
            yield (name, False), None if provisioned is None else provisioned.read_units
            yield (name, True), None if provisioned is None else provisioned.write_units
        else:
            yield (name, False), None if ceiling is None else ceiling.read_units_max
            yield (name, True), None if ceiling is None else ceiling.write_units_max


class PartitionLimits:
    """The limits per second for each partition key value, which do not depend on the table's capacity."""

    def __init__(self, buckets_min: int = BUCKETS_MIN) -> None:
        self._buckets: dict[tuple[str, bool, bytes], TokenBucket] = {}
        self._buckets_max = self._buckets_min = buckets_min

    def allows(self, use: CapacityUse, now: float) -> bool:
        """Return whether enough units are left to allow a request."""
        if use.partition is None:
            return True
        bucket = self._buckets.get((use.resource, use.is_write, use.partition))
        return bucket is None or bucket.has_units(now)

    def take(self, use: CapacityUse, now: float) -> None:
        """Deduct the units that a request consumes."""
        if use.partition is None:
            return
        key = (use.resource, use.is_write, use.partition)
        bucket = self._buckets.get(key)
        if bucket is None:
            if len(self._buckets) >= self._buckets_max:
                self._discard_idle(now)
            rate = PARTITION_WRITE_UNITS_PER_SECOND_MAX if use.is_write else PARTITION_READ_UNITS_PER_SECOND_MAX
            bucket = self._buckets[key] = TokenBucket(rate, PARTITION_BURST_SECONDS, now)
        bucket.take(use.units, now)

    def _discard_idle(self, now: float) -> None:
        """Discard full buckets, whose partitions have been idle for at least a second.

        The next such cleanup follows when the number of buckets has doubled.
        """
        self._buckets = {key: bucket for key, bucket in self._buckets.items() if not bucket.is_full(now)}
        self._buckets_max = max(self._buckets_min, 2 * len(self._buckets))

    def __len__(self) -> int:
        return len(self._buckets)


def throttling_error(
    limit: Limit, use: CapacityUse, definition: TableDefinition, arn: Callable[[str], str]
) -> ThrottledRequest:
    """Return the error for a throttled request."""
    is_index = use.resource != TABLE
    resource = arn(definition.name)
    return ThrottledRequest(
        limit,
        f"{resource}/index/{use.resource}" if is_index else resource,
        is_index=is_index,
        is_write=use.is_write,
        is_provisioned=definition.billing_mode == "PROVISIONED",
    )
