"""The hottest partitions of the table and of each index: what every pattern asks of them in a second."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod

from singletable.cost.calls import CallCost
from singletable.heat.copies import Copies, kept_right
from singletable.heat.shares import Share, grows_at_one_end, is_single, share_of, spread_values
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.index import Index
from singletable.model.keys import Placement
from singletable.planner.fixed_fields import fixed_fields
from singletable.planner.item_sizes import Sizes
from singletable.values.limits import PARTITION_READ_UNITS_PER_SECOND_MAX, PARTITION_WRITE_UNITS_PER_SECOND_MAX

LARGE_CALL = 0.1
"""Above which part of what a partition gives in a second a call counts in the second in which it comes."""


@dataclass(frozen=True)
class Demand:
    """Units a second."""

    reads: float = 0.0
    writes: float = 0.0

    @property
    def partitions(self) -> float:
        """How many partitions' whole capacity it takes; reads and writes share it."""
        return self.reads / PARTITION_READ_UNITS_PER_SECOND_MAX + self.writes / PARTITION_WRITE_UNITS_PER_SECOND_MAX

    def times(self, factor: float) -> Demand:
        """So many times as much."""
        return Demand(self.reads * factor, self.writes * factor)

    def __add__(self, other: Demand) -> Demand:
        return Demand(self.reads + other.reads, self.writes + other.writes)


@dataclass(frozen=True)
class Load:
    """What one pattern asks of the hottest partition."""

    pattern: str
    entity: Entity
    demand: Demand
    share: Share
    """Which part of the pattern's units falls on that partition."""
    at_once: Demand = Demand()
    """What a single call asks of one partition."""
    is_guessed: bool = False
    """Whether nobody said how often it is called, what a call takes, or how it falls on partitions."""
    finds_copies: bool = False
    """Whether a write reads there what it keeps right, all of it."""

    @property
    def is_burst(self) -> bool:
        """Whether a single call is too large to be taken for a part of steady traffic, however seldom it comes."""
        return self.at_once.partitions > LARGE_CALL

    @property
    def calls_per_second(self) -> float:
        """How many calls reach that partition."""
        return self.demand.partitions / self.at_once.partitions if self.at_once.partitions else 0.0


@dataclass(frozen=True)
class HotPartition:
    """The hottest of the partitions that have one form, in the table or in an index, at today's rates."""

    index: Index
    template: str
    loads: tuple[Load, ...]
    stays_whole: str
    """Why DynamoDB cannot split it for heat; empty when it can."""

    @property
    def demand(self) -> Demand:
        """What all patterns ask of it together."""
        return sum((load.demand for load in self.loads), Demand())

    @property
    def steady(self) -> Demand:
        """What is asked of it all the time: everything but large calls."""
        return sum((load.demand for load in self.loads if not load.is_burst), Demand())

    @property
    def bursts(self) -> tuple[Load, ...]:
        """The patterns of which one call takes a large part of a partition's second, or more than one."""
        return tuple(load for load in self.loads if load.is_burst)

    @property
    def hot_fields(self) -> tuple[str, ...]:
        """The fields whose most frequent value it is the partition of."""
        return tuple(dict.fromkeys(name for load in self.loads for name in load.share.hot_fields))

    @property
    def guessed(self) -> tuple[str, ...]:
        """What nobody declared."""
        return tuple(dict.fromkeys(guess for load in self.loads for guess in load.share.guessed))

    @property
    def guesses_reads(self) -> bool:
        """Whether what is read of it in a second rests on a guess."""
        return any(load.is_guessed for load in self.loads if load.demand.reads)

    @property
    def guesses_writes(self) -> bool:
        """Whether what is written to it in a second does."""
        return any(load.is_guessed for load in self.loads if load.demand.writes)

    @property
    def spoken(self) -> str:
        """Which one it is, in words."""
        whose = f", for the most frequent {' and '.join(self.hot_fields)}" if self.hot_fields else ""
        return f'"{self.template}" of {self.index.spoken}{whose}'


def hot_partitions(design: Design, calls: Iterable[CallCost]) -> tuple[HotPartition, ...]:
    """The hottest partition of every form of partition that has traffic, the hottest of all first."""
    found: dict[tuple[str, str], list[tuple[Placement, Load]]] = {}
    sizes = Sizes(design)
    for call in calls:
        for placement, load in _loads(sizes, call):
            form = "/".join(re.sub(r"\{[^{}]*\}", "{}", str(part)) for part in placement.partition)
            found.setdefault((placement.index.alias, form), []).append((placement, load))
    made = [_hot(design, loads) for loads in found.values()]
    return tuple(sorted(made, key=lambda each: -each.demand.partitions))


