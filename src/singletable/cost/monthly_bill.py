"""The monthly bill: on-demand requests, provisioned capacity, and storage with index overhead."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from singletable.cost.call_costs import CallCost
from singletable.cost.prices import Prices
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.table_schema import TABLE
from singletable.planner.item_sizes import ItemSizes
from singletable.values.limits import STORAGE_OVERHEAD_BYTES

UTILISATION = 0.7
"""The target utilisation of provisioned capacity. It is also the default of auto scaling."""


@dataclass(frozen=True)
class UnitsPerSecond:
    """Units per second of the table (with its local secondary indexes) and of each global secondary index."""

    reads: Mapping[str, float]
    writes: Mapping[str, float]
    guessed_reads: frozenset[str] = frozenset()
    """The labels (`table` or index) for which the read units depend on a guess."""
    guessed_writes: frozenset[str] = frozenset()
    """The labels (`table` or index) for which the write units depend on a guess."""

    @property
    def read_units(self) -> float:
        """Total read units per second."""
        return sum(self.reads.values())

    @property
    def write_units(self) -> float:
        """Total write units per second."""
        return sum(self.writes.values())


@dataclass(frozen=True)
class ProvisionedCapacity:
    """The capacity that the table or one global secondary index needs."""

    place: str
    read_units: int
    write_units: int
    dollars: float


@dataclass(frozen=True)
class EntityStorage:
    """Storage of an entity: items, index entries, and 100 bytes of overhead for each of them."""

    entity: str
    item_bytes: int
    entry_bytes: float
    """The bytes of the index entries and unique markers of one item."""
    overhead_bytes: float
    items: float | None
    """The number of items. None if it is unknown."""
    grows_by: float
    """New items per month, computed from the declared rates of put and create patterns."""
    guesses_item: bool = False
    """Whether the item size is a guess."""
    guesses_entry_bytes: bool = False
    """Whether the size of index entries is a guess."""
    guesses_entries: bool = False
    """Whether the number of index entries is a guess."""
    guesses_growth: bool = False
    """Whether the growth is a guess."""

    @property
    def bytes_per_item(self) -> float:
        """Total bytes per item."""
        return self.item_bytes + self.entry_bytes + self.overhead_bytes

    @property
    def is_guessed(self) -> bool:
        """Whether the total bytes per item depend on a guess."""
        return self.guesses_item or self.guesses_entry_bytes or self.guesses_entries

    @property
    def stored_bytes(self) -> float | None:
        """Total bytes of all items."""
        return None if self.items is None else self.items * self.bytes_per_item


def units_per_second(design: Design, calls: Iterable[CallCost]) -> UnitsPerSecond:
    """Return the total units per second of all patterns at their declared rates."""
    reads: dict[str, float] = {}
    writes: dict[str, float] = {}
    guessed_reads: set[str] = set()
    guessed_writes: set[str] = set()
    local = {index.label for index in design.indexes.values() if index.kind == "LSI"}
    for call in calls:
        rate, cost = call.calls_per_second, call.estimate
        if rate is None:
            continue
        into, guessed = (reads, guessed_reads) if cost.kind == "read" else (writes, guessed_writes)
        for label, units in cost.by_index.items():
            place = "table" if label in local else label
            into[place] = into.get(place, 0.0) + rate * units
            if units and (call.rate_guess is not None or label in cost.guessed_places):
                guessed.add(place)
        for label, units in cost.reads_by_index.items():
            place = "table" if label in local else label
            reads[place] = reads.get(place, 0.0) + rate * units
            if call.rate_guess is not None or label in cost.guessed_reads:
                guessed_reads.add(place)
    return UnitsPerSecond(reads, writes, frozenset(guessed_reads), frozenset(guessed_writes))


def provisioned(
    design: Design, traffic: UnitsPerSecond, prices: Prices, table_class: str
) -> tuple[ProvisionedCapacity, ...]:
    """Return the capacity for steady traffic of the table and each global secondary index, at least one unit each."""
    places = ["table", *(index.label for index in design.indexes.values() if index.kind == "GSI")]
    found = []
    for place in places:
        needed = (by.get(place, 0.0) / UTILISATION for by in (traffic.reads, traffic.writes))
        reads, writes = (max(1, math.ceil(round(each, 6))) for each in needed)
        found.append(ProvisionedCapacity(place, reads, writes, prices.capacity(table_class, reads, writes)))
    return tuple(found)


def storage_of(
    design: Design,
    sizes: ItemSizes,
    calls: Sequence[CallCost],
    prices: Prices,
    counts: Mapping[str, float],
    scale: float = 1.0,
) -> tuple[EntityStorage, ...]:
    """Return the storage of each entity. `counts` override the declared numbers of items."""
    return tuple(
        _storage(entity, sizes, _puts(entity, calls), prices, counts.get(entity.label), scale)
        for entity in design.entities
    )


def _storage(
    entity: Entity, sizes: ItemSizes, puts: Sequence[CallCost], prices: Prices, count: float | None, scale: float
) -> EntityStorage:
    shares = [(sizes.share(entity, alias), alias) for alias in entity.placements if alias != TABLE]
    markers = [sizes.marker(unique, entity) for unique in entity.uniques]
    entry_bytes = sum(share * sizes.entry(entity, alias) for share, alias in shares) + sum(markers)
    overhead = STORAGE_OVERHEAD_BYTES * (1 + sum(share for share, _ in shares) + len(markers))
    expected = count if count is not None else entity.declaration.expected_items
    items = None if expected is None else expected * scale
    return EntityStorage(
        entity.label,
        sizes.item(entity),
        entry_bytes,
        overhead,
        items,
        sum((call.calls_per_second or 0.0) * prices.month_seconds for call in puts),
        guesses_item=bool(sizes.guessed(entity)),
        guesses_entry_bytes=any(share and sizes.guessed_entry(entity, alias) for share, alias in shares),
        guesses_entries=any(sizes.guessed_share(entity, alias) for _, alias in shares),
        guesses_growth=any(call.rate_guess is not None for call in puts),
    )


def _puts(entity: Entity, calls: Sequence[CallCost]) -> list[CallCost]:
    """Return the patterns that create items of an entity."""
    return [call for call in calls if call.plan.operation == "PutItem" and call.plan.entities[0] is entity]
