"""The number of shards that a hot partition needs: adds a shard to its key, then plans, prices and simulates it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from singletable.cost.call_costs import CallCost, call_costs
from singletable.errors import DesignError, Problem
from singletable.heat.hot_partitions import SINGLE_ITEM, Demand, HotPartition, hot_partitions
from singletable.heat.simulation import Growth, SimulationResult, simulate_hot_partition
from singletable.model.derived.shard import Shard, shard
from singletable.model.design import Design, compile_declarations
from singletable.model.entity import Entity, EntityDeclaration
from singletable.model.key_template import DerivedSlot
from singletable.model.keys import TemplatePart
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.model.table_schema import Sparse
from singletable.planner.estimate import estimate
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.plan import Plan, UnsupportedPattern, Verdict
from singletable.planner.planner import plan
from singletable.values.limits import BATCH_GET_KEYS_MAX

UTILISATION = 0.7
"""The target utilisation of a shard. The rest is for random variation of the traffic."""
SHARDS_MAX = 1_000


@dataclass(frozen=True)
class Sharding:
    """A partition key with enough shards for the traffic, and the design with this key."""

    entity: Entity
    alias: str
    partition: str
    shard_name: str
    shard_fields: tuple[str, ...]
    shards: int
    fanouts: Mapping[str, int]
    """The patterns that read every shard of the new key, with the `fanout` that each must declare."""
    design: Design
    calls: tuple[CallCost, ...]
    course: SimulationResult
    """The simulation of the hottest partition of the new key."""
    before: int | None = None
    """The current number of shards, if any."""

    def __str__(self) -> str:
        fields = ", ".join(f'"{name}"' for name in self.shard_fields)
        key = f'derived={{"{self.shard_name}": shard({fields}, of={self.shards})}}'
        if self.before is not None:
            return f"Use {key} instead of {self.before} shards in {self.entity.label}{self._reads}."
        return f'Add {key} and {self.alias}=("{self.partition}", ...) to {self.entity.label}{self._reads}.'

    @property
    def fanned(self) -> tuple[str, ...]:
        """The patterns that read every shard of the new key."""
        return tuple(self.fanouts)

    @property
    def _reads(self) -> str:
        if not self.fanned:
            return ""
        each = " and ".join(f"@pattern(fanout={requests}) on {name}" for name, requests in self.fanouts.items())
        return f", and declare {each}, because {_they(self.fanned)} every shard"


def _they(names: tuple[str, ...]) -> str:
    return "it reads" if len(names) == 1 else "they read"


def sharding_for(design: Design, hot: HotPartition, growth: Growth) -> Sharding | str:
    """Return a sharding with as few shards as the traffic allows, or the reason why sharding does not help."""
    load = max(hot.loads, key=lambda each: each.demand.partitions)
    entity, alias = load.entity, hot.index.alias
    if hot.unsplittable_reason == SINGLE_ITEM:
        if load.demand.writes:
            return (
                "All writes go to one item, which sharding cannot spread: count with a stream consumer, or in several "
                "items."
            )
        return "All reads go to one item, which sharding cannot spread: cache the item, or store copies of it."
    if not isinstance(_keys(entity.declaration, alias)[0][0], str):
        return "Its partition key is not a template; only a key template can contain a shard."
    own = _own_shard(entity, alias)
    fields = own[1].fields if own is not None else _shard_fields(entity, alias)
    if not fields:
        return "No field outside the partition key distinguishes its items, so no shard can be computed."
    largest = max((load.at_once.partitions for load in hot.bursts), default=0.0)
    needed = math.ceil(max(hot.demand.times(growth.times).partitions, largest) / UTILISATION)
    needed *= 1 if own is None else own[1].of  # the existing shards are equally hot, so their number is multiplied
    most: Sharding | None = None
    for shards in _counts(needed):
        found = _sharded(design, hot, entity, fields, shards, growth)
        if isinstance(found, str) or not found.course.share:
            return found
        most = found
    return _beyond_shards(most, growth)


def _beyond_shards(most: Sharding | None, growth: Growth) -> str:
    """Return the reason why no number of shards is enough."""
    if most is not None and most.fanned:
        loads = _form(most.design, most.calls, most.alias, most.partition).loads
        fanned = sum((load.demand for load in loads if load.pattern in most.fanned), Demand())
        if fanned.times(growth.times).partitions > 1:
            names = " and ".join(most.fanned)
            return (
                f"More shards do not help, because {names} would read every shard: "
                "cache the result, or read less per call."
            )
    return f"Even {SHARDS_MAX:,} shards are not enough; consider whether all traffic must use one access pattern."


def _counts(needed: int) -> Iterator[int]:
    while needed < SHARDS_MAX:
        yield needed
        needed *= 2
    if needed < 2 * SHARDS_MAX:  # if the partition needs less than twice the maximum, the maximum is proposed
        yield SHARDS_MAX


def _shard_fields(entity: Entity, alias: str) -> tuple[str, ...]:
    """Return the fields that distinguish the items of a partition: key fields outside the partition key."""
    placement = entity.placements[alias]
    given = frozenset[str]().union(*(part.fields for part in placement.partition))
    identity = entity.identity or ()
    own = tuple(name for name in identity if name in entity.base.exact_fields and name not in given)
    return own or tuple(sorted(entity.base.exact_fields - given))


def _own_shard(entity: Entity, alias: str) -> tuple[str, Shard] | None:
    """Return the shard that the partition key already contains, with its name. Return None if there is none."""
    for part in entity.placements[alias].partition:
        for slot in part.template.slots if isinstance(part, TemplatePart) else ():
            if isinstance(slot, DerivedSlot) and isinstance(slot.derived, Shard):
                return slot.name, slot.derived
    return None


def _sharded(
    design: Design, hot: HotPartition, entity: Entity, fields: tuple[str, ...], shards: int, growth: Growth
) -> Sharding | str:
    alias, own = hot.index.alias, _own_shard(entity, hot.index.alias)
    taken = {*entity.fields, *entity.declaration.derived}
    free = next(name for name in ("shard", "write_shard", "key_shard", "spread_shard") if name not in taken)
    name, before = (free, None) if own is None else (own[0], own[1].of)
    keys, is_sparse = _keys(entity.declaration, alias)
    partition = f"{keys[0]}{design.settings.delimiter}{{{name}}}" if own is None else keys[0]
    changed: Any = (partition, *keys[1:])
    declaration = replace(
        entity.declaration,
        keys={**entity.declaration.keys, alias: Sparse(changed) if is_sparse else changed},
        derived={**entity.declaration.derived, name: shard(*fields, of=shards)},
        expected_per_partition=_spread(entity.declaration.expected_per_partition, alias, shards / (before or 1)),
    )
    declarations = [declaration if each is entity else each.declaration for each in design.all_entities]
    try:
        made = compile_declarations(design.settings, declarations, design.patterns)
        made, fanned = _replanned(design, made, name, Fraction(shards, before or 1))
    except DesignError as error:
        return f"Sharding it would break the design: {error.problems[0].message}."
    calls = call_costs(made, ItemSizes(made))
    form = _form(made, calls, alias, partition)
    course = simulate_hot_partition(form, growth)
    return Sharding(entity, alias, partition, name, fields, shards, fanned, made, calls, course, before)


def _spread(expected: Mapping[str, int], alias: str, shards: float) -> dict[str, int]:
    """Return the expected items per partition, divided evenly among the shards."""
    return {each: math.ceil(items / shards) if each == alias else items for each, items in expected.items()}


def _form(design: Design, calls: Iterable[CallCost], alias: str, partition: str) -> HotPartition:
    forms = hot_partitions(design, calls)
    return next(form for form in forms if form.index.alias == alias and form.template == partition)


def _keys(declaration: EntityDeclaration, alias: str) -> tuple[tuple[Any, ...], bool]:
    given = declaration.keys[alias]
    is_sparse = isinstance(given, Sparse)
    keys = given.keys if isinstance(given, Sparse) else given
    return (keys if isinstance(keys, tuple) else (keys,)), is_sparse


def _replanned(before: Design, made: Design, shard_name: str, more: Fraction) -> tuple[Design, dict[str, int]]:
    """Set the fan-out that each read needs with the new shards. Raise DesignError if a pattern becomes unsupported."""
    patterns: list[PatternDeclaration] = []
    fanned: dict[str, int] = {}
    for pattern in made.patterns:
        outcome = plan(made, pattern)
        if isinstance(outcome, UnsupportedPattern):
            # the pattern was not supported before the change either
            if isinstance(plan(before, pattern), UnsupportedPattern):
                patterns.append(pattern)
                continue
            raise DesignError([_lost(pattern, outcome.reason)])
        fanout = _fanout(made, pattern, outcome, shard_name, more)
        if fanout is None:
            patterns.append(pattern)
            continue
        patterns.append(replace(pattern, options=replace(pattern.options, fanout=fanout)))
        fanned[pattern.name] = fanout
    return replace(made, patterns=tuple(patterns)), fanned


def _fanout(made: Design, pattern: PatternDeclaration, outcome: Plan, shard_name: str, more: Fraction) -> int | None:
    """Return the fan-out that a pattern must declare with the new shards.

    Return None if its declaration stays the same.
    """
    declared = pattern.options.fanout
    if (
        declared is not None and outcome.queries is None
    ):  # cells or buckets depend on the arguments, and each shard contains all of them
        is_sharded = any(fan_out.name == shard_name for fan_out in outcome.fan_outs)
        return math.ceil(declared * more) if is_sharded else None
    if outcome.verdict is not Verdict.UNDECLARED_FANOUT:
        return None
    if outcome.requests is not None:
        return outcome.requests
    if outcome.queries is None or not outcome.hydrate:
        raise DesignError([_lost(pattern, "the number of requests would depend on its arguments")])
    return outcome.queries + _batches(made, outcome)


def _batches(design: Design, thin: Plan) -> int:
    """Return the number of BatchGetItem requests for a typical result."""
    cost = estimate(design, thin)
    return math.ceil((cost.items - cost.wasted_items) / BATCH_GET_KEYS_MAX)


def _lost(pattern: PatternDeclaration, reason: str) -> Problem:
    return Problem(f"{pattern.name} would no longer be supported: {reason}", pattern.location)
