"""Contributor Insights: the most accessed and most throttled keys of one table or index (space-saving algorithm)."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import NamedTuple

from singletable.engine.tables.stored_table import Item
from singletable.engine.tables.table_definition import ContributorInsights, IndexDefinition, TableDefinition
from singletable.engine.traffic.capacity_use import CapacityUse


class Contributor(NamedTuple):
    """A key and its estimated amount. The estimate is never too small, and too large by at most `excess`."""

    key: Item
    amount: float
    excess: float = 0.0


class _Counter:
    __slots__ = ("amount", "excess", "label")

    def __init__(self, label: Item, amount: float, excess: float) -> None:
        self.label = label
        self.amount = amount
        self.excess = excess


class TopKeys:
    """Estimates which keys have the largest amounts, with a fixed number of counters.

    When all `size` counters are in use, a new key replaces the key with the smallest amount and adds to that amount.
    Every key with more than 1/`size` of the total is guaranteed to be included.
    """

    def __init__(self, size: int = 1000) -> None:
        self._size = size
        self._counters: dict[bytes, _Counter] = {}
        # A heap to find the smallest amount. Amounts only increase, so an outdated entry is too small. It is corrected
        # when it reaches the top.
        self._smallest: list[tuple[float, bytes]] = []

    def add(self, key: bytes, amount: float, label: Callable[[], Item]) -> None:
        """Increase the amount of a key by `amount`. `label` is called only for a new key."""
        counter = self._counters.get(key)
        if counter is not None:
            counter.amount += amount
            return
        excess = self._make_room() if len(self._counters) == self._size else 0.0
        self._counters[key] = _Counter(label(), excess + amount, excess)
        heapq.heappush(self._smallest, (excess + amount, key))

    def _make_room(self) -> float:
        """Remove the key with the smallest amount. Return this amount."""
        while True:
            amount, key = self._smallest[0]
            now = self._counters[key].amount
            if now == amount:
                heapq.heappop(self._smallest)
                del self._counters[key]
                return amount
            heapq.heapreplace(self._smallest, (now, key))

    def largest(self, count: int) -> list[Contributor]:
        """Return the keys with the largest amounts, largest first."""
        found = heapq.nlargest(count, self._counters.values(), key=lambda counter: counter.amount)
        return [Contributor(counter.label, counter.amount, counter.excess) for counter in found]


class MostUsedKeys(NamedTuple):
    """The most used partition keys and, if there is a sort key, the most used complete keys, in descending order."""

    partition_keys: list[Contributor]
    keys: list[Contributor]


class Contributors:
    """Counts the keys of one table or index: the units they consume, and how often they are throttled."""

    def __init__(self, definition: TableDefinition | IndexDefinition, insights: ContributorInsights) -> None:
        self.enabled_at = insights.enabled_at
        names = [attribute.name for attribute in definition.key_attributes]
        partitions = definition.partition if isinstance(definition, IndexDefinition) else (definition.partition,)
        self._key_names = names
        self._partition_names = names[: len(partitions)]
        self._has_sort = len(names) > len(partitions)
        self._counts_accesses = insights.mode == "ACCESSED_AND_THROTTLED_KEYS"
        self._accessed = TopKeys(), TopKeys()
        self._throttled = TopKeys(), TopKeys()

    def update(self, insights: ContributorInsights) -> None:
        """Apply a changed mode without resetting the counts."""
        self._counts_accesses = insights.mode == "ACCESSED_AND_THROTTLED_KEYS"

    def count_access(self, use: CapacityUse) -> None:
        """Add the units that a request consumed to the amount of its key."""
        if self._counts_accesses:
            self._add(self._accessed, use, use.units)

    def count_throttled(self, use: CapacityUse) -> None:
        """Count a throttled request for its key."""
        self._add(self._throttled, use, 1)

    def most_accessed(self, count: int) -> MostUsedKeys:
        """Return the keys that consumed the most units."""
        return self._most(self._accessed, count)

    def most_throttled(self, count: int) -> MostUsedKeys:
        """Return the keys that were throttled most often."""
        return self._most(self._throttled, count)

    def _add(self, sums: tuple[TopKeys, TopKeys], use: CapacityUse, amount: float) -> None:
        if use.partition is None:
            return
        partitions, keys = sums
        partitions.add(use.partition, amount, lambda: _attributes(use.item, self._partition_names))
        if self._has_sort and use.key is not None:
            keys.add(use.key, amount, lambda: _attributes(use.item, self._key_names))

    def _most(self, sums: tuple[TopKeys, TopKeys], count: int) -> MostUsedKeys:
        return MostUsedKeys(*(each.largest(count) for each in sums))


def _attributes(item: Item, names: list[str]) -> Item:
    return {name: item[name] for name in names if name in item}
