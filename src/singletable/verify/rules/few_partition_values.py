"""ST121: the partition key has few values, or contains the current day or hour, so a few partitions hold all items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.field_roles import words_of
from singletable.model.keys import Placement
from singletable.planner.formatting import format_count
from singletable.planner.key_proposals import SHARDS, shard_partition
from singletable.planner.key_source import quoted
from singletable.planner.partition_values import PartitionValue, partition_values
from singletable.planner.remedy import (
    Alternative,
    Edit,
    Remedy,
    SetItem,
    SetKeyword,
    entity_place,
    import_from_package,
)
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding
from singletable.verify.rules.constant_partition import grows
from singletable.verify.rules.hot_partition import hot_placements

RULE = Rule("ST121", "few partition key values", "warning")
MANY_PARTITIONS = 1_000
"""A key with this many values or more spreads the items over enough partitions."""


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find partition keys with few values, or with a current time, that do not declare their number of values."""
    reported = hot_placements(planned)
    for entity in planned.design.entities:
        for alias, placement in entity.placements.items():
            if (
                placement.index.is_inverse
                or (placement.sparse and not _is_by_type(placement))
                or (entity.label, alias) in reported
                or not grows(entity, placement)
            ):
                continue
            values = partition_values(entity, placement)
            if not values or any(value.derived is not None or value.is_declared for value in values):
                continue
            if all(value.count or value.is_current_time for value in values):
                yield from _finding(planned.design, entity, placement, values)


def _is_by_type(placement: Placement) -> bool:
    """Return whether the partition key is a type or kind. A sparse index with such a key is not small."""
    names = {name for part in placement.partition for name in part.fields}
    return bool(names) and all(words_of(name)[-1:] in (("type",), ("kind",)) for name in names)


def _finding(
    design: Design, entity: Entity, placement: Placement, values: tuple[PartitionValue, ...]
) -> Iterator[Finding]:
    keys = " and ".join(f'{part.attribute} = "{part}"' for part in placement.partition)
    where = f"{placement.index.display_name}, {keys}"
    times = [value.name for value in values if value.is_current_time]
    count = prod(value.count or 1 for value in values)
    if count >= MANY_PARTITIONS:
        return
    few = [f"{value.name} has {_number(value)}" for value in values if value.count]
    shown = ", ".join([*(f"items that are written at the same time have the same {name}" for name in times), *few])
    message = f"{where} has {'one partition for new items' if times and not few else 'few partitions'}: {shown}"
    yield entity_finding(RULE, entity, message, _remedy(design, entity, placement, values))


def _remedy(design: Design, entity: Entity, placement: Placement, values: tuple[PartitionValue, ...]) -> Remedy:
    """Return the choice between declaring the number of values, and spreading the partitions over shards."""
    declared = Alternative(
        tuple(_cardinality(entity, values)), "Write the number of values, if a few partitions are enough.", True
    )
    sharded = shard_partition(design, entity, placement.index.alias, SHARDS)
    explanation = "Put a field with many values into the partition key, or change the entity:"
    if sharded is None:
        return Remedy(explanation, (declared,))
    effect = f"Each read of a partition then sends {SHARDS} Queries, one per shard."
    return Remedy(
        explanation, (declared, replace(sharded, effect=f"{effect} {sharded.effect}".rstrip(), needs_decision=True))
    )


def _cardinality(entity: Entity, values: tuple[PartitionValue, ...]) -> Iterator[Edit]:
    """Yield the edits that declare the number of values of each field."""
    place, numbers = entity_place(entity), {value.name: _example(value) for value in values}
    if entity.declaration.cardinality:
        yield from (SetItem(place, "cardinality", name, number) for name, number in numbers.items())
    else:
        items = ", ".join(f"{quoted(name)}: {number}" for name, number in numbers.items())
        yield SetKeyword(place, "cardinality", f"{{{items}}}")
    if any(value.is_current_time for value in values):
        yield import_from_package(place, "skewed")


def _number(value: PartitionValue) -> str:
    count = format_count(value.count or 0, "value")
    return f"about {count} (a guess from the name)" if value.is_guess else count


def _example(value: PartitionValue) -> str:
    return "skewed(365, hottest=1)" if value.is_current_time else str(value.count)
