"""Shares: which part of an entity's traffic falls on the hottest partition of the table or of an index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from math import prod
from typing import Any

from singletable.model.derived.bucket import Bucket
from singletable.model.derived.derived import Derived
from singletable.model.derived.function import FunctionOf
from singletable.model.derived.shard import Shard
from singletable.model.entity import Entity
from singletable.model.keys import KeyPart, NativePart, Placement
from singletable.model.template import DerivedSlot
from singletable.planner.plan import Plan

GUESSED_VALUES = 10_000
"""How many values a field is taken to have, all alike, when neither its type nor the model says."""
GUESSED_DERIVED_VALUES = 100
"""The same of a value that is derived from fields, such as a cell or a letter."""


@dataclass(frozen=True)
class Share:
    """The hottest partition's part of the traffic, from 0 to 1, the fields that decide it, and what was guessed."""

    part: float
    hot_fields: tuple[str, ...]
    """Fields whose most frequent value makes the partition hot."""
    guessed: tuple[str, ...]


def share_of(
    entity: Entity,
    placement: Placement,
    fixed: frozenset[str] = frozenset(),
    spread: Mapping[str, int] | None = None,
) -> Share:
    """The share of the hottest partition, when fields are independent of each other.

    `fixed` are fields that a pattern itself sets, the same in every call; of `spread` it reads so many values at once.
    """
    parts: list[float] = []
    hot: list[str] = []
    guessed: list[str] = []
    for name, part, is_guess, counts in _slots(entity, placement, spread or {}):
        if name in fixed:
            continue
        parts.append(part)
        if counts:
            hot.append(name)
        if is_guess:
            guessed.append(f"how traffic spreads over {entity.label}.{name}: {1 / part:,.0f} values alike")
    return Share(prod(parts), tuple(hot), tuple(guessed))


def spread_values(plan: Plan) -> dict[str, int]:
    """Of how many values of what a key is made of a read asks for each: shards, buckets, or all that a field may be."""
    known = prod(spread.count for spread in plan.spreads if spread.count is not None)
    open_ended = max(1, (plan.pattern.options.fanout or 1) // known)  # what the fan-out leaves for cells or buckets
    return {spread.name: open_ended if spread.count is None else spread.count for spread in plan.spreads}


def _slots(entity: Entity, placement: Placement, spread: Mapping[str, int]) -> list[tuple[str, float, bool, bool]]:
    """Every value in the partition key: its name, its hottest part, whether that is a guess, whether it is a field."""
    found: dict[str, tuple[str, float, bool, bool]] = {}
    for part in placement.partition:
        if isinstance(part, NativePart):
            found[part.field.name] = _field(entity, part.field.name, len(part.domain or ()))
            continue
        for slot in part.template.slots:
            if isinstance(slot, DerivedSlot):
                found[slot.name] = _derived(slot.name, slot.derived, spread.get(slot.name, 1))
            else:
                found[slot.name] = _field(entity, slot.name, len(slot.codec.domain or ()))
    return list(found.values())


def _field(entity: Entity, name: str, domain: int) -> tuple[str, float, bool, bool]:
    declared = entity.declaration.cardinality.get(name)
    if declared is not None:
        return name, declared.hottest, False, True
    return (name, 1 / (domain or GUESSED_VALUES), True, True)


def _derived(name: str, derived: Derived, asked: int) -> tuple[str, float, bool, bool]:
    if isinstance(derived, Shard):
        return name, 1 / derived.of, False, False
    if isinstance(derived, Bucket):  # what is written now falls into the bucket of now; reads of several share them
        return name, 1 / asked, False, False
    if isinstance(derived, FunctionOf) and derived.values:
        return name, 1 / len(derived.values), True, False
    return name, 1 / GUESSED_DERIVED_VALUES, True, False


def grows_at_one_end(entity: Entity, placement: Placement) -> bool:
    """Whether new items always sort behind all others, so that a split would leave all the writes in one half."""
    first = next(iter(placement.sort), None)
    return first is not None and _first_type(entity, first) in (date, datetime)


def is_single(placement: Placement) -> bool:
    """Whether a partition holds one item of the entity: no field stands in the sort key."""
    return not any(part.fields for part in placement.sort)


def _first_type(entity: Entity, part: KeyPart) -> Any:
    """The type of what varies first in a sort key."""
    if isinstance(part, NativePart):
        return part.field.type
    slot = next(iter(part.template.slots), None)
    if slot is None:
        return None
    if isinstance(slot, DerivedSlot):
        return datetime if isinstance(slot.derived, Bucket) else None
    return entity.fields[slot.name].type
