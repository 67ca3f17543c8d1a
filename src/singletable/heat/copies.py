"""Copies that a write keeps right: over how many partitions they are spread, and where the reads are that find them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from singletable.cost.calls import CallCost
from singletable.heat.shares import is_single, share_of, spread_values
from singletable.model.entity import Entity
from singletable.model.intents import WriteKind
from singletable.model.keys import Placement
from singletable.planner.holders import plan_holders
from singletable.planner.item_sizes import Sizes
from singletable.planner.kept import KeptItem
from singletable.planner.plan import Plan
from singletable.planner.write_units import ItemWrite, holder_reads, planned_write, units_of_item, written_with
from singletable.values.capacity_units import TRANSACTION_WRITE_FACTOR


@dataclass(frozen=True)
class Copies:
    """The items of one entity that repeat what a call writes."""

    sizes: Sizes
    part: KeptItem
    kind: WriteKind
    found: Plan
    """How they are found."""
    count: int
    """How many of them a call changes; none where it makes a new item, though it looks for them."""

    @property
    def reads(self) -> dict[str, float]:
        """The read units of finding them, by the labels of what is read."""
        return holder_reads(self.sizes, self.part, self.found, self.kind, self.count)

    def parts(self, placement: Placement) -> float:
        """In how many parts what is done to each of them falls on different partitions."""
        return max(1, self.count) / self._in_one_partition(placement)

    def read_parts(self, placement: Placement) -> float:
        """The same of what is read to find them: a Query reads many at once, and whole items are read one by one."""
        if placement.index.alias == self.found.index.alias:
            return prod(spread_values(self.found).values())
        return self.parts(placement)

    def _in_one_partition(self, placement: Placement) -> float:
        """Up to how many of them lie in one: they share the fields that they are found by, and differ in all others."""
        entity = self.part.entity
        if placement.index.is_table and is_single(placement):
            return 1.0
        share = share_of(entity, placement, self._shared)
        declared = self.sizes.expected_in(entity, placement.index)
        return max(1.0, min(self.count * share.part, math.inf if declared is None else declared))

    @property
    def _shared(self) -> frozenset[str]:
        """What has one value in all of them: the fields that they are found by, and what is derived of these alone."""
        by = frozenset(self.part.copy.by.values() if self.part.copy is not None else ())
        derived = self.part.entity.declaration.derived
        return by | {name for name, each in derived.items() if by.issuperset(each.fields)}


def kept_right(sizes: Sizes, call: CallCost) -> Iterator[tuple[Entity, Mapping[str, float], Copies | None]]:
    """The other entities' items that a call writes, with their units by place, and the copies that it looks for."""
    if not call.plan.pattern.is_write:
        return
    write = planned_write(call.plan)
    if write.kept is None:
        return
    written = [part for part in written_with(write.kept, write.kind) if part.marker is None]
    for part, (entity, by_index) in zip(written, call.estimate.beside, strict=True):
        yield entity, by_index, _copies(sizes, part, write.kind, by_index)
    if write.kind != "update":
        for part in write.kept.parts:
            yield part.entity, {}, _copies(sizes, part, write.kind, {})


def _copies(sizes: Sizes, part: KeptItem, kind: WriteKind, by_index: Mapping[str, float]) -> Copies | None:
    """The copies that the units are of; None where other items are kept right."""
    if part.copy is None:
        return None
    found = plan_holders(sizes.design, part.copy, part.entity)
    one = units_of_item(sizes, ItemWrite(part.entity, "update", part.changes))
    count = round(by_index.get("table", 0.0) / (TRANSACTION_WRITE_FACTOR * one.table))
    return Copies(sizes, part, kind, found, count) if isinstance(found, Plan) else None
