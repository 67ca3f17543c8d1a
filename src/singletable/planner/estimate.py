"""What a plan will read or write, in items, bytes and DynamoDB's request units; guesses are marked as such."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.amounts import GUESS, number
from singletable.planner.item_sizes import Sizes
from singletable.planner.plan import Plan
from singletable.planner.write_units import ItemWrite, planned_write, units_of
from singletable.values.capacity_units import CONSISTENT, EVENTUAL, TRANSACTION_WRITE_FACTOR, TRANSACTIONAL, read_units
from singletable.values.limits import PAGE_BYTES_MAX

_TYPICAL_ITEMS = 10


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
    vain_items: int = 0
    """Items that are read, and billed, though nobody asked for them."""
    guesses_items: bool = False
    """Whether the number of items is a guess, and not their size alone."""
    guessed_places: tuple[str, ...] = ()
    """Those of `by_index` whose units rest on a guess."""
    beside: tuple[tuple[Entity, Mapping[str, float]], ...] = ()
    """What of `by_index` a write consumes in items of other entities: counters, copies, mirrors."""

    @property
    def overfetch(self) -> float:
        """How many items are read for each that was asked for."""
        return self.items / max(1, self.items - self.vain_items)

    def __str__(self) -> str:
        mark = GUESS if self.guessed else ""
        return f"{mark}{number(self.units)} {'RRU' if self.kind == 'read' else 'WRU'}"

    def place_mark(self, label: str) -> str:
        """The mark of a guess before the units of the table or an index, where they rest on one."""
        return GUESS if label in self.guessed_places else ""


class _Examined(NamedTuple):
    entity: Entity
    items: int
    is_wanted: bool = True


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
        guessed_places=(plan.index.label,) if guessed else (),
    )


def _batch(sizes: Sizes, plan: Plan) -> Estimate:
    """Each item of a batch is rounded up by itself."""
    entity, options = plan.wanted[0], plan.pattern.options
    size, guessed = sizes.item(entity), sizes.guessed(entity)
    items = options.expected_items if options.expected_items is not None else options.fanout
    guesses_items = items is None
    if items is None:
        items, guessed = _TYPICAL_ITEMS, (*guessed, f"paths of {_TYPICAL_ITEMS} elements")
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
        guessed_places=(plan.index.label,) if guessed else (),
    )


def _query(sizes: Sizes, plan: Plan, scale: float) -> Estimate:
    counts: dict[str, None] = {}
    queries = plan.queries or plan.pattern.options.fanout or 1
    examined = _examined(sizes, plan, counts, scale, queries)
    guessed = dict(counts)
    items = sum(each.items for each in examined)
    read_bytes = sum(each.items * sizes.entry(each.entity, plan.index.alias) for each in examined)
    for each in examined:
        guessed |= dict.fromkeys(sizes.guessed_entry(each.entity, plan.index.alias))
    places = (plan.index.label,) if guessed else ()
    pages, blocks = _pages(math.ceil(items / queries), math.ceil(read_bytes / queries))
    by_index = {plan.index.label: queries * blocks * _factor(plan)}
    if plan.hydrate:
        by_index["table"] = sum(e.items * read_units(sizes.item(e.entity), _factor(plan)) for e in examined)
        of_items = {guess for each in examined for guess in sizes.guessed(each.entity)}
        places = (*places, "table") if counts or of_items else places
    return Estimate(
        items,
        read_bytes,
        sum(by_index.values()),
        "read",
        tuple(guessed),
        pages=queries * pages,
        strong=queries * blocks * CONSISTENT if plan.strong_possible else None,
        by_index=by_index,
        vain_items=_vain(plan, examined, scale),
        guesses_items=bool(counts),
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


def _vain(plan: Plan, examined: list[_Examined], scale: float) -> int:
    """Items of other entities, those that a filter discards, and what each of several Queries reads up to the limit."""
    options, limit = plan.pattern.options, _usual_limit(plan)
    wanted = sum(each.items for each in examined if each.is_wanted)
    kept = wanted
    if options.expected_examined is not None and options.expected_items is not None:
        kept = _scaled(options.expected_items, scale)
    elif limit is not None and plan.spreads:
        kept = limit
    return sum(each.items for each in examined) - min(wanted, kept)


def _examined(sizes: Sizes, plan: Plan, guessed: dict[str, None], scale: float, queries: int) -> list[_Examined]:
    """How many items of each entity are read, by what the pattern or the entity declares.

    Each of several Queries reads a partition of its own, and as far as the limit, since any of them may hold the first.
    """
    options = plan.pattern.options
    declared = options.expected_examined if options.expected_examined is not None else options.expected_items
    declared = None if declared is None else _scaled(declared, scale)
    limit = _usual_limit(plan)
    pairs = zip(plan.members, plan.wanted, strict=True) if plan.members else [(None, plan.wanted[0])]
    examined = []
    for member, entity in pairs:
        if member is not None and member.kind != "many":
            items = 1
        elif declared is not None:
            items = declared
        elif limit is not None:
            expected = sizes.expected_in(entity, plan.index)
            items = queries * (limit if expected is None else min(limit, _scaled(expected, scale)))
        else:
            items = _per_partition(sizes, plan, entity, guessed, scale, queries)
        examined.append(_Examined(entity, items))
    foreign = (
        _Examined(other, _per_partition(sizes, plan, other, guessed, scale, queries), False) for other in plan.foreign
    )
    return [*examined, *foreign]


def _usual_limit(plan: Plan) -> int | None:
    """The limit that the body fixes, or the one a caller gets by leaving it out."""
    if plan.limit is None:
        return None
    if isinstance(plan.limit.count, int):
        return plan.limit.count
    default = plan.pattern.signature.parameters[plan.limit.count.name].default
    return default if isinstance(default, int) else None


def _per_partition(
    sizes: Sizes, plan: Plan, entity: Entity, guessed: dict[str, None], scale: float, queries: int = 1
) -> int:
    """How many items the Queries of a pattern find, each in a partition of its own.

    What is declared lies in every partition. A guess is one of how long a list is, however many shards it is cut into:
    more of them make it no longer.
    """
    declared = sizes.expected_in(entity, plan.index)
    if declared is not None:
        return queries * _scaled(declared, scale)
    where = f"a partition of {plan.index.spoken}" if queries == 1 else f"{queries:,} partitions of {plan.index.spoken}"
    whole = "" if queries == 1 else " together"
    guessed[f"{_TYPICAL_ITEMS} items of {entity.label} in {where}{whole}"] = None
    return _scaled(_TYPICAL_ITEMS, scale)


def _scaled(items: int, scale: float) -> int:
    return items if scale == 1.0 else max(1, round(items * scale))


def estimate_write(sizes: Sizes, write: ItemWrite, scale: float = 1.0) -> Estimate:
    """The expected cost of a write, declared or not."""
    units = units_of(sizes, write, lambda found, of, names: _per_partition(sizes, found, of, names, scale))
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
        reads=units.reads,
        guesses_items=units.guesses_items,
        guessed_places=tuple(place for place, found in units.guessed.items() if found),
        beside=tuple((entity, {"table": kept.table * factor, **kept.indexes}) for entity, kept in units.kept),
    )
