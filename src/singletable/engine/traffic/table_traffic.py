"""The traffic of one table: every read and write passes here, when there is a limit to it or its keys are counted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

from singletable.engine.capacity import Consumed
from singletable.engine.definition import ContributorInsights, IndexDefinition, TableDefinition
from singletable.engine.table import Image, Item, OpenIndex, OpenTable
from singletable.engine.traffic.contributors import Contributors, MostUsed
from singletable.engine.traffic.limits import CapacityLimits, PartitionLimits, throttled
from singletable.engine.traffic.throttled import Throttled
from singletable.engine.traffic.use import TABLE, Use, read_of_item, read_of_page, uses_of_write
from singletable.values.capacity_units import read_units


class TableTraffic:
    """Lets uses through or refuses them, and counts their keys; several threads may use it."""

    def __init__(
        self,
        definition: TableDefinition,
        now: Callable[[], float],
        arn: Callable[[str], str],
        *,
        enforces_capacity: bool,
        enforces_partitions: bool,
    ) -> None:
        self._definition = definition
        self._now = now
        self._arn = arn
        self._lock = threading.Lock()
        self._capacity = CapacityLimits(definition, now()) if enforces_capacity else None
        self._partitions = PartitionLimits() if enforces_partitions else None
        self._contributors: dict[str, Contributors] = {}
        self._follow_insights(definition)

    def follow(self, definition: TableDefinition) -> None:
        """Takes over a changed definition."""
        with self._lock:
            self._definition = definition
            if self._capacity is not None:
                self._capacity.follow(definition, self._now())
            self._follow_insights(definition)

    def _follow_insights(self, definition: TableDefinition) -> None:
        had, self._contributors = self._contributors, {}
        for name, place, insights in counted_places(definition):
            kept = had.get(name)
            if kept is None or kept.enabled_at != insights.enabled_at:
                kept = Contributors(place, insights)
            kept.follow(insights)
            self._contributors[name] = kept

    def most_used(self, index: str | None, count: int, *, throttled: bool) -> MostUsed | None:
        """The keys of the table or of an index that were used most, or throttled most; None when nobody counts them."""
        with self._lock:
            contributors = self._contributors.get(index or TABLE)
            if contributors is None:
                return None
            return (contributors.most_throttled if throttled else contributors.most_accessed)(count)

    def read_item(self, key: bytes, item: Item, size: int, factor: float) -> None:
        """One item was read, of that size; raises Throttled, and then it is as if it was not."""
        self._pass(read_of_item(key, item, read_units(size, factor)))

    def read_page(self, index: OpenIndex | None, units: Consumed, low: bytes, values: Item | None) -> None:
        """A page was read; raises Throttled, and then it is as if it was not."""
        self._pass(read_of_page(index, units, low, values))

    def write(
        self, table: OpenTable, key: bytes, before: Image | None, after: Image | None, named: Item, factor: int
    ) -> None:
        """An item is about to be written; raises Throttled, and then it must not be."""
        self._pass(uses_of_write(table, key, before, after, named, factor))

    def _pass(self, uses: Sequence[Use]) -> None:
        """All of the uses, or none: a full index holds back the write to its table."""
        now = self._now()
        with self._lock:
            for use in uses:
                refusal = self._refusal(use, now)
                if refusal is not None:
                    self._count(use, is_throttled=True)
                    raise refusal
            for use in uses:
                for limits in (self._capacity, self._partitions):
                    if limits is not None:
                        limits.take(use, now)
                self._count(use, is_throttled=False)

    def _refusal(self, use: Use, now: float) -> Throttled | None:
        if self._capacity is not None and not self._capacity.has_room(use, now):
            if self._definition.billing_mode == "PROVISIONED":
                return throttled("ProvisionedThroughputExceeded", use, self._definition, self._arn)
            return throttled("MaxOnDemandThroughputExceeded", use, self._definition, self._arn)
        if self._partitions is not None and not self._partitions.has_room(use, now):
            return throttled("KeyRangeThroughputExceeded", use, self._definition, self._arn)
        return None

    def _count(self, use: Use, *, is_throttled: bool) -> None:
        contributors = self._contributors.get(use.place)
        if contributors is not None:
            (contributors.throttled if is_throttled else contributors.accessed)(use)


Place = TableDefinition | IndexDefinition


def counted_places(definition: TableDefinition) -> Iterator[tuple[str, Place, ContributorInsights]]:
    """The table and its global indexes, as far as their keys are counted."""
    places: Iterable[tuple[str, Place]] = ((TABLE, definition), *((index.name, index) for index in definition.indexes))
    for name, place in places:
        if place.insights is not None and place.insights.is_enabled:
            yield name, place, place.insights
