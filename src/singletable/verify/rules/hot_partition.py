"""ST109: a frequent pattern uses one or a few partitions, so DynamoDB throttles it at the limit of a partition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from singletable.model.derived.shard import Shard
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import ItemWriteIntent
from singletable.model.keys import Placement
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.planner.estimate import estimate
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.items_read import constant_fields
from singletable.planner.key_proposals import SHARDS, shard_partition
from singletable.planner.partition_values import partition_values
from singletable.planner.plan import Plan
from singletable.planner.remedy import Remedy
from singletable.planner.write_units import units_of_item, write_of_plan
from singletable.values.limits import PARTITION_READ_UNITS_PER_SECOND_MAX, PARTITION_WRITE_UNITS_PER_SECOND_MAX
from singletable.verify.findings import Finding, PlannedDesign, Rule, pattern_finding

RULE = Rule("ST109", "hot partition", "warning")
FREQUENT_WORDS = ("high", "very high")
FREQUENT_PER_SECOND = 100
FEW_PARTITIONS = 10
SHARDS_MAX = 1024
"""With more shards than this, sharding is not proposed, because every read would send one Query to each shard."""


@dataclass(frozen=True)
class PartitionUse:
    """The partitions that a call can use: their number, and the share of the calls that the hottest one receives."""

    count: int
    share: float
    sharded: bool
    is_declared: bool
    """Whether `cardinality=` declares the number of values of every field."""
    guessed: tuple[str, ...]
    """The fields whose number of values is a guess from the name."""


@dataclass(frozen=True)
class Spot:
    """The partitions that a pattern uses in one index, and the units that one call consumes there."""

    placement: Placement
    use: PartitionUse
    units: float
    limit: int

    def load(self, rate: float | None) -> float | None:
        """Return the units per second on the hottest partition. Return None if the rate is unknown."""
        return None if rate is None else rate * self.units * self.use.share

    def is_hot(self, rate: float | None) -> bool:
        """Return whether the load exceeds the limit of a partition.

        If the load is unknown, or low only by a guess, return whether there are few partitions without shards.
        """
        load = self.load(rate)
        if load is not None and (load > self.limit or self.use.is_declared):
            return load > self.limit
        return not self.use.sharded and self.use.count <= FEW_PARTITIONS


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find frequent patterns that read from or write to few partitions."""
    for plan in planned.plans:
        if frequent(plan.pattern):
            spots = _spots(planned.design, plan)
            yield from (_finding(planned.design, plan, spot) for spot in spots if spot.is_hot(plan.pattern.rate))


def frequent(pattern: PatternDeclaration) -> bool:
    """Return whether a pattern is called often enough that the load on its partitions is checked."""
    if pattern.rate is not None:
        return pattern.rate >= FREQUENT_PER_SECOND
    return pattern.options.frequency in FREQUENT_WORDS


def _spots(design: Design, plan: Plan) -> Iterator[Spot]:
    entity, intent = plan.entities[0], plan.pattern.intent
    if not isinstance(intent, ItemWriteIntent):
        placement = entity.placements[plan.index.alias]
        use = partition_use(entity, placement, constant_fields(plan))
        if use is not None:
            yield Spot(placement, use, estimate(design, plan).units, PARTITION_READ_UNITS_PER_SECOND_MAX)
        return
    moved = {alias for alias, placement in entity.placements.items() if placement.fields & intent.changed}
    written = units_of_item(ItemSizes(design), write_of_plan(plan))
    for alias, placement in entity.placements.items():
        use = partition_use(entity, placement, writes=True)
        if use is None or not (intent.kind != "update" or alias in moved or placement.index.is_table):
            continue
        units = written.table if placement.index.is_table else written.indexes.get(placement.index.label, 0.0)
        yield Spot(placement, use, units, PARTITION_WRITE_UNITS_PER_SECOND_MAX)
    yield from _derived_spots(design, plan)


def _derived_spots(design: Design, plan: Plan) -> Iterator[Spot]:
    """Yield the partitions of derived data that a write changes: counters, copies, mirrored edges."""
    for entity, by_index in estimate(design, plan).derived_units:
        for placement in entity.placements.values():
            use = partition_use(entity, placement, writes=True)
            units = by_index.get(placement.index.label, 0.0)
            if use is not None and units:
                yield Spot(placement, use, units, PARTITION_WRITE_UNITS_PER_SECOND_MAX)


