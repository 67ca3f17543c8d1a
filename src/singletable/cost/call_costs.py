"""The cost of one call of each pattern, and of one put, update or delete of an object of each entity."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import WriteKind
from singletable.model.table_schema import TABLE
from singletable.planner.estimate import Estimate, estimate, estimate_write
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.plan import Plan
from singletable.planner.planner import plan as planned
from singletable.planner.write_units import write_of_object
from singletable.values.limits import BATCH_GET_KEYS_MAX


@dataclass(frozen=True)
class CallCost:
    """A pattern with the cost of one call and its call rate."""

    plan: Plan
    estimate: Estimate
    requests: int

    @property
    def name(self) -> str:
        """The pattern's name."""
        return self.plan.pattern.name

    @property
    def calls_per_second(self) -> float | None:
        """The declared call rate, or None if the pattern declares none."""
        return self.plan.pattern.calls_per_second

    @property
    def rate_guess(self) -> str | None:
        """The assumed rate, as text, if the pattern declares only a frequency such as `high`. Otherwise None."""
        pattern = self.plan.pattern
        if pattern.rate is not None or pattern.calls_per_second is None:
            return None
        noun = "call" if pattern.calls_per_second == 1 else "calls"
        return f"the frequency {pattern.options.frequency} as {pattern.calls_per_second:,g} {noun} per second"

    @property
    def is_guessed(self) -> bool:
        """Whether the units per second of the pattern depend on a guess."""
        return self.rate_guess is not None or bool(self.estimate.guessed)

    @property
    def reads_per_second(self) -> float:
        """The read units per second, including the reads of a write pattern."""
        cost = self.estimate
        return (self.calls_per_second or 0.0) * (cost.units if cost.kind == "read" else cost.reads)

    @property
    def writes_per_second(self) -> float:
        """The write units per second."""
        return (self.calls_per_second or 0.0) * (self.estimate.units if self.estimate.kind == "write" else 0.0)


@dataclass(frozen=True)
class WriteCost:
    """A write of an entity object, and its cost."""

    entity: Entity
    what: str
    estimate: Estimate


def call_costs(design: Design, sizes: ItemSizes, scale: float = 1.0) -> tuple[CallCost, ...]:
    """Return the cost of every supported pattern, in order of declaration."""
    plans = (planned(design, pattern) for pattern in design.patterns)
    return tuple(call_cost(design, each, sizes, scale) for each in plans if isinstance(each, Plan))


def call_cost(design: Design, plan: Plan, sizes: ItemSizes, scale: float = 1.0) -> CallCost:
    """Return the cost of one call of a plan."""
    cost = estimate(design, plan, sizes, scale)
    requests = plan.requests or plan.pattern.options.fanout or 1
    fetched = cost.items - cost.wasted_items if plan.hydrate else 0
    return CallCost(plan, cost, max(requests, cost.pages + math.ceil(fetched / BATCH_GET_KEYS_MAX)))


def write_costs(design: Design, sizes: ItemSizes, scale: float = 1.0) -> tuple[WriteCost, ...]:
    """Return the cost of the writes of every entity: put, update in place, update of an index key, delete."""
    return tuple(
        WriteCost(entity, what, estimate_write(sizes, write_of_object(design, entity, kind, changed), scale))
        for entity in design.entities
        if entity.declaration.mirror_of is None  # the cost of the original edge includes the mirrored edge
        for what, kind, changed in _writes_by_object(entity)
    )


def _writes_by_object(entity: Entity) -> Iterator[tuple[str, WriteKind, frozenset[str]]]:
    yield "create or put", "create", frozenset()
    fixed = entity.base.fields
    in_keys = frozenset[str]().union(*(placement.fields for placement in entity.placements.values()))
    others = frozenset(entity.fields) - in_keys
    if others:
        yield "update in place", "update", others
    seen: set[str] = set()  # updates that move entries in the same indexes are listed once
    for alias, placement in entity.placements.items():
        movable = placement.fields - fixed
        if alias == TABLE or not movable:
            continue
        names = ", ".join(each.index.label for each in entity.placements.values() if each.fields & movable)
        if names not in seen:
            seen.add(names)
            yield f"update that moves its entry in {names}", "update", movable
    yield "delete", "delete", frozenset()
