"""Findings from measurements: numbers that do not sort, and partitions that are large, few, uneven or by time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import NamedTuple

from singletable.conformance.key_measurements import (
    NEAR_LIMIT,
    EntityMeasurement,
    KeyMeasurements,
    MeasuredPartitions,
    readable_partition,
)
from singletable.model.design import Design
from singletable.model.entity import Cardinality
from singletable.model.keys import Placement
from singletable.values.limits import LSI_COLLECTION_BYTES_MAX
from singletable.verify.findings import Finding, entity_finding, table_finding
from singletable.verify.item_rules import (
    LARGE_COLLECTION,
    LARGE_PARTITION,
    PARTITION_BY_TIME,
    UNEVEN_PARTITIONS,
    UNPADDED_NUMBER,
)

SHARE_ITEMS_MIN = 1_000
"""Fewer items do not show how evenly the partitions are used."""
FEW_PARTITIONS_MAX = 10
LARGEST_SHARE_MAX = 0.25
TIME_ITEMS_MIN = 10
ITEMS_PER_DECLARED_VALUE_MIN = 10
"""With fewer items, existing values may be missing by chance."""
DECLARED_FACTOR = 2
"""A measurement that differs from a declaration by more than this factor is reported."""


class MeasuredFinding(NamedTuple):
    """A finding about a group of items, with the number of items and an example."""

    finding: Finding
    items: int
    example: str = ""


def measured_findings(
    design: Design, measurements: KeyMeasurements, partitions: list[MeasuredPartitions], *, is_whole: bool
) -> Iterator[MeasuredFinding]:
    """Yield the findings about sort orders and partitions."""
    for measured in measurements.entities.values():
        yield from _unpadded(measured)
    for each in partitions:
        yield from _large_partition(each)
        # A sample of a table contains whole partitions one after another, so it does not show their shares.
        if is_whole or each.placement.index.kind == "GSI":
            yield from _uneven(each)
        yield from _by_time(each)
    yield from _large_collection(design, measurements)


def _unpadded(measured: EntityMeasurement) -> Iterator[MeasuredFinding]:
    for numbers in measured.numbers:
        pair = numbers.wrong_order
        if pair is None:
            continue
        message = f"{numbers.label} in {numbers.place} holds numbers without padding: {pair[1]} sorts before {pair[0]}"
        remedy = f"Declare {numbers.name} as int, and write {{{numbers.name}:06d}} in the template."
        if numbers.prefix:
            remedy = f"Give the numbers in {numbers.name} a fixed width, or sort by a time."
        finding = entity_finding(UNPADDED_NUMBER, measured.entity, message, remedy)
        yield MeasuredFinding(replace(finding, severity="warning"), measured.items)


def _large_partition(each: MeasuredPartitions) -> Iterator[MeasuredFinding]:
    usage, declared = each.usage, each.entity.expected_in(each.placement.index)
    if declared is None or not usage.over_limit:
        return
    message = (
        f"{usage.over_limit:,} of {usage.partitions:,} partitions of {each.placement.index.display_name} have more "
        f"than the declared {declared:,} items; the largest has {usage.largest:,}"
    )
    remedy = f'Declare expected_per_partition={{"{each.placement.index.alias}": {usage.largest}}}, or shard the key.'
    finding = entity_finding(LARGE_PARTITION, each.entity, message, remedy)
    yield MeasuredFinding(finding, usage.largest, readable_partition(usage.largest_partition))


def _uneven(each: MeasuredPartitions) -> Iterator[MeasuredFinding]:
    usage, declared = each.usage, _declared(each)
    measured = (
        f"{each.placement.index.display_name} has {_count(usage.partitions)} for {usage.total:,} items, and the "
        f"largest has {usage.largest_share:.0%} of them"
    )
    if declared is None:
        is_few = usage.partitions <= FEW_PARTITIONS_MAX or usage.largest_share > LARGEST_SHARE_MAX
        if usage.total < SHARE_ITEMS_MIN or not is_few:
            return
        message = measured
        remedy = "Add a field with more values to the partition key, or shard it; otherwise declare cardinality=."
    else:
        if usage.total < ITEMS_PER_DECLARED_VALUE_MIN * declared.values:
            return
        is_few = usage.partitions * DECLARED_FACTOR <= declared.values
        if not is_few and usage.largest_share < declared.hottest * DECLARED_FACTOR:
            return
        message = (
            f"{measured}; but cardinality= declares {declared.values:,} values, and {declared.hottest:.2%} of the "
        )
        message += "items for the most frequent one"
        remedy = "Declare the measured values: skewed(values, hottest=share). Then check the heat again."
    finding = entity_finding(UNEVEN_PARTITIONS, each.entity, message, remedy)
    yield MeasuredFinding(finding, usage.largest, readable_partition(usage.largest_partition))


def _count(partitions: int) -> str:
    return "1 partition" if partitions == 1 else f"{partitions:,} partitions"


def _declared(each: MeasuredPartitions) -> Cardinality | None:
    """Return the declared number of partitions and the share of the hottest one.

    Return None unless the entity declares `cardinality=` for all fields of the partition key.
    """
    fields = _partition_fields(each.placement)
    found = [each.entity.declaration.cardinality.get(name) for name in fields]
    known = [cardinality for cardinality in found if cardinality is not None]
    if not known or len(known) < len(found):
        return None
    return Cardinality(prod(one.values for one in known), prod(one.hottest for one in known))


def _partition_fields(placement: Placement) -> list[str]:
    return sorted(frozenset[str]().union(*(part.fields for part in placement.partition)))


def _by_time(each: MeasuredPartitions) -> Iterator[MeasuredFinding]:
    usage = each.usage
    if not each.is_by_time or usage.partitions < 2 or usage.total < TIME_ITEMS_MIN:
        return
    key = " and ".join(f'{part.attribute} = "{part}"' for part in each.placement.partition)
    message = f"every partition of {each.placement.index.display_name} is a time, {key}, so all new items go to one"
    remedy = "Add a field with many values to the partition key, or shard it. Then move the time into the sort key."
    finding = entity_finding(PARTITION_BY_TIME, each.entity, message, remedy)
    yield MeasuredFinding(finding, usage.total, readable_partition(usage.largest_partition))


def _large_collection(design: Design, measurements: KeyMeasurements) -> Iterator[MeasuredFinding]:
    usage = measurements.collections()
    if usage is None or not usage.over_limit:
        return
    message = (
        f"{usage.over_limit:,} of {usage.partitions:,} item collections have more than {NEAR_LIMIT:.0%} of the 10 GB "
        f"that a table with local indexes allows; the largest has {usage.largest / LSI_COLLECTION_BYTES_MAX:.0%}"
    )
    remedy = "Shard the partition key, or replace the local index with a global index, which has no such limit."
    finding = table_finding(LARGE_COLLECTION, design, message, remedy)
    yield MeasuredFinding(finding, usage.over_limit, readable_partition(usage.largest_partition))
