"""The keys of one table or index that are used and throttled most, counted while Contributor Insights is enabled."""

from __future__ import annotations

from typing import NamedTuple

from singletable.engine.definition import ContributorInsights, IndexDefinition, TableDefinition
from singletable.engine.table import Item
from singletable.engine.traffic.top_keys import Contributor, TopKeys
from singletable.engine.traffic.use import Use


class MostUsed(NamedTuple):
    """Partition keys, and whole keys where there is a sort key, the most used first."""

    partition_keys: list[Contributor]
    keys: list[Contributor]


class Contributors:
    """Counts the keys of one place: by the units that they consume, and by how often they are throttled."""

    def __init__(self, place: TableDefinition | IndexDefinition, insights: ContributorInsights) -> None:
        self.enabled_at = insights.enabled_at
        names = [attribute.name for attribute in place.key_attributes]
        partitions = place.partition if isinstance(place, IndexDefinition) else (place.partition,)
        self._key_names = names
        self._partition_names = names[: len(partitions)]
        self._has_sort = len(names) > len(partitions)
        self._counts_accesses = insights.mode == "ACCESSED_AND_THROTTLED_KEYS"
        self._accessed = TopKeys(), TopKeys()
        self._throttled = TopKeys(), TopKeys()

    def follow(self, insights: ContributorInsights) -> None:
        """Takes over another mode; what was counted stays."""
        self._counts_accesses = insights.mode == "ACCESSED_AND_THROTTLED_KEYS"

    def accessed(self, use: Use) -> None:
        """Counts what a use consumed."""
        if self._counts_accesses:
            self._add(self._accessed, use, use.units)

    def throttled(self, use: Use) -> None:
        """Counts a use that was not let through."""
        self._add(self._throttled, use, 1)

    def most_accessed(self, count: int) -> MostUsed:
        """The keys that consumed most, in units."""
        return self._most(self._accessed, count)

    def most_throttled(self, count: int) -> MostUsed:
        """The keys that were throttled most, in times."""
        return self._most(self._throttled, count)

    def _add(self, sums: tuple[TopKeys, TopKeys], use: Use, amount: float) -> None:
        if use.partition is None:
            return
        partitions, keys = sums
        partitions.add(use.partition, amount, lambda: _named(use.item, self._partition_names))
        if self._has_sort and use.key is not None:
            keys.add(use.key, amount, lambda: _named(use.item, self._key_names))

    def _most(self, sums: tuple[TopKeys, TopKeys], count: int) -> MostUsed:
        return MostUsed(*(each.largest(count) for each in sums))


def _named(item: Item, names: list[str]) -> Item:
    return {name: item[name] for name in names if name in item}
