"""The share of an entity's traffic that falls on the hottest partition of the table or an index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from math import prod
from typing import Any

from singletable.model.derived.bucket import Bucket
from singletable.model.derived.derived_function import DerivedFunction
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.derived.shard import Shard
from singletable.model.derived.truncated_time import TruncatedTime
from singletable.model.entity import Entity
from singletable.model.key_template import DerivedSlot
from singletable.model.keys import KeyPart, NativePart, Placement
from singletable.planner.partition_values import PartitionValue, partition_values
from singletable.planner.plan import Plan

GUESSED_VALUES = 10_000
"""The assumed number of equally frequent values of a field without declared cardinality."""
GUESSED_DERIVED_VALUES = 100
"""The assumed number of distinct results of a derived value, such as a geohash cell or a first letter."""


@dataclass(frozen=True)
class PartitionShare:
    """The share of the traffic that the hottest partition receives, from 0 to 1, with its hot fields and guesses."""

    part: float
    hot_fields: tuple[str, ...]
    """Fields whose most frequent value makes the partition hot."""
    guessed: tuple[str, ...]


def share_of(
    entity: Entity,
    placement: Placement,
    fixed: frozenset[str] = frozenset(),
    spread: Mapping[str, int] | None = None,
) -> PartitionShare:
    """Return the share of the hottest partition, assuming that the fields are independent.

    `fixed` are fields that the pattern sets to a constant. `spread` maps fields to the number of values that are read
    at once.
    """
    parts: list[float] = []
    hot: list[str] = []
    guessed: list[str] = []
    for value in partition_values(entity, placement):
        if value.name in fixed:
            continue
        part, guess = _share(value, (spread or {}).get(value.name, 1))
        parts.append(part)
        if value.derived is None:
            hot.append(value.name)
        if guess:
            guessed.append(f"the traffic over {entity.label}.{value.name}: {guess}")
    return PartitionShare(prod(parts), tuple(hot), tuple(guessed))


def spread_values(plan: Plan) -> dict[str, int]:
    """Return the number of values that a read queries for each fan-out: shards, buckets, cells or field values."""
    known = prod(fan_out.count for fan_out in plan.fan_outs if fan_out.count is not None)
    # the number of cells or buckets depends on the arguments
    open_ended = max(1, (plan.pattern.options.fanout or 1) // known)
    return {fan_out.name: open_ended if fan_out.count is None else fan_out.count for fan_out in plan.fan_outs}


def _share(value: PartitionValue, read_at_once: int) -> tuple[float, str]:
    """Return the share of the most frequent value, and the guess that it is based on (empty for a known share)."""
    if isinstance(value.derived, Shard):
        return 1 / value.derived.of, ""
    if isinstance(value.derived, Bucket):  # all writes go to the current bucket, but a read uses several buckets
        return 1 / read_at_once, ""
    if value.hottest is not None:
        return value.hottest, ""
    if value.is_current_time:
        return 1.0, "all on the current value"
    count = value.count
    if count is None:
        count = GUESSED_VALUES if value.derived is None else _derived_count(value.derived)
    return 1 / count, f"uniform over {count:,} values{', a guess from the name' if _is_named(value) else ''}"


def _is_named(value: PartitionValue) -> bool:
    return value.count is not None and value.is_guess


def _derived_count(derived: DerivedValue) -> int:
    values = derived.values if isinstance(derived, DerivedFunction) else None
    return len(values) if values else GUESSED_DERIVED_VALUES


def grows_at_one_end(entity: Entity, placement: Placement) -> bool:
    """Return whether new items always sort last. After a split, all writes would then still go to one half."""
    first = next(iter(placement.sort), None)
    return first is not None and _first_type(entity, first) in (date, datetime)


def is_single(placement: Placement) -> bool:
    """Return whether a partition has at most one item of the entity, because the sort key contains no field."""
    return not any(part.fields for part in placement.sort)


def _first_type(entity: Entity, part: KeyPart) -> Any:
    """Return the type of the first field in a sort key."""
    if isinstance(part, NativePart):
        return part.field.type
    slot = next(iter(part.template.slots), None)
    if slot is None:
        return None
    if isinstance(slot, DerivedSlot):
        return datetime if isinstance(slot.derived, Bucket | TruncatedTime) else None
    return entity.fields[slot.name].type
