"""Table traffic: enforces throughput limits and counts the accesses to each key, if these features are enabled."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

from singletable.engine.items.consumed_capacity import ConsumedUnits
from singletable.engine.tables.stored_table import Image, Item, StoredIndex, StoredTable
from singletable.engine.tables.table_definition import ContributorInsights, IndexDefinition, TableDefinition
from singletable.engine.traffic.capacity_use import TABLE, CapacityUse, read_of_item, read_of_page, uses_of_write
from singletable.engine.traffic.contributor_insights import Contributors, MostUsedKeys
from singletable.engine.traffic.throttling import ThrottledRequest
from singletable.engine.traffic.throughput_limits import CapacityLimits, PartitionLimits, throttling_error
from singletable.values.item_size import read_units


class TableTraffic:
    """Throttles the reads and writes of one table, and counts how often each key is accessed or throttled.

    This class is thread-safe.
    """

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
        self._update_insights(definition)

    def update(self, definition: TableDefinition) -> None:
        """Apply a changed table definition."""
        with self._lock:
            self._definition = definition
            if self._capacity is not None:
                self._capacity.update(definition, self._now())
            self._update_insights(definition)

    def _update_insights(self, definition: TableDefinition) -> None:
        before, self._contributors = self._contributors, {}
        for name, counted, insights in counted_definitions(definition):
            contributors = before.get(name)
            if contributors is None or contributors.enabled_at != insights.enabled_at:
                contributors = Contributors(counted, insights)
            contributors.update(insights)
            self._contributors[name] = contributors

    def most_used(self, index: str | None, count: int, *, throttled: bool) -> MostUsedKeys | None:
        """Return the most accessed or throttled keys of the table or an index, or None if keys are not counted."""
        with self._lock:
            contributors = self._contributors.get(index or TABLE)
            if contributors is None:
                return None
            return (contributors.most_throttled if throttled else contributors.most_accessed)(count)

    def read_item(self, key: bytes, item: Item, size: int, factor: float) -> None:
        """Count the read of an item of this size. Raise ThrottledRequest if the read is throttled."""
        self._consume(read_of_item(key, item, read_units(size, factor)))

    def read_page(self, index: StoredIndex | None, units: ConsumedUnits, low: bytes, values: Item | None) -> None:
        """Count the read of a page. Raise ThrottledRequest if the read is throttled."""
        self._consume(read_of_page(index, units, low, values))

    def write(
        self, table: StoredTable, key: bytes, before: Image | None, after: Image | None, named: Item, factor: int
    ) -> None:
        """Count a write before it is performed. Raise ThrottledRequest if the write is throttled."""
        self._consume(uses_of_write(table, key, before, after, named, factor))

    def _consume(self, uses: Sequence[CapacityUse]) -> None:
        """Consume the capacity of a request on the table and on all indexes, or on none of them.

        If one index throttles a write, DynamoDB does not perform the write on the table either.
        """
        now = self._now()
        with self._lock:
            for use in uses:
                error = self._throttling_error(use, now)
                if error is not None:
                    self._count(use, is_throttled=True)
                    raise error
            for use in uses:
                for limits in (self._capacity, self._partitions):
                    if limits is not None:
                        limits.take(use, now)
                self._count(use, is_throttled=False)

    def _throttling_error(self, use: CapacityUse, now: float) -> ThrottledRequest | None:
        if self._capacity is not None and not self._capacity.allows(use, now):
            if self._definition.billing_mode == "PROVISIONED":
                return throttling_error("ProvisionedThroughputExceeded", use, self._definition, self._arn)
            return throttling_error("MaxOnDemandThroughputExceeded", use, self._definition, self._arn)
        if self._partitions is not None and not self._partitions.allows(use, now):
            return throttling_error("KeyRangeThroughputExceeded", use, self._definition, self._arn)
        return None

    def _count(self, use: CapacityUse, *, is_throttled: bool) -> None:
        contributors = self._contributors.get(use.resource)
        if contributors is not None:
            (contributors.count_throttled if is_throttled else contributors.count_access)(use)


CountedDefinition = TableDefinition | IndexDefinition


def counted_definitions(definition: TableDefinition) -> Iterator[tuple[str, CountedDefinition, ContributorInsights]]:
    """Yield the table and its global indexes, if Contributor Insights is enabled for them."""
    indexes = ((index.name, index) for index in definition.indexes)
    candidates: Iterable[tuple[str, CountedDefinition]] = ((TABLE, definition), *indexes)
    for name, counted in candidates:
        if counted.insights is not None and counted.insights.is_enabled:
            yield name, counted, counted.insights


class Traffic:
    """The throughput limits and key counts of all tables of an engine, by table identifier."""

    def __init__(
        self,
        now: Callable[[], float],
        arn: Callable[[str], str],
        *,
        enforces_capacity: bool = False,
        enforces_partitions: bool = False,
    ) -> None:
        self._now = now
        self._arn = arn
        self._enforces_capacity = enforces_capacity
        self._enforces_partitions = enforces_partitions
        self._tables: dict[str, TableTraffic] = {}
        self._lock = threading.Lock()

    def of(self, definition: TableDefinition) -> TableTraffic | None:
        """Return the throughput limits and key counts of a table that was opened or changed.

        Return None if the table has no enforced limits and no counted keys.
        """
        is_needed = self._enforces_capacity or self._enforces_partitions or any(counted_definitions(definition))
        with self._lock:
            if not is_needed:
                self._tables.pop(definition.identifier, None)
                return None
            traffic = self._tables.get(definition.identifier)
            if traffic is None:
                traffic = self._tables[definition.identifier] = self._create(definition)
            else:
                traffic.update(definition)
            return traffic

    def _create(self, definition: TableDefinition) -> TableTraffic:
        return TableTraffic(
            definition,
            self._now,
            self._arn,
            enforces_capacity=self._enforces_capacity,
            enforces_partitions=self._enforces_partitions,
        )

    def keep_only(self, identifiers: set[str]) -> None:
        """Remove every table that is not in this set, because it was deleted."""
        with self._lock:
            for identifier in self._tables.keys() - identifiers:
                del self._tables[identifier]