def partition_use(
    entity: Entity, placement: Placement, constants: frozenset[str] = frozenset(), *, writes: bool = False
) -> PartitionUse | None:
    """Return the partitions that a call can use. Return None if their number is unbounded."""
    counts, share, sharded, declared, guessed = [1], 1.0, False, [], []
    for value in partition_values(entity, placement):
        # All writes within one hour or day go to the partition of the current time.
        if value.name in constants or (writes and value.is_current_time and value.derived is None):
            declared.append(False)
            continue
        sharded = sharded or value.derived is not None
        count = value.derived.of if isinstance(value.derived, Shard) else value.count or 0
        if not count:
            return None
        counts.append(count)
        share *= value.hottest or 1 / count
        declared.append(value.is_declared)
        guessed += [value.name] if value.is_guess and value.derived is None else []
    is_declared = bool(declared) and all(declared)
    return PartitionUse(prod(counts), share, sharded, is_declared, tuple(guessed))


def _finding(design: Design, plan: Plan, spot: Spot) -> Finding:
    keys = " and ".join(f'{part.attribute} = "{part}"' for part in spot.placement.partition)
    use = spot.use
    partitions = "one partition" if use.count == 1 else f"{'about ' if use.guessed else ''}{use.count} partitions"
    verb = "writes to" if plan.pattern.is_write else "reads"
    guess = f" ({', '.join(use.guessed)}: a guess from the name)" if use.guessed else ""
    message = f"{verb} only {partitions} of {spot.placement.index.display_name}, {keys}{guess}{_load(plan, spot)}"
    return pattern_finding(RULE, plan.pattern, message, _remedy(design, plan, spot))


def _remedy(design: Design, plan: Plan, spot: Spot) -> Remedy:
    """Return a remedy that shards the partition key with enough shards that the hottest shard stays below its limit."""
    alias = spot.placement.index.alias
    entity = next(entity for entity in design.entities if entity.placements.get(alias) is spot.placement)
    derived = (value.derived for value in partition_values(entity, spot.placement))
    present = prod(each.of for each in derived if isinstance(each, Shard))
    load, shards = (spot.load(plan.pattern.rate) or 0) * present, max(SHARDS, present)
    while load / shards > spot.limit and shards < SHARDS_MAX:
        shards *= 2
    numbers = ", ".join(f'"{name}": ...' for name in spot.use.guessed)
    declared = f"If there are more values, declare their number: cardinality={{{numbers}}}." if numbers else ""
    if load / shards > spot.limit:
        return Remedy(
            f"Even {shards:,} shards would be too hot: reduce the rate, or cache the reads. {declared}".rstrip()
        )
    sharded = shard_partition(design, entity, alias, shards)
    if sharded is not None:
        return Remedy(declared, (sharded,))
    return Remedy(
        f"Shard the partition key: put a derived value shard(..., of={shards}) into its template, and declare "
        f"fanout={shards} in @pattern of its reads. {declared}".rstrip()
    )


def _load(plan: Plan, spot: Spot) -> str:
    load = spot.load(plan.pattern.rate)
    if load is None:
        return ""
    kind = "write" if plan.pattern.is_write else "read"
    each = "" if spot.use.count == 1 else " per partition"
    return f": about {load:g} {kind} units per second{each}; the limit of a partition is {spot.limit}"


def hot_placements(planned: PlannedDesign) -> frozenset[tuple[str, str]]:
    """Return the entities and indexes whose few partitions this rule reports, by label and alias."""
    found: set[tuple[str, str]] = set()
    for plan in planned.plans:
        entity, is_write = plan.entities[0], plan.pattern.is_write
        aliases = entity.placements if is_write else (plan.index.alias,)
        constants = frozenset[str]() if is_write else constant_fields(plan)
        for alias in aliases if frequent(plan.pattern) else ():
            use = partition_use(entity, entity.placements[alias], constants, writes=is_write)
            if use is not None and use.count <= FEW_PARTITIONS and not use.sharded:
                found.add((entity.label, alias))
    return frozenset(found)
