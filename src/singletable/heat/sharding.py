"""Sharding a hot partition: the same design with a shard in its key, planned, priced and simulated again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from singletable.cost.calls import CallCost, call_costs
from singletable.errors import DesignError, Problem
from singletable.heat.partitions import Demand, HotPartition, hot_partitions
from singletable.heat.simulation import Course, Growth, hot_course
from singletable.model.declaration import PatternDeclaration
from singletable.model.derived.shard import Shard, shard
from singletable.model.design import Design, compile_declarations
from singletable.model.entity import Entity, EntityDeclaration
from singletable.model.keys import TemplatePart
from singletable.model.positions import Sparse
from singletable.model.template import DerivedSlot
from singletable.planner.estimate import estimate
from singletable.planner.item_sizes import Sizes
from singletable.planner.plan import Plan, Refusal, Verdict
from singletable.planner.planner import plan
from singletable.values.limits import BATCH_GET_KEYS_MAX

UTILISATION = 0.7
"""Which part of a partition's capacity a shard is meant to take, so that chance does not throttle it."""
SHARDS_MAX = 1_000


@dataclass(frozen=True)
class Sharding:
    """A key with a shard in it that carries the traffic, with the design that has it."""

    entity: Entity
    alias: str
    partition: str
    shard_name: str
    shard_fields: tuple[str, ...]
    shards: int
    fanouts: Mapping[str, int]
    """The patterns that read every shard from then on, each with the fan-out that it has to declare."""
    design: Design
    calls: tuple[CallCost, ...]
    course: Course
    """The hottest partition of the new key under the traffic that throttled the old one."""
    before: int | None = None
    """How many shards there are already, where the key has some."""

    def __str__(self) -> str:
        fields = ", ".join(f'"{name}"' for name in self.shard_fields)
        key = f'derived={{"{self.shard_name}": shard({fields}, of={self.shards})}}'
        if self.before is not None:
            return f"Give {self.entity.label} {key} instead of {self.before}{self._reads}."
        return f'Give {self.entity.label} {key} and {self.alias}=("{self.partition}", ...){self._reads}.'

    @property
    def fanned(self) -> tuple[str, ...]:
        """The patterns that read every shard from then on."""
        return tuple(self.fanouts)

    @property
    def _reads(self) -> str:
        if not self.fanned:
            return ""
        each = " and ".join(f"{name} @pattern(fanout={requests})" for name, requests in self.fanouts.items())
        return f", and {each}, since {_they(self.fanned)} every shard"


def _they(names: tuple[str, ...]) -> str:
    return "it reads" if len(names) == 1 else "they read"


def sharding_for(design: Design, hot: HotPartition, growth: Growth) -> Sharding | str:
    """The fewest shards that carry the traffic; in words why none do."""
    load = max(hot.loads, key=lambda each: each.demand.partitions)
    entity, alias = load.entity, hot.index.alias
    if hot.stays_whole == "it is one item":
        if load.demand.writes:
            return "All of it writes one item, which no key can spread: count from the stream, or in several items."
        return "All of it asks for one item, which no key can spread: cache it, or keep copies of it."
    if not isinstance(_keys(entity.declaration, alias)[0][0], str):
        return "Its key is an attribute of its own, or several; only a template can be given a shard."
    own = _own_shard(entity, alias)
    fields = own[1].fields if own is not None else _shard_fields(entity, alias)
    if not fields:
        return "No field beside those of the partition tells its items apart, so there is nothing to make shards of."
    largest = max((load.at_once.partitions for load in hot.bursts), default=0.0)
    needed = math.ceil(max(hot.demand.times(growth.times).partitions, largest) / UTILISATION)
    needed *= 1 if own is None else own[1].of  # each of them is as hot
    most: Sharding | None = None
    for shards in _counts(needed):
        found = _sharded(design, hot, entity, fields, shards, growth)
        if isinstance(found, str) or not found.course.share:
            return found
        most = found
    return _beyond_shards(most, growth)


def _beyond_shards(most: Sharding | None, growth: Growth) -> str:
    """Why no number of shards is enough: reads that ask every shard are not spread by having more of them."""
    if most is not None and most.fanned:
        loads = _form(most.design, most.calls, most.alias, most.partition).loads
        fanned = sum((load.demand for load in loads if load.pattern in most.fanned), Demand())
        if fanned.times(growth.times).partitions > 1:
            names = " and ".join(most.fanned)
            return (
                f"No number of shards carries it, since {names} would read every one of them: "
                "cache what is read, or ask for less of it in one call."
            )
    return f"Not even {SHARDS_MAX:,} shards carry it; ask whether all of it has to go through one access pattern."


def _counts(needed: int) -> Iterator[int]:
    while needed < SHARDS_MAX:
        yield needed
        needed *= 2
    if needed < 2 * SHARDS_MAX:  # the last that were tried are fewer
        yield SHARDS_MAX


def _shard_fields(entity: Entity, alias: str) -> tuple[str, ...]:
    """What tells the items of a partition apart: the fields of the table's key that are not in the partition."""
    placement = entity.placements[alias]
    given = frozenset[str]().union(*(part.fields for part in placement.partition))
    identity = entity.identity or ()
    own = tuple(name for name in identity if name in entity.base.exact_fields and name not in given)
    return own or tuple(sorted(entity.base.exact_fields - given))


def _own_shard(entity: Entity, alias: str) -> tuple[str, Shard] | None:
    """The shard that a partition key has already, by its name."""
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
    declarations = [declaration if each is entity else each.declaration for each in design.entities]
    try:
        made = compile_declarations(design.settings, declarations, design.patterns)
        made, fanned = _replanned(design, made, name, Fraction(shards, before or 1))
    except DesignError as refused:
        return f"Shards in it would break the design: {refused.problems[0].message}."
    calls = call_costs(made, Sizes(made))
    form = _form(made, calls, alias, partition)
    course = hot_course(form, growth)
    return Sharding(entity, alias, partition, name, fields, shards, fanned, made, calls, course, before)


def _spread(expected: Mapping[str, int], alias: str, shards: float) -> dict[str, int]:
    """What lies in a partition, where each of its shards holds an even part of what the whole did."""
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
    """The design with the fan-out that its reads now need; raises DesignError where a pattern is lost."""
    patterns: list[PatternDeclaration] = []
    fanned: dict[str, int] = {}
    for pattern in made.patterns:
        outcome = plan(made, pattern)
        if isinstance(outcome, Refusal):
            if isinstance(plan(before, pattern), Refusal):  # as it was
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
    """The fan-out that a pattern has to declare with the new shards; None when it stays as it is."""
    declared = pattern.options.fanout
    if declared is not None and outcome.queries is None:  # cells or buckets by the arguments, each in every shard
        is_sharded = any(spread.name == shard_name for spread in outcome.spreads)
        return math.ceil(declared * more) if is_sharded else None
    if outcome.verdict is not Verdict.UNDECLARED_FANOUT:
        return None
    if outcome.requests is not None:
        return outcome.requests
    if outcome.queries is None or not outcome.hydrate:
        raise DesignError([_lost(pattern, "how many requests it takes would depend on its arguments")])
    return outcome.queries + _batches(made, outcome)


def _batches(design: Design, thin: Plan) -> int:
    """How many requests fetch the whole items of a usual answer, beside the Queries that find their keys."""
    cost = estimate(design, thin)
    return math.ceil((cost.items - cost.vain_items) / BATCH_GET_KEYS_MAX)


def _lost(pattern: PatternDeclaration, reason: str) -> Problem:
    return Problem(f"{pattern.name} is then no longer answered, since {reason}", pattern.location)
