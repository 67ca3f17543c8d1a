"""What one call costs: of every declared pattern, and of every entity's plain writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.index import TABLE
from singletable.model.intents import WriteKind
from singletable.planner.estimate import Estimate, estimate, estimate_write
from singletable.planner.item_sizes import Sizes
from singletable.planner.plan import Plan
from singletable.planner.planner import plan as planned
from singletable.planner.write_units import plain_write


@dataclass(frozen=True)
class CallCost:
    """A pattern with the cost of one call, and how often it is called."""

    plan: Plan
    estimate: Estimate
    requests: int

    @property
    def name(self) -> str:
        """The pattern's name."""
        return self.plan.pattern.name

    @property
    def calls_per_second(self) -> float | None:
        """How often it is called; None where the model does not say."""
        return self.plan.pattern.calls_per_second

    @property
    def rate_guess(self) -> str | None:
        """What a word of the worksheet was taken for."""
        pattern = self.plan.pattern
        if pattern.rate is not None or pattern.calls_per_second is None:
            return None
        noun = "call" if pattern.calls_per_second == 1 else "calls"
        return f"the frequency {pattern.options.frequency} as {pattern.calls_per_second:,g} {noun} a second"

    @property
    def is_guessed(self) -> bool:
        """Whether its units a second rest on a guess, of how often it is called or of what a call takes."""
        return self.rate_guess is not None or bool(self.estimate.guessed)

    @property
    def reads_per_second(self) -> float:
        """Read units a second, with those that a write needs."""
        cost = self.estimate
        return (self.calls_per_second or 0.0) * (cost.units if cost.kind == "read" else cost.reads)

    @property
    def writes_per_second(self) -> float:
        """Write units a second."""
        return (self.calls_per_second or 0.0) * (self.estimate.units if self.estimate.kind == "write" else 0.0)


@dataclass(frozen=True)
class WriteCost:
    """A plain write of an entity, and what it costs."""

    entity: Entity
    what: str
    estimate: Estimate


def call_costs(design: Design, sizes: Sizes, scale: float = 1.0) -> tuple[CallCost, ...]:
    """Every pattern that has a plan, in order of declaration."""
    plans = (planned(design, pattern) for pattern in design.patterns)
    return tuple(call_cost(design, each, sizes, scale) for each in plans if isinstance(each, Plan))


def call_cost(design: Design, plan: Plan, sizes: Sizes, scale: float = 1.0) -> CallCost:
    """One pattern's call."""
    cost = estimate(design, plan, sizes, scale)
    requests = plan.requests or plan.pattern.options.fanout or 1
    return CallCost(plan, cost, max(requests, cost.pages))


def write_costs(design: Design, sizes: Sizes, scale: float = 1.0) -> tuple[WriteCost, ...]:
    """The plain writes of every entity: a put, changes that stay in place or move an index entry, and a delete."""
    return tuple(
        WriteCost(entity, what, estimate_write(sizes, plain_write(design, entity, kind, changed), scale))
        for entity in design.entities
        if entity.declaration.mirror_of is None  # a mirror is written with what it mirrors, and counted there
        for what, kind, changed in _plain_writes(entity)
    )


def _plain_writes(entity: Entity) -> Iterator[tuple[str, WriteKind, frozenset[str]]]:
    yield "create or put", "create", frozenset()
    fixed = entity.base.fields
    in_keys = frozenset[str]().union(*(placement.fields for placement in entity.placements.values()))
    others = frozenset(entity.fields) - in_keys
    if others:
        yield "update in place", "update", others
    seen: set[str] = set()  # two sets of fields that move the same entries are one kind of update
    for alias, placement in entity.placements.items():
        movable = placement.fields - fixed
        if alias == TABLE or not movable:
            continue
        names = ", ".join(each.index.label for each in entity.placements.values() if each.fields & movable)
        if names not in seen:
            seen.add(names)
            yield f"update that moves it in {names}", "update", movable
    yield "delete", "delete", frozenset()
