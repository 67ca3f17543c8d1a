"""Plans of item collections: members whose partitions are one, read by one Query over the hull of their ranges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from singletable.expressions.tree import Parameter
from singletable.model.binding import Binding, disagreement
from singletable.model.declaration import PatternDeclaration
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.index import Index
from singletable.model.intents import Collection
from singletable.model.keys import KeyPart, NativePart, Placement
from singletable.model.shape import Member
from singletable.model.template import DerivedSlot, FieldSlot, Literal, Part
from singletable.planner.holdings import entities_in
from singletable.planner.hull import Span, hull, span_of
from singletable.planner.key_condition import KeyCondition, key_condition
from singletable.planner.obstacles import LeavesOut, NotProjected, NotStrong, NotTogether, Obstacle
from singletable.planner.operands import KeyTest
from singletable.planner.order import Direction, direction
from singletable.planner.plan import Candidate, Plan
from singletable.planner.projection import missing_fields
from singletable.planner.reads import limit_of


@dataclass(frozen=True)
class Placed:
    """A member of the shape with its entity's place in the index that is being tried."""

    member: Member
    entity: Entity
    placement: Placement


def collection_candidates(design: Design, pattern: PatternDeclaration) -> Iterator[Candidate]:
    """One candidate per index that holds every member."""
    intent = pattern.intent
    assert isinstance(intent, Collection), "other intents have planners of their own"
    members = design.members(intent)
    for alias, index in design.indexes.items():
        if all(alias in entity.placements for _, entity in members):
            placed = [Placed(member, entity, entity.placements[alias]) for member, entity in members]
            yield _candidate(design, pattern, intent, index, placed)


def _candidate(
    design: Design, pattern: PatternDeclaration, intent: Collection, index: Index, placed: Sequence[Placed]
) -> Candidate:
    shared, apart = _shared_fields(placed)
    conditions, obstacles = _conditions(pattern, placed, shared)
    obstacles = apart or obstacles
    first = conditions[0]
    sort: tuple[KeyTest, ...] = ()
    foreign: tuple[Entity, ...] = ()
    extra, order = 0, Direction(not intent.newest_first, "")
    if not obstacles:
        wanted = {each.entity.label for each in placed}
        spans = [span_of(condition.sort) for condition in conditions]
        sort = _sort_tests(design, index, first.partition, spans, wanted, any(c.sort_bound for c in conditions))
        inside = entities_in(design, index, (*first.partition, *sort))
        foreign = tuple(entity for entity in inside if entity.label not in wanted)
        order = _list_order(placed, conditions, intent)
        obstacles += [order.obstacle] if order.obstacle else []
    limit = limit_of(pattern, intent.limit)
    if limit is not None and not obstacles:
        problem, extra = _limit_problem(placed, conditions, foreign, order.forward)
        obstacles += [problem] if problem else []
        limit = replace(limit, extra=extra)
    obstacles += _shortcomings(placed, intent.consistent)
    plan = Plan(
        pattern,
        "Query",
        index,
        first.partition,
        sort,
        tuple(each.entity for each in placed),
        foreign=foreign,
        forward=order.forward,
        order=order.words,
        limit=limit,
        spreads=first.spreads,
        members=tuple(each.member for each in placed),
        consistent=intent.consistent,
    )
    return Candidate(plan, tuple(dict.fromkeys(obstacles)))


SharedFields = list[tuple[str, ...]]
"""For each place that all members share: the field that each member has there, in the members' order."""


def _shared_fields(placed: Sequence[Placed]) -> tuple[SharedFields, list[Obstacle]]:
    """The fields that are one because they stand in the same place of every member's keys."""
    shared: SharedFields = []
    for parts in zip(*(each.placement.partition for each in placed), strict=True):
        fields, whole = _unify(parts)
        shared += fields
        if not whole:
            names = ", ".join(f"{each.entity.label} has {part}" for each, part in zip(placed, parts, strict=True))
            return shared, [NotTogether(f"the members do not share a partition: {names}")]
    sorts = [each.placement.sort for each in placed]
    if all(sorts):
        shared += _unify([sort[0] for sort in sorts])[0]
    return shared, []


def _unify(parts: Sequence[KeyPart]) -> tuple[SharedFields, bool]:
    """Fields in the same place as far as the parts agree, and whether they agree to the end."""
    first = parts[0]
    if isinstance(first, NativePart):
        alike = all(isinstance(part, NativePart) and part.type == first.type for part in parts)
        return (
            ([tuple(part.field.name for part in parts if isinstance(part, NativePart))], True) if alike else ([], False)
        )
    templates = [part.template.parts for part in parts if not isinstance(part, NativePart)]
    if len(templates) != len(parts):
        return [], False
    shared: SharedFields = []
    for column in zip(*templates, strict=False):
        if not all(_alike(column[0], other) for other in column):
            return shared, False
        if not isinstance(column[0], Literal):
            shared += list(zip(*(slot.fields for slot in column if not isinstance(slot, Literal)), strict=True))
    return shared, len({len(template) for template in templates}) == 1


