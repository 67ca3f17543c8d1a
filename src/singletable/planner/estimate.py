"""Estimate the items, bytes and request units of one call, and list the guesses on which the estimate depends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from singletable.lazy_dataclass import dataclass
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.formatting import GUESS_MARK, format_number
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.items_read import (
    TYPICAL_ITEMS,
    count_items_read,
    count_wasted_items,
    items_per_partition,
    query_count,
)
from singletable.planner.pages import read_of_query
from singletable.planner.plan import Plan
from singletable.planner.write_units import WriteDescription, units_of_write, write_of_plan
from singletable.values.item_size import CONSISTENT, EVENTUAL, TRANSACTION_WRITE_FACTOR, TRANSACTIONAL, read_units


@dataclass(frozen=True)
class Estimate:
    """The numbers of items, bytes and request units of one call.

    `guessed` names the values that the model does not declare.
    """

    items: int
    bytes: int
    units: float
    kind: Literal["read", "write"]
    guessed: tuple[str, ...] = ()
    pages: int = 1
    """The number of pages that a call reads, with one request each. Without a limit, the pages of the whole result."""
    strong: float | None = None
    """The units of a strongly consistent read. None if such a read is not possible."""
    transactional: float | None = None
    """The units in a transaction. None if a transaction is not possible."""
    by_index: Mapping[str, float] = field(default_factory=dict)
    """The units by label: `table`, or the name of an index."""
    reads: float = 0.0
    """The read units that a write consumes."""
    reads_by_index: Mapping[str, float] = field(default_factory=dict)
    """The read units of a write by label: `table`, or the index that the write reads to find copies."""
    guessed_reads: tuple[str, ...] = ()
    """The labels in `reads_by_index` whose units depend on a guess."""
    wasted_items: int = 0
    """Items that DynamoDB reads and bills, but the call does not return."""
    guesses_items: bool = False
    """Whether the number of items is a guess."""
    guesses_bytes: bool = False
    """Whether the number of bytes is a guess."""
    guessed_places: tuple[str, ...] = ()
    """The labels in `by_index` whose units depend on a guess."""
    derived_units: tuple[tuple[Entity, Mapping[str, float]], ...] = ()
    """The part of `by_index` that a write consumes for derived data: counters, copies and mirrored edges."""

    @property
    def overfetch(self) -> float:
        """The number of items that DynamoDB reads for each returned item."""
        return self.items / max(1, self.items - self.wasted_items)

    def __str__(self) -> str:
        mark, reads_mark = (GUESS_MARK if guessed else "" for guessed in (self.guessed, self.guessed_reads))
        reads = f" + {reads_mark}{format_number(self.reads)} RRU" if self.reads else ""
        return f"{mark}{format_number(self.units)} {'RRU' if self.kind == 'read' else 'WRU'}{reads}"

    def place_mark(self, label: str) -> str:
        """Return `≈`, the guess mark, if the units of this table or index depend on a guess."""
        return GUESS_MARK if label in self.guessed_places else ""


def estimate(design: Design, plan: Plan, sizes: ItemSizes | None = None, scale: float = 1.0) -> Estimate:
    """Estimate the cost of one call, including all pages.

    `sizes` defaults to the sizes in the model. `scale` multiplies the expected size of collections.
    """
    sizes = sizes or ItemSizes(design)
    if plan.pattern.is_write:
        return estimate_write(sizes, write_of_plan(plan), scale)
    if plan.operation == "GetItem":
        return _get(sizes, plan)
    if plan.operation == "BatchGetItem":
        return _batch(sizes, plan)
    return _query(sizes, plan, scale)


def _get(sizes: ItemSizes, plan: Plan) -> Estimate:
    entity = plan.entities[0]
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


def _batch(sizes: ItemSizes, plan: Plan) -> Estimate:
    """Estimate a BatchGetItem request. DynamoDB rounds up the size of each item separately."""
    entity, options = plan.entities[0], plan.pattern.options
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


def _query(sizes: ItemSizes, plan: Plan, scale: float) -> Estimate:
    counts: dict[str, None] = {}
    queries = query_count(plan)
    found = count_items_read(sizes, plan, counts, scale)
    guessed = dict(counts)
    items, wasted_items = sum(each.items for each in found), count_wasted_items(plan, found, scale)
    read_bytes = sum(each.items * sizes.entry(each.entity, plan.index.alias) for each in found)
    for each in found:
        guessed |= dict.fromkeys(sizes.guessed_entry(each.entity, plan.index.alias))
    places = (plan.index.label,) if guessed else ()
    read = read_of_query(sizes, plan, found, scale)
    by_index = {plan.index.label: queries * read.blocks * _factor(plan)}
    if plan.hydrate:  # the client fetches only the items that it keeps after reading the index
        by_index["table"] = (items - wasted_items) * read_units(sizes.item(plan.entities[0]), _factor(plan))
        places = (*places, "table") if counts or sizes.guessed(plan.entities[0]) else places
    return Estimate(
        items,
        read_bytes,
        sum(by_index.values()),
        "read",
        tuple(guessed),
        pages=queries * read.pages,
        strong=queries * read.blocks * CONSISTENT if plan.strong_possible else None,
        by_index=by_index,
        wasted_items=wasted_items,
        guesses_items=bool(counts),
        guesses_bytes=bool(guessed),
        guessed_places=places,
    )


def _factor(plan: Plan) -> float:
    return CONSISTENT if plan.consistent else EVENTUAL


def estimate_write(sizes: ItemSizes, write: WriteDescription, scale: float = 1.0) -> Estimate:
    """Estimate the cost of a write."""
    units = units_of_write(sizes, write, lambda found, of, names: items_per_partition(sizes, found, of, names, scale))
    is_transaction = write.derived_writes is not None
    factor = TRANSACTION_WRITE_FACTOR if is_transaction else 1
    return Estimate(
        units.items,
        sizes.item(write.entity),
        units.transactional if is_transaction else units.non_transactional,
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
        derived_units=tuple(
            (entity, {"table": derived.table * factor, **derived.indexes}) for entity, derived in units.derived
        ),
    )
