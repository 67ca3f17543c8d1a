"""What a plan will read or write, in items, bytes and DynamoDB's request units; guesses are marked as such."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.amounts import number
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

    @property
    def overfetch(self) -> float:
        """How many items are read for each that was asked for."""
        return self.items / max(1, self.items - self.vain_items)

    def __str__(self) -> str:
        mark = "≈" if self.guessed else ""
        return f"{mark}{number(self.units)} {'RRU' if self.kind == 'read' else 'WRU'}"


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
    size = sizes.item(entity)
    units = read_units(size, _factor(plan))
    return Estimate(
        1,
        size,
        units,
        "read",
        sizes.guessed(entity),
        strong=read_units(size, CONSISTENT),
        transactional=read_units(size, TRANSACTIONAL),
        by_index={plan.index.label: units},
    )


def _batch(sizes: Sizes, plan: Plan) -> Estimate:
    """Each item of a batch is rounded up by itself."""
    entity, options = plan.wanted[0], plan.pattern.options
    size, guessed = sizes.item(entity), sizes.guessed(entity)
    items = options.expected_items if options.expected_items is not None else options.fanout
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
    )


def _query(sizes: Sizes, plan: Plan, scale: float) -> Estimate:
    guessed: dict[str, None] = {}
    queries = plan.queries or plan.pattern.options.fanout or 1
    examined = _examined(sizes, plan, guessed, scale, queries)
    items = sum(each.items for each in examined)
    read_bytes = sum(each.items * sizes.entry(each.entity, plan.index.alias) for each in examined)
    for each in examined:
        guessed |= dict.fromkeys(sizes.guessed(each.entity))
    pages, blocks = _pages(math.ceil(items / queries), math.ceil(read_bytes / queries))
    by_index = {plan.index.label: queries * blocks * _factor(plan)}
    if plan.hydrate:
        by_index["table"] = sum(e.items * read_units(sizes.item(e.entity), _factor(plan)) for e in examined)
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
            items = queries * _per_partition(sizes, plan, entity, guessed, scale)
        examined.append(_Examined(entity, items))
    foreign = (
        _Examined(other, queries * _per_partition(sizes, plan, other, guessed, scale), False) for other in plan.foreign
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


def _per_partition(sizes: Sizes, plan: Plan, entity: Entity, guessed: dict[str, None], scale: float) -> int:
    declared = sizes.expected_in(entity, plan.index)
    if declared is not None:
        return _scaled(declared, scale)
    guessed[f"{_TYPICAL_ITEMS} items of {entity.label} in a partition of {plan.index.label}"] = None
    return _scaled(_TYPICAL_ITEMS, scale)


def _scaled(items: int, scale: float) -> int:
    return items if scale == 1.0 else max(1, round(items * scale))


def estimate_write(sizes: Sizes, write: ItemWrite, scale: float = 1.0) -> Estimate:
    """The expected cost of a write, declared or not."""
    guessed: dict[str, None] = {}
    units = units_of(sizes, write, lambda found, of, names: _per_partition(sizes, found, of, names, scale), guessed)
    is_transaction = write.kept is not None
    table = units.table * (TRANSACTION_WRITE_FACTOR if is_transaction else 1)
    return Estimate(
        units.items,
        sizes.item(write.entity),
        units.transactional if is_transaction else units.plain,
        "write",
        tuple(guessed),
        transactional=units.transactional,
        by_index={"table": table, **units.indexes},
        reads=units.reads,
    )
