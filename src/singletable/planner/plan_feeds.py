"""Plan feeds: one Query that returns items of several entities in the order of a column that their sort keys share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import FeedIntent
from singletable.model.key_template import LiteralText, Slot
from singletable.model.keys import NativePart, TemplatePart
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.model.table_schema import Index
from singletable.planner.index_match import IndexMatch, entities_in_range
from singletable.planner.mismatches import Mismatch, NotTogether
from singletable.planner.operands import KeyComparison, TextOperand, same_atom
from singletable.planner.plan import Candidate, Plan
from singletable.planner.plan_collections import (
    PlacedMember,
    member_conditions,
    member_index_mismatches,
    placed_members,
    same_part,
    shared_fields,
)
from singletable.planner.plan_reads import limit_of
from singletable.planner.sort_key import OpenSlot, ReadOrder, read_order


def feed_candidates(design: Design, pattern: PatternDeclaration) -> Iterator[Candidate]:
    """Yield one candidate per index that contains every entity of the feed."""
    intent = pattern.intent
    assert isinstance(intent, FeedIntent), "other intents have their own planners"
    for index, placed in placed_members(design, intent):
        yield _candidate(design, pattern, intent, index, placed)


def _candidate(
    design: Design, pattern: PatternDeclaration, intent: FeedIntent, index: Index, placed: Sequence[PlacedMember]
) -> Candidate:
    shared, partition_mismatches = shared_fields(placed)
    conditions, mismatches = member_conditions(pattern, placed, shared)
    mismatches = partition_mismatches or mismatches or list(_unshared_column(placed, conditions))
    first, others, order = conditions[0], tuple[Entity, ...](), ReadOrder(not intent.is_reversed, "")
    if not mismatches:
        inside = entities_in_range(design, index, (*first.partition, *first.sort))
        others = tuple(each for each in inside if each not in [member.entity for member in placed])
        order = _order(placed[0].entity, first.open_slot, intent)
        mismatches += [order.mismatch] if order.mismatch else []
        mismatches += _counted_others(others, intent)
    mismatches += member_index_mismatches(placed, intent.consistent)
    plan = Plan(
        pattern,
        "Query",
        index,
        first.partition,
        first.sort,
        tuple(each.entity for each in placed),
        other_entities=others,
        forward=order.forward,
        order=order.words,
        order_unit=order.unit,
        limit=limit_of(pattern, intent.limit),
        fan_outs=first.fan_outs,
        members=tuple(each.member for each in placed),
        consistent=intent.consistent,
        trims=tuple(each.trims for each in conditions) if any(each.trims for each in conditions) else (),
    )
    return Candidate(plan, tuple(dict.fromkeys(mismatches)))


def _order(entity: Entity, open_slot: OpenSlot | None, intent: FeedIntent) -> ReadOrder:
    """Return the order in which the feed reads the column that all sort keys share."""
    assert open_slot is not None, "checked before"
    order_by = None if intent.newest_first or len(open_slot.fields) != 1 else open_slot.fields[0]
    return read_order(entity, open_slot, order_by, intent.newest_first, intent.descending)


def _counted_others(others: Sequence[Entity], intent: FeedIntent) -> Iterator[Mismatch]:
    if others and isinstance(intent.limit, int):
        names = ", ".join(entity.label for entity in others)
        why = f"the range can also contain {names}, and limit={intent.limit} would count those items too"
        yield NotTogether(why, f"Give {names} a sort key outside the range, or remove limit=.")


def _unshared_column(placed: Sequence[PlacedMember], conditions: Sequence[IndexMatch]) -> Iterator[Mismatch]:
    """Yield a mismatch unless the entities have one order.

    Their sort keys must be equal up to and including the first column that no parameter fixes.
    """
    slots = [condition.open_slot for condition in conditions]
    ranges = [condition.sort for condition in conditions]
    if all(_same_range(ranges[0], other) for other in ranges) and _is_same_column(slots):
        return
    keys = " and ".join(f"{each.entity.label} by {_sort_text(each)}" for each in placed)
    why = f"the entities do not share the column that orders them: the index sorts {keys}"
    yield NotTogether(why, _remedy(placed, slots))


def _same_range(first: Sequence[KeyComparison], other: Sequence[KeyComparison]) -> bool:
    if [(test.attribute, test.operator) for test in first] != [(test.attribute, test.operator) for test in other]:
        return False
    pairs = [
        pair for one, two in zip(first, other, strict=True) for pair in zip(one.operands, two.operands, strict=True)
    ]
    return all(
        len(one.atoms) == len(two.atoms) and all(map(same_atom, one.atoms, two.atoms))
        if isinstance(one, TextOperand) and isinstance(two, TextOperand)
        else one.show() == two.show()
        for one, two in pairs
    )


def _is_same_column(slots: Sequence[OpenSlot | None]) -> bool:
    first = slots[0]
    if first is None:
        return False
    for other in slots[1:]:
        if other is None or other.part.attribute != first.part.attribute:
            return False
        if not _has_same_start(first, other):
            return False
    return True


def _has_same_start(first: OpenSlot, other: OpenSlot) -> bool:
    """Whether two key parts are equal up to and including their open slots."""
    if isinstance(first.part, NativePart) and isinstance(other.part, NativePart):
        return (first.part.type, first.part.codec) == (other.part.type, other.part.codec)
    if isinstance(first.part, NativePart) or isinstance(other.part, NativePart):
        return False
    ours, theirs = first.part.template.parts, other.part.template.parts
    place = next(place for place, part in enumerate(ours) if part == first.slot)
    return other.slot in theirs[place : place + 1] and all(map(same_part, ours[: place + 1], theirs[: place + 1]))


def _sort_text(member: PlacedMember) -> str:
    return " and ".join(f'"{part}"' for part in member.placement.sort) or "no sort key"


def _remedy(placed: Sequence[PlacedMember], slots: Sequence[OpenSlot | None]) -> str:
    """Return sort keys that begin with the first column that all entities could share, if there is one."""
    slot = slots[0].slot if slots[0] is not None else None
    made = [] if slot is None else [_with_column_first(each, slot) for each in placed]
    keys = [each for each in made if each is not None]
    if len(keys) < len(placed) or not made:
        return "Begin the sort key of each with the same literal and a time or number of the same format."
    index = placed[0].placement.index.alias
    shown = ", ".join(f'{each.entity.label} "{key}"' for each, key in zip(placed, keys, strict=True))
    return f"Put the shared column first in the {index} sort keys, and the literals of the entities after it: {shown}."


def _with_column_first(member: PlacedMember, slot: Slot) -> str | None:
    """Return the sort key template of a member with the given slot moved to the start. Return None if it has none."""
    for part in member.placement.sort[:1]:
        if isinstance(part, TemplatePart):
            parts = part.template.parts
            found = next((each for each in parts if not isinstance(each, LiteralText) and same_part(slot, each)), None)
            if found is None:
                return None
            delimiter = part.template.delimiter
            rest = delimiter.join(text for text in _text_without(parts, found).split(delimiter) if text)
            return str(found) + (f"{delimiter}{rest}" if rest else "")
    return None


def _text_without(parts: Sequence[LiteralText | Slot], slot: Slot) -> str:
    return "".join(each.text if isinstance(each, LiteralText) else "" if each is slot else str(each) for each in parts)
