"""ST109: a frequent pattern uses only one or a few partitions, whose throughput limits will throttle it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from singletable.model.derived.shard import Shard
from singletable.model.design import Design
from singletable.model.intents import ItemWriteIntent
from singletable.model.key_template import DerivedSlot
from singletable.model.keys import NativePart, Placement
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.planner.estimate import estimate
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.items_read import constant_fields
from singletable.planner.plan import Plan
from singletable.planner.write_units import units_of_item, write_of_plan
from singletable.values.limits import PARTITION_READ_UNITS_PER_SECOND_MAX, PARTITION_WRITE_UNITS_PER_SECOND_MAX
from singletable.verify.findings import Finding, PlannedDesign, Rule, pattern_finding

RULE = Rule("ST109", "hot partition", "warning")
FREQUENT_WORDS = ("high", "very high")
FREQUENT_PER_SECOND = 100
FEW_PARTITIONS = 10


@dataclass(frozen=True)
class Spot:
    """The partitions that a pattern uses in one index, and the units that one call consumes there."""

    placement: Placement
    partitions: int
    sharded: bool
    units: float
    limit: int

    def load(self, rate: float | None) -> float | None:
        """Return the units per second on each partition; None when the rate is unknown."""
        return None if rate is None else rate * self.units / self.partitions

    def is_hot(self, rate: float | None) -> bool:
        """Whether the load exceeds the partition limit, or the pattern uses few partitions that are not shards."""
        load = self.load(rate)
        return (not self.sharded and self.partitions <= FEW_PARTITIONS) or (load is not None and load > self.limit)


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find frequent patterns that read from or write to few partitions."""
    for plan in planned.plans:
        if frequent(plan.pattern):
            spots = _spots(planned.design, plan)
            yield from (_finding(plan, spot) for spot in spots if spot.is_hot(plan.pattern.rate))


def frequent(pattern: PatternDeclaration) -> bool:
    """Whether a pattern is called often enough to check the load on its partitions."""
    if pattern.rate is not None:
        return pattern.rate >= FREQUENT_PER_SECOND
    return pattern.options.frequency in FREQUENT_WORDS


def _spots(design: Design, plan: Plan) -> Iterator[Spot]:
    entity, intent = plan.entities[0], plan.pattern.intent
    if not isinstance(intent, ItemWriteIntent):
        placement = entity.placements[plan.index.alias]
        partitions, sharded = partition_count(placement, constant_fields(plan))
        if partitions is not None:
            units = estimate(design, plan).units
            yield Spot(placement, partitions, sharded, units, PARTITION_READ_UNITS_PER_SECOND_MAX)
        return
    moved = {alias for alias, placement in entity.placements.items() if placement.fields & intent.changed}
    written = units_of_item(ItemSizes(design), write_of_plan(plan))
    for alias, placement in entity.placements.items():
        partitions, sharded = partition_count(placement)
        if partitions is None or not (intent.kind != "update" or alias in moved or placement.index.is_table):
            continue
        units = written.table if placement.index.is_table else written.indexes.get(placement.index.label, 0.0)
        yield Spot(placement, partitions, sharded, units, PARTITION_WRITE_UNITS_PER_SECOND_MAX)
    yield from _derived_spots(design, plan)


def _derived_spots(design: Design, plan: Plan) -> Iterator[Spot]:
    """Yield the partitions of derived data that a write changes: counters, copies, mirrored edges."""
    for entity, by_index in estimate(design, plan).derived_units:
        for placement in entity.placements.values():
            partitions, sharded = partition_count(placement)
            units = by_index.get(placement.index.label, 0.0)
            if partitions is not None and units:
                yield Spot(placement, partitions, sharded, units, PARTITION_WRITE_UNITS_PER_SECOND_MAX)


def partition_count(placement: Placement, constants: frozenset[str] = frozenset()) -> tuple[int | None, bool]:
    """Return the number of partitions (None when it is unbounded), and whether they are shards."""
    counts, sharded = [1], False
    for part in placement.partition:
        if isinstance(part, NativePart):
            counts.append(1 if part.field.name in constants else len(part.domain or ()))
            continue
        for slot in part.template.slots:
            if isinstance(slot, DerivedSlot):
                sharded = True
                counts.append(slot.derived.of if isinstance(slot.derived, Shard) else 0)
            else:
                counts.append(1 if slot.name in constants else len(slot.codec.domain or ()))
    return prod(counts) or None, sharded


def _finding(plan: Plan, spot: Spot) -> Finding:
    keys = " and ".join(f'{part.attribute} = "{part}"' for part in spot.placement.partition)
    partitions = "one partition" if spot.partitions == 1 else f"{spot.partitions} partitions"
    verb = "writes to" if plan.pattern.is_write else "reads"
    message = f"{verb} only {partitions} of {spot.placement.index.display_name}, {keys}{_load(plan, spot)}"
    remedy = (
        'Shard the partition key: add derived={"shard": shard("id", of=8)}, put {shard} into the partition key '
        "template, and declare @pattern(fanout=8) on the reads."
    )
    return pattern_finding(RULE, plan.pattern, message, remedy)


def _load(plan: Plan, spot: Spot) -> str:
    load = spot.load(plan.pattern.rate)
    if load is None:
        return ""
    kind = "write" if plan.pattern.is_write else "read"
    each = "" if spot.partitions == 1 else " per partition"
    return f": about {load:g} {kind} units per second{each}; the limit of a partition is {spot.limit}"