def _hot(design: Design, found: list[tuple[Placement, Load]]) -> HotPartition:
    # The form is shown as the entity writes it that asks most of it.
    placement, _ = max(found, key=lambda pair: pair[1].demand.partitions)
    template = " / ".join(str(part) for part in placement.partition)
    return HotPartition(placement.index, template, tuple(load for _, load in found), _stays_whole(design, found))


def _stays_whole(design: Design, found: list[tuple[Placement, Load]]) -> str:
    index = found[0][0].index
    if index.is_table and any(each.kind == "LSI" for each in design.indexes.values()):
        return "a table with a local index never splits an item collection"
    writers = [(placement, load) for placement, load in found if load.demand.writes]
    growing = [load.entity.label for placement, load in writers if grows_at_one_end(load.entity, placement)]
    if growing:
        return f"new items of {growing[0]} always sort last, so a split would leave all writes in one half"
    if all(is_single(placement) for placement, _ in found):
        return "it is one item"
    return ""


def _loads(sizes: Sizes, call: CallCost) -> Iterator[tuple[Placement, Load]]:
    rate, plan, cost = call.calls_per_second or 0.0, call.plan, call.estimate
    if not rate:
        return
    beside = tuple(kept_right(sizes, call))
    for written, by_index, copies in ((plan.wanted[0], _own(call), None), *beside):
        for placement, units in _placed(written, by_index):
            of = _writes if plan.pattern.is_write else _reads
            fixed = frozenset[str]() if plan.pattern.is_write else fixed_fields(plan)
            share = share_of(written, placement, fixed, spread_values(plan))
            at_once = of(units / (_parts(call, placement.index) if copies is None else copies.parts(placement)))
            is_guessed = call.rate_guess is not None or placement.index.label in cost.guessed_places
            asked, is_guessed = of(rate * units * share.part), is_guessed or bool(share.guessed)
            yield placement, Load(call.name, written, asked, share, at_once, is_guessed)
    if cost.kind == "write" and cost.reads:
        yield from _reads_of_write(call, rate, [copies for _, _, copies in beside if copies is not None])


def _reads_of_write(call: CallCost, rate: float, all_copies: list[Copies]) -> Iterator[tuple[Placement, Load]]:
    """What a write reads: copies where they are found, and the rest where its own item lies."""
    entity, left = call.plan.wanted[0], call.estimate.reads
    for copies in all_copies:
        holder = copies.part.entity
        for placement, units in _placed(holder, copies.reads):
            left -= units
            share = share_of(holder, placement, spread=spread_values(copies.found))
            asked, at_once = _reads(rate * units * share.part), _reads(units / copies.read_parts(placement))
            is_guessed = call.is_guessed or bool(share.guessed)
            yield placement, Load(call.name, holder, asked, share, at_once, is_guessed, finds_copies=True)
    if left > 0:
        share = share_of(entity, entity.base)
        asked, is_guessed = _reads(rate * left * share.part), call.is_guessed or bool(share.guessed)
        yield entity.base, Load(call.name, entity, asked, share, _reads(left), is_guessed)


def _placed(entity: Entity, by_index: Mapping[str, float]) -> Iterator[tuple[Placement, float]]:
    """Units by where they are consumed, with the entity's keys there."""
    by_label = {placement.index.label: placement for placement in entity.placements.values()}
    return ((by_label[label], units) for label, units in by_index.items() if units and label in by_label)


def _own(call: CallCost) -> dict[str, float]:
    """What a call consumes by place, without the items of other entities that it keeps right."""
    cost = call.estimate
    return {
        label: units - sum(others.get(label, 0.0) for _, others in cost.beside)
        for label, units in cost.by_index.items()
    }


def _reads(units: float) -> Demand:
    return Demand(reads=units)


def _writes(units: float) -> Demand:
    return Demand(writes=units)


def _parts(call: CallCost, index: Index) -> int:
    """In how many parts the units of one call fall on different partitions."""
    if call.plan.pattern.is_write:
        return 1
    if index.alias != call.plan.index.alias or call.plan.operation == "BatchGetItem":
        return max(1, call.estimate.items)  # items that are read one by one, each where it lies
    return prod(spread_values(call.plan).values())
