"""Plans of the reads of one entity: get, query and within, tried on every index that the entity is in."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.expressions.tree import Condition, Parameter, paths
from singletable.model.areas import Box
from singletable.model.binding import Binding, bindings_for
from singletable.model.declaration import LIMIT, PatternDeclaration
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import Get, Query, Within
from singletable.model.keys import NativePart, Placement
from singletable.model.ranges import Equal
from singletable.model.recorder import Argument
from singletable.planner.holdings import entities_in
from singletable.planner.key_condition import KeyCondition, key_condition
from singletable.planner.obstacles import (
    FilterOnKey,
    LeavesOut,
    NotProjected,
    NotStrong,
    NotTogether,
    Obstacle,
    SortUnknown,
)
from singletable.planner.operands import KeyTest
from singletable.planner.order import Direction, direction
from singletable.planner.plan import Candidate, LimitOf, Plan
from singletable.planner.projection import missing_fields

DUPLICATES_SHOW_AT = LimitOf(2)
"""A Query for one item asks for two, so that a second one is an error and not a coin toss."""


def read_candidates(design: Design, pattern: PatternDeclaration) -> Iterator[Candidate]:
    """One candidate per index, the table's first."""
    intent = pattern.intent
    assert isinstance(intent, Get | Query | Within), "other intents have planners of their own"
    entity = design.entity_of(intent.entity)
    bindings, _ = bindings_for(pattern, entity)
    for placement in entity.placements.values():
        condition = key_condition(placement, bindings)
        if isinstance(intent, Get):
            yield _get(design, pattern, intent, entity, placement, condition, bindings)
        else:
            yield _query(design, pattern, intent, entity, placement, condition, bindings)


def _get(
    design: Design,
    pattern: PatternDeclaration,
    intent: Get,
    entity: Entity,
    placement: Placement,
    condition: KeyCondition,
    bindings: tuple[Binding, ...],
) -> Candidate:
    index = placement.index
    obstacles = [*condition.obstacles, *_shortcomings(entity, placement, bindings, intent.view, intent.consistent)]
    equal = {name for binding in bindings if binding.test is Equal for name in binding.fields}
    identified = entity.identity is not None and bool(entity.identity) and set(entity.identity) <= equal
    if not condition.complete and (index.is_table or not identified) and not obstacles:
        obstacles.append(SortUnknown(condition.varying.fields if condition.varying else ()))
    direct = index.is_table and condition.complete
    tests = (*condition.partition, *condition.sort)
    foreign = () if direct or obstacles else _foreign(design, entity, placement, tests)
    plan = Plan(
        pattern,
        "GetItem" if direct else "Query",
        index,
        condition.partition,
        condition.sort,
        (entity,),
        foreign=foreign,
        limit=None if direct or foreign else DUPLICATES_SHOW_AT,  # a limit would count what else is in the range
        spreads=condition.spreads,
        view=intent.view,
        consistent=intent.consistent,
    )
    return Candidate(plan, tuple(obstacles))


def _query(
    design: Design,
    pattern: PatternDeclaration,
    intent: Query | Within,
    entity: Entity,
    placement: Placement,
    condition: KeyCondition,
    bindings: tuple[Binding, ...],
) -> Candidate:
    asked = intent if isinstance(intent, Query) else None
    view = asked.view if asked else None
    consistent, hydrate = (asked.consistent, asked.hydrate) if asked else (False, False)
    order = _order(entity, condition, intent, bindings)
    obstacles = [*condition.obstacles, *_shortcomings(entity, placement, bindings, view, consistent, hydrate)]
    obstacles += [order.obstacle] if order.obstacle else []
    obstacles += _filter_obstacles(entity, placement, intent.filter)
    tests = (*condition.partition, *condition.sort)
    foreign = () if obstacles else _foreign(design, entity, placement, tests)
    if foreign and asked is not None and isinstance(asked.limit, int):
        names = ", ".join(other.label for other in foreign)
        why = f"{names} can lie in the range, so limit={asked.limit} would count those items too"
        obstacles.append(NotTogether(why, f"Give {names} a sort key outside the range, or leave out limit=."))
    plan = Plan(
        pattern,
        "Query",
        placement.index,
        condition.partition,
        condition.sort,
        (entity,),
        foreign=foreign,
        forward=order.forward,
        order=order.words,
        limit=limit_of(pattern, asked.limit if asked else None),
        filter=intent.filter,
        spreads=condition.spreads,
        view=view,
        consistent=consistent,
        hydrate=hydrate and bool(missing_fields(entity, placement, None)),
    )
    return Candidate(plan, tuple(obstacles))


def _order(entity: Entity, condition: KeyCondition, intent: Query | Within, bindings: tuple[Binding, ...]) -> Direction:
    if isinstance(intent, Within):
        in_a_box = any(binding.test is Box for binding in bindings)
        return Direction(True, "from south to north, then west to east" if in_a_box else "by distance")
    order_by = str(intent.order_by.steps[0]) if intent.order_by is not None else None
    return direction(entity, condition.varying, order_by, intent.newest_first)


def limit_of(pattern: PatternDeclaration, limit: int | Argument | None, extra: int = 0) -> LimitOf | None:
    """The limit that the body or the signature gives."""
    if isinstance(limit, Argument):
        return LimitOf(Parameter(limit.argument_name), extra)
    if limit is None and LIMIT in pattern.parameters:
        return LimitOf(Parameter(LIMIT), extra)
    return None if limit is None else LimitOf(limit, extra)


def _shortcomings(
    entity: Entity,
    placement: Placement,
    bindings: tuple[Binding, ...],
    view: type | None,
    consistent: bool,
    hydrate: bool = False,
) -> Iterator[Obstacle]:
    index = placement.index
    if consistent and index.kind == "GSI":
        yield NotStrong()
    missing = missing_fields(entity, placement, view)
    if missing and not hydrate:
        yield NotProjected(missing, str(index.projection), upgraded=entity.label if entity.upgrades else "")
    spoken_of = {name for binding in bindings for name in binding.fields}
    absent = tuple(n for n in sorted(placement.fields) if entity.fields[n].optional and n not in spoken_of)
    if absent and not index.is_table:
        yield LeavesOut(absent)


def _filter_obstacles(entity: Entity, placement: Placement, condition: Condition | None) -> Iterator[Obstacle]:
    """DynamoDB refuses a Query's filter on a key attribute of what it queries, and cannot see what is not projected."""
    names = sorted({str(path.steps[0]) for path in paths(condition)})
    keys = {part.field.name for part in placement.parts if isinstance(part, NativePart)}
    if on_keys := tuple(name for name in names if name in keys):
        yield FilterOnKey(on_keys)
    projection = placement.index.projection
    # Every index holds its own key attributes and the table's.
    held = {part.attribute for part in (*entity.base.parts, *placement.parts)} | set(projection.attributes)
    stored = {entity.attributes[name] for name in names} if projection.kind != "ALL" else set()
    if absent := tuple(sorted(stored - held)):
        yield NotProjected(absent, str(projection), (*projection.attributes, *absent))


def _foreign(design: Design, entity: Entity, placement: Placement, tests: tuple[KeyTest, ...]) -> tuple[Entity, ...]:
    return tuple(other for other in entities_in(design, placement.index, tests) if other is not entity)
