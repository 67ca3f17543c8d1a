"""A month's bill: requests on demand, capacity that is provisioned, and storage with the overhead of indexes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from singletable.cost.calls import CallCost
from singletable.cost.prices import Prices
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.index import TABLE
from singletable.planner.item_sizes import Sizes
from singletable.values.limits import STORAGE_OVERHEAD_BYTES

UTILISATION = 0.7
"""Which part of the provisioned capacity is meant to be used, as auto scaling does unless it is told otherwise."""


@dataclass(frozen=True)
class Traffic:
    """Units a second, by what consumes them: the table with its local indexes, and each global index."""

    reads: Mapping[str, float]
    writes: Mapping[str, float]
    guessed_reads: frozenset[str] = frozenset()
    """Where the read units rest on a guess, of a rate, a size or a number of items."""
    guessed_writes: frozenset[str] = frozenset()
    """Where the write units do."""

    @property
    def read_units(self) -> float:
        """Read units a second, all together."""
        return sum(self.reads.values())

    @property
    def write_units(self) -> float:
        """Write units a second, all together."""
        return sum(self.writes.values())


@dataclass(frozen=True)
class Provisioned:
    """The capacity that one table or global index needs."""

    place: str
    read_units: int
    write_units: int
    dollars: float


@dataclass(frozen=True)
class Storage:
    """What the items of an entity take: themselves, their index entries, and 100 bytes for each of both."""

    entity: str
    item_bytes: int
    beside_bytes: float
    """Its index entries, and the markers of what is unique in it."""
    overhead_bytes: float
    items: float | None
    """How many there are; None where nobody says."""
    grows_by: float
    """Items that are written anew in a month, by the rates of declared puts and creates."""
    guesses_item: bool = False
    """Whether the size of an item is a guess."""
    guesses_beside: bool = False
    """Whether that of its index entries is."""
    guesses_entries: bool = False
    """Whether it is one how many of its items have an entry in each index."""
    guesses_growth: bool = False
    """Whether some rate of its puts and creates is."""

    @property
    def bytes_per_item(self) -> float:
        """What one item takes, everything included."""
        return self.item_bytes + self.beside_bytes + self.overhead_bytes

    @property
    def is_guessed(self) -> bool:
        """Whether what one item takes rests on a guess."""
        return self.guesses_item or self.guesses_beside or self.guesses_entries

    @property
    def stored_bytes(self) -> float | None:
        """What all of them take."""
        return None if self.items is None else self.items * self.bytes_per_item


def traffic_of(design: Design, calls: Iterable[CallCost]) -> Traffic:
    """What all patterns ask for together, at their rates."""
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
    return Traffic(reads, writes, frozenset(guessed_reads), frozenset(guessed_writes))


def provisioned(design: Design, traffic: Traffic, prices: Prices, table_class: str) -> tuple[Provisioned, ...]:
    """The capacity for steady traffic; a table and each global index have their own, at least one unit of each."""
    places = ["table", *(index.label for index in design.indexes.values() if index.kind == "GSI")]
    found = []
    for place in places:
        needed = (by.get(place, 0.0) / UTILISATION for by in (traffic.reads, traffic.writes))
        reads, writes = (max(1, math.ceil(round(each, 6))) for each in needed)
        found.append(Provisioned(place, reads, writes, prices.capacity(table_class, reads, writes)))
    return tuple(found)


def storage_of(
    design: Design,
    sizes: Sizes,
    calls: Sequence[CallCost],
    prices: Prices,
    counts: Mapping[str, float],
    scale: float = 1.0,
) -> tuple[Storage, ...]:
    """What each entity stores; `counts` go before the numbers that the model declares."""
    return tuple(
        _storage(entity, sizes, _puts(entity, calls), prices, counts.get(entity.label), scale)
        for entity in design.entities
    )


def _storage(
    entity: Entity, sizes: Sizes, puts: Sequence[CallCost], prices: Prices, count: float | None, scale: float
) -> Storage:
    shares = [(sizes.share(entity, alias), alias) for alias in entity.placements if alias != TABLE]
    markers = [sizes.marker(unique, entity) for unique in entity.uniques]
    beside = sum(share * sizes.entry(entity, alias) for share, alias in shares) + sum(markers)
    overhead = STORAGE_OVERHEAD_BYTES * (1 + sum(share for share, _ in shares) + len(markers))
    expected = count if count is not None else entity.declaration.expected_items
    items = None if expected is None else expected * scale
    return Storage(
        entity.label,
        sizes.item(entity),
        beside,
        overhead,
        items,
        sum((call.calls_per_second or 0.0) * prices.month_seconds for call in puts),
        guesses_item=bool(sizes.guessed(entity)),
        guesses_beside=any(share and sizes.guessed_entry(entity, alias) for share, alias in shares),
        guesses_entries=any(sizes.guessed_share(entity, alias) for _, alias in shares),
        guesses_growth=any(call.rate_guess is not None for call in puts),
    )


def _puts(entity: Entity, calls: Sequence[CallCost]) -> list[CallCost]:
    """The patterns that make new items of an entity."""
    return [call for call in calls if call.plan.operation == "PutItem" and call.plan.wanted[0] is entity]
