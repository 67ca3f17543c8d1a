"""What a plan will read or write, in items, bytes and DynamoDB's request units; guesses are marked as such."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.amounts import GUESS, number
from singletable.planner.examined import TYPICAL_ITEMS, examined, in_vain, per_partition, queries_of
from singletable.planner.item_sizes import Sizes
from singletable.planner.plan import Plan
from singletable.planner.write_units import ItemWrite, planned_write, units_of
from singletable.values.capacity_units import CONSISTENT, EVENTUAL, TRANSACTION_WRITE_FACTOR, TRANSACTIONAL, read_units
from singletable.values.limits import PAGE_BYTES_MAX


@dataclass(frozen=True)
class Estimate:
    """What one call reads or writes; `guessed` names what nobody declared."""

    items: int
    bytes: int
    units: float
    kind: Literal["read", "write"]
    guessed: tuple[str, ...] = ()
    pages: int = 1
    """How many pages of 1 MB are read to the end."""
    strong: float | None = None
    """The units of the same read, strongly consistent; None where there is no such read."""
    transactional: float | None = None
    """The units of the same in a transaction; None where it cannot be in one."""
    by_index: Mapping[str, float] = field(default_factory=dict)
    """The units by the labels of what consumes them: `table`, and each index."""
    reads: float = 0.0
    """The read units of what a write looks at beside its items."""
    reads_by_index: Mapping[str, float] = field(default_factory=dict)
    """The same by where it is read: in the table, or in the index that finds what repeats the item."""
    guessed_reads: tuple[str, ...] = ()
    """Those of `reads_by_index` whose units rest on a guess."""
    vain_items: int = 0
    """Items that are read, and billed, though nobody asked for them."""
    guesses_items: bool = False
    """Whether the number of items is a guess, and not their size alone."""
    guesses_bytes: bool = False
    """Whether the bytes that are read, or those of the item that is written, are."""
    guessed_places: tuple[str, ...] = ()
    """Those of `by_index` whose units rest on a guess."""
    beside: tuple[tuple[Entity, Mapping[str, float]], ...] = ()
    """What of `by_index` a write consumes in items of other entities: counters, copies, mirrors."""

    @property
    def overfetch(self) -> float:
        """How many items are read for each that was asked for."""
        return self.items / max(1, self.items - self.vain_items)

    def __str__(self) -> str:
        mark, reads_mark = (GUESS if guessed else "" for guessed in (self.guessed, self.guessed_reads))
        reads = f" + {reads_mark}{number(self.reads)} RRU" if self.reads else ""
        return f"{mark}{number(self.units)} {'RRU' if self.kind == 'read' else 'WRU'}{reads}"

    def place_mark(self, label: str) -> str:
        """The mark of a guess before the units of the table or an index, where they rest on one."""
        return GUESS if label in self.guessed_places else ""


def estimate(design: Design, plan: Plan, sizes: Sizes | None = None, scale: float = 1.0) -> Estimate:
    """The expected cost of one call, to its last page.

    `sizes` are those of the items, as the model says unless others are given; `scale` makes collections so many times
    as large as expected.
    """
    sizes = sizes or Sizes(design)
    if plan.pattern.is_write:
        return estimate_write(sizes, planned_write(plan), scale)
    if plan.operation == "GetItem":
        return _get(sizes, plan)
    if plan.operation == "BatchGetItem":
        return _batch(sizes, plan)
    return _query(sizes, plan, scale)


def _get(sizes: Sizes, plan: Plan) -> Estimate:
    entity = plan.wanted[0]
    size, guessed = sizes.item(entity), sizes.guessed(entity)
    units = read_units(size, _factor(plan))
    return Estimate(
        1,
        size,
        units,
        "read",
        guessed,
        strong=read_units(size, CONSISTENT),
        transactional=read_units(size, TRANSACTIONAL),
        by_index={plan.index.label: units},
        guesses_bytes=bool(guessed),
        guessed_places=(plan.index.label,) if guessed else (),
    )


def _batch(sizes: Sizes, plan: Plan) -> Estimate:
    """Each item of a batch is rounded up by itself."""
    entity, options = plan.wanted[0], plan.pattern.options
    size, guessed = sizes.item(entity), sizes.guessed(entity)
    items = options.expected_items if options.expected_items is not None else options.fanout
    guesses_items = items is None
    if items is None:
        items, guessed = TYPICAL_ITEMS, (*guessed, f"paths of {TYPICAL_ITEMS} elements")
    units = items * read_units(size, _factor(plan))
    return Estimate(
        items,
        items * size,
        units,
        "read",
        guessed,
        strong=items * read_units(size, CONSISTENT),
        transactional=items * read_units(size, TRANSACTIONAL),
        by_index={plan.index.label: units},
        guesses_items=guesses_items,
        guesses_bytes=bool(guessed),
        guessed_places=(plan.index.label,) if guessed else (),
    )


def _query(sizes: Sizes, plan: Plan, scale: float) -> Estimate:
    counts: dict[str, None] = {}
    queries = queries_of(plan)
    found = examined(sizes, plan, counts, scale)
    guessed = dict(counts)
    items, vain_items = sum(each.items for each in found), in_vain(plan, found, scale)
    read_bytes = sum(each.items * sizes.entry(each.entity, plan.index.alias) for each in found)
    for each in found:
        guessed |= dict.fromkeys(sizes.guessed_entry(each.entity, plan.index.alias))
    places = (plan.index.label,) if guessed else ()
    pages, blocks = _pages(math.ceil(items / queries), math.ceil(read_bytes / queries))
    by_index = {plan.index.label: queries * blocks * _factor(plan)}
    if plan.hydrate:  # what is discarded in the index, or left after the limit, is not fetched
        by_index["table"] = (items - vain_items) * read_units(sizes.item(plan.wanted[0]), _factor(plan))
        places = (*places, "table") if counts or sizes.guessed(plan.wanted[0]) else places
    return Estimate(
        items,
        read_bytes,
        sum(by_index.values()),
        "read",
        tuple(guessed),
        pages=queries * pages,
        strong=queries * blocks * CONSISTENT if plan.strong_possible else None,
        by_index=by_index,
        vain_items=vain_items,
        guesses_items=bool(counts),
        guesses_bytes=bool(guessed),
        guessed_places=places,
    )


def _pages(items: int, read_bytes: int) -> tuple[int, int]:
    """The pages that a Query takes, and the units of 4 KB of all of them: each page is rounded by itself."""
    if read_bytes <= PAGE_BYTES_MAX or items <= 1:
        return 1, int(read_units(read_bytes, 1))
    size = read_bytes / items
    per_page = math.ceil(PAGE_BYTES_MAX / size)  # the item that crosses the line is still read
    full, rest = divmod(items, per_page)
    units = full * int(read_units(math.ceil(per_page * size), 1))
    return full + bool(rest), units + (int(read_units(math.ceil(rest * size), 1)) if rest else 0)


def _factor(plan: Plan) -> float:
    return CONSISTENT if plan.consistent else EVENTUAL


def estimate_write(sizes: Sizes, write: ItemWrite, scale: float = 1.0) -> Estimate:
    """The expected cost of a write, declared or not."""
    units = units_of(sizes, write, lambda found, of, names: per_partition(sizes, found, of, names, scale))
    is_transaction = write.kept is not None
    factor = TRANSACTION_WRITE_FACTOR if is_transaction else 1
    return Estimate(
        units.items,
        sizes.item(write.entity),
        units.transactional if is_transaction else units.plain,
        "write",
        tuple(dict.fromkeys(guess for found in units.guessed.values() for guess in found)),
        transactional=units.transactional,
        by_index={"table": units.table * factor, **units.indexes},
        reads=sum(units.reads.values()),
        reads_by_index=units.reads,
        guessed_reads=tuple(place for place, found in units.guessed_reads.items() if found),
        guesses_items=units.guesses_items,
        guesses_bytes=bool(sizes.guessed(write.entity)),
        guessed_places=tuple(place for place, found in units.guessed.items() if found),
        beside=tuple((entity, {"table": kept.table * factor, **kept.indexes}) for entity, kept in units.kept),
    )
