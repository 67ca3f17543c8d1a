"""The hottest partitions of the table and each index, and the units per second of every pattern on them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod

from singletable.cost.call_costs import CallCost
from singletable.heat.partition_shares import PartitionShare, grows_at_one_end, is_single, share_of, spread_values
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import WriteKind
from singletable.model.keys import Placement
from singletable.model.table_schema import Index
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.items_read import constant_fields
from singletable.planner.plan import Plan
from singletable.planner.planner import plan_copies_query
from singletable.planner.write_effects import DerivedItem
from singletable.planner.write_units import (
    WriteDescription,
    copy_read_units,
    derived_items,
    units_of_item,
    write_of_plan,
)
from singletable.values.item_size import TRANSACTION_WRITE_FACTOR
from singletable.values.limits import PARTITION_READ_UNITS_PER_SECOND_MAX, PARTITION_WRITE_UNITS_PER_SECOND_MAX

SINGLE_ITEM = "it is a single item"
"""The reason why neither a split of the partition nor sharding helps."""
LARGE_CALL = 0.1
"""A call is a burst if it consumes more than this share of the capacity of a partition in one second."""


@dataclass(frozen=True)
class Demand:
    """Read and write units per second."""

    reads: float = 0.0
    writes: float = 0.0

    @property
    def partitions(self) -> float:
        """The combined demand as a number of partitions. 1 is the full capacity of one partition."""
        return self.reads / PARTITION_READ_UNITS_PER_SECOND_MAX + self.writes / PARTITION_WRITE_UNITS_PER_SECOND_MAX

    def times(self, factor: float) -> Demand:
        """Return the demand multiplied by a factor."""
        return Demand(self.reads * factor, self.writes * factor)

    def __add__(self, other: Demand) -> Demand:
        return Demand(self.reads + other.reads, self.writes + other.writes)


@dataclass(frozen=True)
class PartitionLoad:
    """The demand of one pattern on the hottest partition."""

    pattern: str
    entity: Entity
    demand: Demand
    share: PartitionShare
    """The share of the pattern's units that falls on the partition."""
    at_once: Demand = Demand()
    """The demand of a single call on one partition."""
    is_guessed: bool = False
    """Whether the rate, the units per call or the distribution over partitions is a guess."""
    finds_copies: bool = False
    """Whether this load comes from the query that a write runs to find the copies that it must update."""

    @property
    def is_burst(self) -> bool:
        """Whether a single call is so large that the simulation treats it as a burst, not as steady traffic."""
        return self.at_once.partitions > LARGE_CALL

    @property
    def calls_per_second(self) -> float:
        """The number of calls per second that reach the partition."""
        return self.demand.partitions / self.at_once.partitions if self.at_once.partitions else 0.0


@dataclass(frozen=True)
class HotPartition:
    """The hottest partition of one key template in the table or an index, at the current rates."""

    index: Index
    template: str
    loads: tuple[PartitionLoad, ...]
    unsplittable_reason: str
    """Why DynamoDB cannot split the hot partition. Empty if it can."""

    @property
    def demand(self) -> Demand:
        """The total demand of all patterns."""
        return sum((load.demand for load in self.loads), Demand())

    @property
    def steady(self) -> Demand:
        """The demand of all patterns whose calls are not bursts."""
        return sum((load.demand for load in self.loads if not load.is_burst), Demand())

    @property
    def bursts(self) -> tuple[PartitionLoad, ...]:
        """The loads of the patterns whose calls are bursts."""
        return tuple(load for load in self.loads if load.is_burst)

    @property
    def hot_fields(self) -> tuple[str, ...]:
        """The fields whose most frequent value makes the partition hot."""
        return tuple(dict.fromkeys(name for load in self.loads for name in load.share.hot_fields))

    @property
    def guessed(self) -> tuple[str, ...]:
        """The guesses in the demand."""
        return tuple(dict.fromkeys(guess for load in self.loads for guess in load.share.guessed))

    @property
    def guesses_reads(self) -> bool:
        """Whether the read units depend on a guess."""
        return any(load.is_guessed for load in self.loads if load.demand.reads)

    @property
    def guesses_writes(self) -> bool:
        """Whether the write units depend on a guess."""
        return any(load.is_guessed for load in self.loads if load.demand.writes)

    @property
    def spoken(self) -> str:
        """The key template, the table or index, and the hot fields, as text."""
        whose = f", for the most frequent {' and '.join(self.hot_fields)}" if self.hot_fields else ""
        return f'"{self.template}" of {self.index.display_name}{whose}'


