"""ST109: a frequent pattern on one constant or a few partitions, which a single partition's limits will throttle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from singletable.model.declaration import PatternDeclaration
from singletable.model.derived.shard import Shard
from singletable.model.design import Design
from singletable.model.intents import Write
from singletable.model.keys import NativePart, Placement
from singletable.model.template import DerivedSlot
from singletable.planner.estimate import estimate
from singletable.planner.fixed_fields import fixed_fields
from singletable.planner.item_sizes import Sizes
from singletable.planner.plan import Plan
from singletable.planner.write_units import planned_write, units_of_item
from singletable.values.limits import PARTITION_READ_UNITS_PER_SECOND_MAX, PARTITION_WRITE_UNITS_PER_SECOND_MAX
from singletable.verify.facts import Facts, on_pattern
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST109", "hot partition", "warning")
FREQUENT_WORDS = ("high", "very high")
FREQUENT_PER_SECOND = 100
FEW_PARTITIONS = 10


@dataclass(frozen=True)
class Spot:
    """The partitions that a pattern touches in one index, and the units that one call takes of them."""

    placement: Placement
    partitions: int
    sharded: bool
    units: float
    most: int

    def load(self, rate: float | None) -> float | None:
        """The units that each partition gives in a second, when the rate is known."""
        return None if rate is None else rate * self.units / self.partitions

    def is_hot(self, rate: float | None) -> bool:
        """Whether they are few; shards are spread on purpose and hot only beyond what a partition gives."""
        load = self.load(rate)
        return (not self.sharded and self.partitions <= FEW_PARTITIONS) or (load is not None and load > self.most)


def check(facts: Facts) -> Iterator[Finding]:
    """Frequent reads of few partitions, and frequent writes into them."""
    for plan in facts.plans:
        if frequent(plan.pattern):
            spots = _spots(facts.design, plan)
            yield from (_finding(plan, spot) for spot in spots if spot.is_hot(plan.pattern.rate))


def frequent(pattern: PatternDeclaration) -> bool:
    """Whether a pattern is called often enough for one partition to matter."""
    if pattern.rate is not None:
        return pattern.rate >= FREQUENT_PER_SECOND
    return pattern.options.frequency in FREQUENT_WORDS


def _spots(design: Design, plan: Plan) -> Iterator[Spot]:
    entity, intent = plan.wanted[0], plan.pattern.intent
    if not isinstance(intent, Write):
        placement = entity.placements[plan.index.alias]
        partitions, sharded = partition_count(placement, fixed_fields(plan))
        if partitions is not None:
            units = estimate(design, plan).units
            yield Spot(placement, partitions, sharded, units, PARTITION_READ_UNITS_PER_SECOND_MAX)
        return
    moved = {alias for alias, placement in entity.placements.items() if placement.fields & intent.changed}
    written = units_of_item(Sizes(design), planned_write(plan))
    for alias, placement in entity.placements.items():
        partitions, sharded = partition_count(placement)
        if partitions is None or not (intent.kind != "update" or alias in moved or placement.index.is_table):
            continue
        units = written.table if placement.index.is_table else written.indexes.get(placement.index.label, 0.0)
        yield Spot(placement, partitions, sharded, units, PARTITION_WRITE_UNITS_PER_SECOND_MAX)
    yield from _spots_beside(design, plan)


def _spots_beside(design: Design, plan: Plan) -> Iterator[Spot]:
    """Where a write changes items of other entities: counters, copies, mirrors."""
    for entity, by_index in estimate(design, plan).beside:
        for placement in entity.placements.values():
            partitions, sharded = partition_count(placement)
            units = by_index.get(placement.index.label, 0.0)
            if partitions is not None and units:
                yield Spot(placement, partitions, sharded, units, PARTITION_WRITE_UNITS_PER_SECOND_MAX)


def partition_count(placement: Placement, constants: frozenset[str] = frozenset()) -> tuple[int | None, bool]:
    """How many partitions there are, None when fields of any value decide; and whether they are shards."""
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
    many = "one partition" if spot.partitions == 1 else f"{spot.partitions} partitions"
    verb = "writes into" if plan.pattern.is_write else "reads"
    message = f"{verb} {many} of {spot.placement.index.spoken} only, {keys}{_load(plan, spot)}"
    remedy = (
        'Spread it: derived={"shard": shard("id", of=8)}, {shard} in the partition template, and '
        "@pattern(fanout=8) on the reads."
    )
    return on_pattern(RULE, plan.pattern, message, remedy)


def _load(plan: Plan, spot: Spot) -> str:
    load = spot.load(plan.pattern.rate)
    if load is None:
        return ""
    kind = "write" if plan.pattern.is_write else "read"
    each = "" if spot.partitions == 1 else " on each"
    return f": about {load:g} {kind} units a second{each}, of {spot.most} that a partition gives"
