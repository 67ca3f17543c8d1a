"""The limits of one table that are enforced: bought units, ceilings of paying per request, and those of a partition."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from singletable.engine.definition import IndexDefinition, TableDefinition
from singletable.engine.traffic.throttled import Limit, Throttled
from singletable.engine.traffic.token_bucket import TokenBucket
from singletable.engine.traffic.use import TABLE, Use
from singletable.values.limits import PARTITION_READ_UNITS_PER_SECOND_MAX, PARTITION_WRITE_UNITS_PER_SECOND_MAX

# The service keeps what is not used for five minutes.
BURST_SECONDS = 300.0
# A partition has its limit every second, and saves nothing.
PARTITION_BURST_SECONDS = 1.0
PARTITIONS_KEPT_MIN = 10_000

Side = tuple[str, bool]  # a table (nothing) or an index, and whether it is written


class CapacityLimits:
    """What was bought for a table and its global indexes, or the most that they are to be paid for."""

    def __init__(self, definition: TableDefinition, now: float) -> None:
        self._buckets: dict[Side, TokenBucket] = {}
        # What nobody used before this process came is there to be used, as if it had been here all the time.
        self._saved_seconds = max(1.0, now - definition.created_at)
        self.follow(definition, now)

    def follow(self, definition: TableDefinition, now: float) -> None:
        """Takes over other units."""
        rates = {side: rate for side, rate in _rates(definition) if rate is not None}
        for side in self._buckets.keys() - rates.keys():
            del self._buckets[side]
        for side, rate in rates.items():
            bucket = self._buckets.get(side)
            if bucket is None:
                self._buckets[side] = TokenBucket(rate, BURST_SECONDS, now, saved_seconds=self._saved_seconds)
            else:
                bucket.set_rate(rate, now)
        self._saved_seconds = 1.0

    def has_room(self, use: Use, now: float) -> bool:
        """Whether the use is let through."""
        bucket = self._buckets.get((use.place, use.is_write))
        return bucket is None or bucket.has_some(now)

    def take(self, use: Use, now: float) -> None:
        """Takes its units."""
        bucket = self._buckets.get((use.place, use.is_write))
        if bucket is not None:
            bucket.take(use.units, now)


def _rates(definition: TableDefinition) -> Iterator[tuple[Side, float | None]]:
    is_provisioned = definition.billing_mode == "PROVISIONED"
    places: list[tuple[str, TableDefinition | IndexDefinition]] = [(TABLE, definition)]
    places += [(index.name, index) for index in definition.indexes if not index.is_local]
    for name, place in places:
        bought, ceiling = place.throughput, place.on_demand
        if is_provisioned:
            yield (name, False), None if bought is None else bought.read_units
            yield (name, True), None if bought is None else bought.write_units
        else:
            yield (name, False), None if ceiling is None else ceiling.read_units_max
            yield (name, True), None if ceiling is None else ceiling.write_units_max


class PartitionLimits:
    """What one partition key value can serve in a second, whatever was bought."""

    def __init__(self, kept_min: int = PARTITIONS_KEPT_MIN) -> None:
        self._buckets: dict[tuple[str, bool, bytes], TokenBucket] = {}
        self._kept_max = self._kept_min = kept_min

    def has_room(self, use: Use, now: float) -> bool:
        """Whether the use is let through."""
        if use.partition is None:
            return True
        bucket = self._buckets.get((use.place, use.is_write, use.partition))
        return bucket is None or bucket.has_some(now)

    def take(self, use: Use, now: float) -> None:
        """Takes its units."""
        if use.partition is None:
            return
        key = (use.place, use.is_write, use.partition)
        bucket = self._buckets.get(key)
        if bucket is None:
            if len(self._buckets) >= self._kept_max:
                self._forget_idle(now)
            rate = PARTITION_WRITE_UNITS_PER_SECOND_MAX if use.is_write else PARTITION_READ_UNITS_PER_SECOND_MAX
            bucket = self._buckets[key] = TokenBucket(rate, PARTITION_BURST_SECONDS, now)
        bucket.take(use.units, now)

    def _forget_idle(self, now: float) -> None:
        """A partition that was let alone for a second is as good as new; the next look waits for twice as many."""
        self._buckets = {key: bucket for key, bucket in self._buckets.items() if not bucket.is_full(now)}
        self._kept_max = max(self._kept_min, 2 * len(self._buckets))

    def __len__(self) -> int:
        return len(self._buckets)


def throttled(limit: Limit, use: Use, definition: TableDefinition, arn: Callable[[str], str]) -> Throttled:
    """The refusal of a use."""
    is_index = use.place != TABLE
    resource = arn(definition.name)
    return Throttled(
        limit,
        f"{resource}/index/{use.place}" if is_index else resource,
        is_index=is_index,
        is_write=use.is_write,
        is_provisioned=definition.billing_mode == "PROVISIONED",
    )