def hot_partitions(design: Design, calls: Iterable[CallCost]) -> tuple[HotPartition, ...]:
    """Return the hottest partition of every key template with traffic, hottest first."""
    found: dict[tuple[str, str], list[tuple[Placement, PartitionLoad]]] = {}
    sizes = ItemSizes(design)
    for call in calls:
        for placement, load in _loads(sizes, call):
            form = "/".join(re.sub(r"\{[^{}]*\}", "{}", str(part)) for part in placement.partition)
            found.setdefault((placement.index.alias, form), []).append((placement, load))
    made = [_hot(design, loads) for loads in found.values()]
    return tuple(sorted(made, key=lambda each: -each.demand.partitions))


def _hot(design: Design, found: list[tuple[Placement, PartitionLoad]]) -> HotPartition:
    # Show the template of the entity with the highest demand.
    placement, _ = max(found, key=lambda pair: pair[1].demand.partitions)
    template = " / ".join(str(part) for part in placement.partition)
    return HotPartition(
        placement.index, template, tuple(load for _, load in found), _unsplittable_reason(design, found)
    )


def _unsplittable_reason(design: Design, found: list[tuple[Placement, PartitionLoad]]) -> str:
    index = found[0][0].index
    if index.is_table and any(each.kind == "LSI" for each in design.indexes.values()):
        return "DynamoDB does not split item collections of a table with a local secondary index"
    writers = [(placement, load) for placement, load in found if load.demand.writes]
    growing = [load.entity.label for placement, load in writers if grows_at_one_end(load.entity, placement)]
    if growing:
        return f"new items of {growing[0]} always sort last, so after a split one half would still get all writes"
    if all(is_single(placement) for placement, _ in found):
        return SINGLE_ITEM
    return ""


def _loads(sizes: ItemSizes, call: CallCost) -> Iterator[tuple[Placement, PartitionLoad]]:
    rate, plan, cost = call.calls_per_second or 0.0, call.plan, call.estimate
    if not rate:
        return
    derived = tuple(derived_writes_of(sizes, call))
    for written, by_index, copies in ((plan.entities[0], _own(call), None), *derived):
        for placement, units in _placed(written, by_index):
            of = _writes if plan.pattern.is_write else _reads
            fixed = frozenset[str]() if plan.pattern.is_write else constant_fields(plan)
            share = share_of(written, placement, fixed, spread_values(plan))
            at_once = of(units / (_parts(call, placement.index) if copies is None else copies.parts(placement)))
            is_guessed = call.rate_guess is not None or placement.index.label in cost.guessed_places
            demand, is_guessed = of(rate * units * share.part), is_guessed or bool(share.guessed)
            yield placement, PartitionLoad(call.name, written, demand, share, at_once, is_guessed)
    if cost.kind == "write" and cost.reads:
        yield from _reads_of_write(call, rate, [copies for _, _, copies in derived if copies is not None])


def _reads_of_write(
    call: CallCost, rate: float, all_copies: list[CopyWrites]
) -> Iterator[tuple[Placement, PartitionLoad]]:
    """Yield the loads of the reads that a write makes: queries for copies, and reads of the written item."""
    entity, left = call.plan.entities[0], call.estimate.reads
    for copies in all_copies:
        holder = copies.part.entity
        for placement, units in _placed(holder, copies.reads):
            left -= units
            share = share_of(holder, placement, spread=spread_values(copies.found))
            demand, at_once = _reads(rate * units * share.part), _reads(units / copies.read_parts(placement))
            is_guessed = call.is_guessed or bool(share.guessed)
            yield placement, PartitionLoad(call.name, holder, demand, share, at_once, is_guessed, finds_copies=True)
    if left > 0:
        share = share_of(entity, entity.base)
        demand, is_guessed = _reads(rate * left * share.part), call.is_guessed or bool(share.guessed)
        yield entity.base, PartitionLoad(call.name, entity, demand, share, _reads(left), is_guessed)