def _alike(first: Part, second: Part) -> bool:
    if isinstance(first, FieldSlot) and isinstance(second, FieldSlot):
        return first.codec == second.codec
    if isinstance(first, DerivedSlot) and isinstance(second, DerivedSlot):
        return replace(first.derived, fields=()) == replace(second.derived, fields=())
    return first == second


def _conditions(
    pattern: PatternDeclaration, placed: Sequence[Placed], shared: SharedFields
) -> tuple[list[KeyCondition], list[Obstacle]]:
    """The key condition of each member, from the parameters that speak of it."""
    bindings: list[list[Binding]] = [[] for _ in placed]
    obstacles: list[Obstacle] = []
    for parameter in pattern.bound_parameters:
        source = Parameter(parameter.name)
        fields = next((names for names in shared if parameter.name in names), None)
        for number, each in enumerate(placed):
            name = fields[number] if fields is not None else parameter.name
            field = each.entity.fields.get(name)
            if field is not None and disagreement(parameter, field) is None:
                bindings[number].append(Binding((name,), parameter.test, source))
    conditions = [key_condition(each.placement, bound) for each, bound in zip(placed, bindings, strict=True)]
    for condition in conditions:
        obstacles += condition.obstacles
    if any(condition.partition != conditions[0].partition for condition in conditions) and not obstacles:
        shown = [" AND ".join(test.show() for test in c.partition) for c in conditions]
        differing = list(dict.fromkeys(shown))
        if len(differing) > 1:
            obstacles.append(NotTogether(f"the members lie in different partitions: {', '.join(differing)}"))
    return conditions, obstacles


def _sort_tests(
    design: Design,
    index: Index,
    partition: tuple[KeyTest, ...],
    spans: Sequence[Span | None],
    wanted: set[str],
    narrowed: bool,
) -> tuple[KeyTest, ...]:
    """Nothing when the partition holds the members only; else the hull of their ranges."""
    alone = all(entity.label in wanted for entity in entities_in(design, index, partition))
    if (alone and not narrowed) or not index.sort or any(span is None for span in spans):
        return ()
    test = hull(index.sort[0].name, [span for span in spans if span is not None])
    return () if test is None else (test,)


def _list_order(placed: Sequence[Placed], conditions: Sequence[KeyCondition], intent: Collection) -> Direction:
    lists = [(each, c) for each, c in zip(placed, conditions, strict=True) if each.member.kind == "many"]
    if len(lists) != 1 or not intent.newest_first:
        words = direction(lists[0][0].entity, lists[0][1].varying, None, False).words if len(lists) == 1 else ""
        return Direction(not intent.newest_first, words)
    each, condition = lists[0]
    return direction(each.entity, condition.varying, None, True)


def _limit_problem(
    placed: Sequence[Placed], conditions: Sequence[KeyCondition], foreign: tuple[Entity, ...], forward: bool
) -> tuple[Obstacle | None, int]:
    """Why a limit would cut off more than the list, or how many single items are read before it."""
    many = [number for number, each in enumerate(placed) if each.member.kind == "many"]
    if len(many) != 1:
        why = "a limit needs a shape with exactly one list, since it counts that list's items"
        return NotTogether(why, "Leave out limit=, or read each list with a query of its own."), 0
    if foreign:
        names = ", ".join(entity.label for entity in foreign)
        why = f"{names} can lie in the range, so a limit would count those items too"
        return NotTogether(why, f"Give {names} a sort key outside the range, or leave out limit=."), 0
    spans = [span_of(condition.sort) for condition in conditions]
    listed = spans[many[0]]
    for number, each in enumerate(placed):
        span = spans[number]
        if number == many[0]:
            continue
        if not conditions[number].complete:
            why = f"{each.entity.label} is a single member, but its sort key is not fixed"
            return NotTogether(why, f"Make it list[{each.entity.label}], or give it a fixed sort key."), 0
        before = None if span is None or listed is None else (span.before(listed) if forward else listed.before(span))
        if not before:
            way = "ascending" if forward else "descending"
            why = f"{each.entity.label} does not come before the list when the sort key is read {way}"
            side = "before" if forward else "after"
            remedy = f"Give {each.entity.label} a sort key that sorts {side} those of the list, or leave out limit=."
            return NotTogether(why, remedy), 0
    return None, len(placed) - 1


def _shortcomings(placed: Sequence[Placed], consistent: bool) -> Iterator[Obstacle]:
    for each in placed:
        if consistent and each.placement.index.kind == "GSI":
            yield NotStrong()
        if missing := missing_fields(each.entity, each.placement, None):
            upgraded = each.entity.label if each.entity.upgrades else ""
            yield NotProjected(missing, str(each.placement.index.projection), upgraded=upgraded)
        absent = tuple(name for name in sorted(each.placement.fields) if each.entity.fields[name].optional)
        if absent and not each.placement.index.is_table:
            yield LeavesOut(absent)