def _placed(entity: Entity, by_index: Mapping[str, float]) -> Iterator[tuple[Placement, float]]:
    """Yield the entity's keys in the table and each index, with the units that a call consumes there."""
    by_label = {placement.index.label: placement for placement in entity.placements.values()}
    return ((by_label[label], units) for label, units in by_index.items() if units and label in by_label)


def _own(call: CallCost) -> dict[str, float]:
    """Return the units of a call by `table` or index label, excluding the units for derived data."""
    cost = call.estimate
    return {
        label: units - sum(others.get(label, 0.0) for _, others in cost.derived_units)
        for label, units in cost.by_index.items()
    }


def _reads(units: float) -> Demand:
    return Demand(reads=units)


def _writes(units: float) -> Demand:
    return Demand(writes=units)


def _parts(call: CallCost, index: Index) -> int:
    """Return the number of partitions that share the units of one call."""
    if call.plan.pattern.is_write:
        return 1
    if index.alias != call.plan.index.alias or call.plan.operation == "BatchGetItem":
        return max(1, call.estimate.items)  # the call reads the items one by one, and each item is in its own partition
    return prod(spread_values(call.plan).values())


@dataclass(frozen=True)
class CopyWrites:
    """The copies of one entity that a call updates."""

    sizes: ItemSizes
    part: DerivedItem
    kind: WriteKind
    found: Plan
    """The query that finds the copies."""
    count: int
    """The number of copies that a call changes. For a new item it is 0, although the call still queries for copies."""

    @property
    def reads(self) -> dict[str, float]:
        """The read units for finding the copies, by `table` or index label."""
        return copy_read_units(self.sizes, self.part, self.found, self.kind, self.count)

    def parts(self, placement: Placement) -> float:
        """Return the number of partitions that share the writes of the copies."""
        return max(1, self.count) / self._in_one_partition(placement)

    def read_parts(self, placement: Placement) -> float:
        """Return the number of partitions that share the reads of the query for copies."""
        if placement.index.alias == self.found.index.alias:
            return prod(spread_values(self.found).values())
        return self.parts(placement)

    def _in_one_partition(self, placement: Placement) -> float:
        """Return the maximum number of copies in one partition if only the `_shared` fields are equal in all copies."""
        entity = self.part.entity
        if placement.index.is_table and is_single(placement):
            return 1.0
        share = share_of(entity, placement, self._shared)
        declared = self.sizes.expected_in(entity, placement.index)
        return max(1.0, min(self.count * share.part, math.inf if declared is None else declared))

    @property
    def _shared(self) -> frozenset[str]:
        """The fields with the same value in all copies: those in the query for copies, and values derived from them."""
        by = frozenset(self.part.copy.by.values() if self.part.copy is not None else ())
        derived = self.part.entity.declaration.derived
        return by | {name for name, each in derived.items() if by.issuperset(each.fields)}


def derived_writes_of(
    sizes: ItemSizes, call: CallCost
) -> Iterator[tuple[Entity, Mapping[str, float], CopyWrites | None]]:
    """Yield the other entities that a call writes, with their units by label, and a CopyWrites for copies."""
    if not call.plan.pattern.is_write:
        return
    write = write_of_plan(call.plan)
    if write.derived_writes is None:
        return
    written = [part for part in derived_items(write.derived_writes, write.kind) if part.marker is None]
    for part, (entity, by_index) in zip(written, call.estimate.derived_units, strict=True):
        yield entity, by_index, _copies(sizes, part, write.kind, by_index)
    if write.kind != "update":
        for part in write.derived_writes.parts:
            yield part.entity, {}, _copies(sizes, part, write.kind, {})


def _copies(sizes: ItemSizes, part: DerivedItem, kind: WriteKind, by_index: Mapping[str, float]) -> CopyWrites | None:
    """Return the copies that a write updates. Return None if the derived item is not a copy."""
    if part.copy is None:
        return None
    found = plan_copies_query(sizes.design, part.copy, part.entity)
    one = units_of_item(sizes, WriteDescription(part.entity, "update", part.changes))
    count = round(by_index.get("table", 0.0) / (TRANSACTION_WRITE_FACTOR * one.table))
    return CopyWrites(sizes, part, kind, found, count) if isinstance(found, Plan) else None
