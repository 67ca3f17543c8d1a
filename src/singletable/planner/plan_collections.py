"""Plan item collections: one Query over a key range that covers all members of the collection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cmp_to_key

from singletable.expressions.tree import Parameter
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.codecs.text_codec import ORDERED_DELIMITER, range_end
from singletable.model.collection_shape import ShapeMember
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import CollectionIntent
from singletable.model.key_template import DerivedSlot, FieldSlot, LiteralText, Part
from singletable.model.keys import KeyPart, NativePart, Placement
from singletable.model.parameter_binding import Binding, type_mismatch
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.model.table_schema import Index
from singletable.planner.index_match import IndexMatch, entities_in_range, match_index
from singletable.planner.mismatches import Mismatch, NotProjected, NotTogether, SparseIndex, StrongReadOnGsi
from singletable.planner.operands import Atom, FixedText, KeyComparison, TextOperand, same_atom
from singletable.planner.plan import Candidate, Plan
from singletable.planner.plan_reads import limit_of, missing_fields
from singletable.planner.sort_key import ReadOrder, read_order


@dataclass(frozen=True)
class PlacedMember:
    """A member of the collection, with the keys of its entity in one index."""

    member: ShapeMember
    entity: Entity
    placement: Placement


def collection_candidates(design: Design, pattern: PatternDeclaration) -> Iterator[Candidate]:
    """Yield one candidate per index that contains every member."""
    intent = pattern.intent
    assert isinstance(intent, CollectionIntent), "other intents have their own planners"
    for index, placed in placed_members(design, intent):
        yield _candidate(design, pattern, intent, index, placed)


def placed_members(design: Design, intent: CollectionIntent) -> Iterator[tuple[Index, list[PlacedMember]]]:
    """Yield each index that contains every member of a collection, with the keys of the members in it."""
    members = design.members(intent)
    for alias, index in design.indexes.items():
        if all(alias in entity.placements for _, entity in members):
            yield index, [PlacedMember(member, entity, entity.placements[alias]) for member, entity in members]


def _candidate(
    design: Design, pattern: PatternDeclaration, intent: CollectionIntent, index: Index, placed: Sequence[PlacedMember]
) -> Candidate:
    shared, partition_mismatches = shared_fields(placed)
    conditions, mismatches = member_conditions(pattern, placed, shared)
    mismatches = partition_mismatches or mismatches
    first = conditions[0]
    sort: tuple[KeyComparison, ...] = ()
    others: tuple[Entity, ...] = ()
    order = ReadOrder(not intent.is_reversed, "")
    if not mismatches:
        labels = {each.entity.label for each in placed}
        ranges = [sort_key_range(condition.sort) for condition in conditions]
        sort = _sort_tests(design, index, first.partition, ranges, labels, any(c.sort_bound for c in conditions))
        inside = entities_in_range(design, index, (*first.partition, *sort))
        others = tuple(entity for entity in inside if entity.label not in labels)
        order = _list_order(placed, conditions, intent)
        mismatches += [order.mismatch] if order.mismatch else []
    limit = limit_of(pattern, intent.limit)
    problem, extra = _limit_mismatch(placed, conditions, others, order.forward)
    if limit is not None and not mismatches:
        mismatches += [problem] if problem else []
        limit = replace(limit, extra=extra)
    mismatches += member_index_mismatches(placed, intent.consistent)
    plan = Plan(
        pattern,
        "Query",
        index,
        first.partition,
        sort,
        tuple(each.entity for each in placed),
        other_entities=others,
        forward=order.forward,
        order=order.words,
        order_unit=order.unit,
        limit=limit,
        fan_outs=first.fan_outs,
        members=tuple(each.member for each in placed),
        consistent=intent.consistent,
        takes_limit=problem is None,
        trims=tuple(condition.trims for condition in conditions) if any(c.trims for c in conditions) else (),
    )
    return Candidate(plan, tuple(dict.fromkeys(mismatches)))


SharedFields = list[tuple[str, ...]]
"""One tuple for each key position that all members share, with the field of each member at this position."""


def shared_fields(placed: Sequence[PlacedMember]) -> tuple[SharedFields, list[Mismatch]]:
    """Return the fields at the same position of every member's keys."""
    shared: SharedFields = []
    for parts in zip(*(each.placement.partition for each in placed), strict=True):
        fields, whole = _unify(parts)
        shared += fields
        if not whole:
            names = ", ".join(f"{each.entity.label} has {part}" for each, part in zip(placed, parts, strict=True))
            return shared, [NotTogether(f"the members do not share a partition key: {names}", is_of_partition=True)]
    sorts = [each.placement.sort for each in placed]
    if all(sorts):
        shared += _unify([sort[0] for sort in sorts])[0]
    return shared, []


def _unify(parts: Sequence[KeyPart]) -> tuple[SharedFields, bool]:
    """Compare a key attribute of several entities, part by part.

    Return the fields at equal positions before the first difference, and whether the attributes match completely.
    """
    first = parts[0]
    if isinstance(first, NativePart):
        is_same = all(isinstance(part, NativePart) and part.type == first.type for part in parts)
        return (
            ([tuple(part.field.name for part in parts if isinstance(part, NativePart))], True)
            if is_same
            else ([], False)
        )
    templates = [part.template.parts for part in parts if not isinstance(part, NativePart)]
    if len(templates) != len(parts):
        return [], False
    shared: SharedFields = []
    for column in zip(*templates, strict=False):
        if not all(same_part(column[0], other) for other in column):
            return shared, False
        if not isinstance(column[0], LiteralText):
            shared += list(zip(*(slot.fields for slot in column if not isinstance(slot, LiteralText)), strict=True))
    return shared, len({len(template) for template in templates}) == 1


def same_part(first: Part, second: Part) -> bool:
    """Return whether two parts of templates have the same form: equal literals, or slots with equal codecs."""
    if isinstance(first, FieldSlot) and isinstance(second, FieldSlot):
        return first.codec == second.codec
    if isinstance(first, DerivedSlot) and isinstance(second, DerivedSlot):
        return replace(first.derived, fields=()) == replace(second.derived, fields=())
    return first == second


def member_conditions(
    pattern: PatternDeclaration, placed: Sequence[PlacedMember], shared: SharedFields
) -> tuple[list[IndexMatch], list[Mismatch]]:
    """Return the match of each member with the parameters, and the mismatches."""
    bindings: list[list[Binding]] = [[] for _ in placed]
    mismatches: list[Mismatch] = []
    for parameter in pattern.bound_parameters:
        source = Parameter(parameter.name)
        fields = next((names for names in shared if parameter.name in names), None)
        for number, each in enumerate(placed):
            name = fields[number] if fields is not None else parameter.name
            field = each.entity.fields.get(name)
            if field is not None and type_mismatch(parameter, field) is None:
                bindings[number].append(Binding((name,), parameter.test, source))
    conditions = [match_index(each.placement, bound) for each, bound in zip(placed, bindings, strict=True)]
    for condition in conditions:
        mismatches += condition.mismatches
    if any(condition.partition != conditions[0].partition for condition in conditions) and not mismatches:
        shown = [" AND ".join(test.show() for test in c.partition) for c in conditions]
        differing = list(dict.fromkeys(shown))
        if len(differing) > 1:
            why = f"the members are in different partitions: {', '.join(differing)}"
            mismatches.append(NotTogether(why, is_of_partition=True))
    return conditions, mismatches


def _sort_tests(
    design: Design,
    index: Index,
    partition: tuple[KeyComparison, ...],
    ranges: Sequence[SortKeyRange | None],
    labels: set[str],
    narrowed: bool,
) -> tuple[KeyComparison, ...]:
    """Return the range that covers all members. Return no comparison if the partition contains only the members."""
    alone = all(entity.label in labels for entity in entities_in_range(design, index, partition))
    if (alone and not narrowed) or not index.sort or any(span is None for span in ranges):
        return ()
    test = covering_range(index.sort[0].name, [span for span in ranges if span is not None])
    return () if test is None else (test,)


def _list_order(
    placed: Sequence[PlacedMember], conditions: Sequence[IndexMatch], intent: CollectionIntent
) -> ReadOrder:
    lists = [(each, c) for each, c in zip(placed, conditions, strict=True) if each.member.kind == "many"]
    if len(lists) != 1 or not intent.is_reversed:
        order = read_order(lists[0][0].entity, lists[0][1].open_slot, None, False) if len(lists) == 1 else None
        words, unit = ("", None) if order is None else (order.words, order.unit)
        return ReadOrder(not intent.is_reversed, words, unit=unit)
    each, condition = lists[0]
    return read_order(each.entity, condition.open_slot, None, intent.newest_first, intent.descending)


def _limit_mismatch(
    placed: Sequence[PlacedMember], conditions: Sequence[IndexMatch], others: tuple[Entity, ...], forward: bool
) -> tuple[Mismatch | None, int]:
    """Return why a limit would also count items outside the list, and the number of single items before the list."""
    many = [number for number, each in enumerate(placed) if each.member.kind == "many"]
    if len(many) != 1:
        why = "a limit needs a shape with exactly one list, because it counts the items of that list"
        return NotTogether(why, "Remove limit=, or read each list with its own query."), 0
    if others:
        names = ", ".join(entity.label for entity in others)
        why = f"the range can also contain {names}, and a limit would count their items too"
        remedy = f"Give {names} a sort key outside the range, or remove limit=."
        return NotTogether(why, remedy, movable=tuple(entity.label for entity in others)), 0
    ranges = [sort_key_range(condition.sort) for condition in conditions]
    listed = ranges[many[0]]
    for number, each in enumerate(placed):
        span = ranges[number]
        if number == many[0]:
            continue
        if not conditions[number].complete:
            why = f"{each.entity.label} is a single member, but its sort key is not fixed"
            return NotTogether(why, f"Make it list[{each.entity.label}], or give it a fixed sort key."), 0
        before = None if span is None or listed is None else (span.before(listed) if forward else listed.before(span))
        if not before:
            way = "ascending" if forward else "descending"
            why = f"{each.entity.label} does not come before the list in {way} order"
            side = "before" if forward else "after"
            remedy = f"Give {each.entity.label} a sort key that sorts {side} the keys of the list, or remove limit=."
            return NotTogether(why, remedy, movable=(each.entity.label,)), 0
    return None, len(placed) - 1


def member_index_mismatches(placed: Sequence[PlacedMember], consistent: bool) -> Iterator[Mismatch]:
    """Yield the reasons why an index does not contain whole, current items of every member."""
    for each in placed:
        if consistent and each.placement.index.kind == "GSI":
            yield StrongReadOnGsi()
        if missing := missing_fields(each.entity, each.placement, None):
            upgraded = each.entity.label if each.entity.upgrades else ""
            yield NotProjected(missing, str(each.placement.index.projection), upgraded=upgraded)
        absent = tuple(name for name in sorted(each.placement.fields) if each.entity.fields[name].optional)
        if absent and not each.placement.index.is_table:
            yield SparseIndex(absent)


class NotComparable(Exception):  # internal exception, which this module always catches
    """The order of two bounds depends on the arguments."""


@dataclass(frozen=True)
class SortKeyRange:
    """A range of sort keys with two bounds."""

    low: tuple[Atom, ...]
    high: tuple[Atom, ...]

    def before(self, other: SortKeyRange) -> bool:
        """Return whether the whole range sorts before the other range."""
        try:
            return _compare(self.high, other.low) < 0
        except NotComparable:
            return False


def sort_key_range(tests: Sequence[KeyComparison]) -> SortKeyRange | None:
    """Return the range of a member's sort key. Return None for a whole partition, or if the key is not a string."""
    if len(tests) != 1 or not all(isinstance(operand, TextOperand) for operand in tests[0].operands):
        return None
    test = tests[0]
    atoms = [operand.atoms for operand in test.operands if isinstance(operand, TextOperand)]
    match test.operator:
        case "=":
            return SortKeyRange(atoms[0], atoms[0])
        case "BETWEEN":
            return SortKeyRange(atoms[0], atoms[1])
        case "begins_with":
            return _prefix_range(atoms[0])
        case _:
            return None


def _prefix_range(atoms: tuple[Atom, ...]) -> SortKeyRange | None:
    """Return the range of keys with a prefix that ends at a delimiter. Return None if it ends inside a segment."""
    tail = atoms[-1]
    if not isinstance(tail, FixedText) or not tail.text.endswith(ORDERED_DELIMITER):
        return None
    stem = tail.text.removesuffix(ORDERED_DELIMITER)
    return SortKeyRange(atoms, (*atoms[:-1], FixedText(stem + range_end(ORDERED_DELIMITER))))


def covering_range(attribute: str, ranges: Sequence[SortKeyRange]) -> KeyComparison | None:
    """Return one comparison that covers all ranges. Return None if the order of the ranges depends on the arguments."""
    try:
        low = min((span.low for span in ranges), key=cmp_to_key(_compare))
        high = max((span.high for span in ranges), key=cmp_to_key(_compare))
    except NotComparable:
        return None
    if low == high:
        return KeyComparison(attribute, "=", (TextOperand(low),))
    prefix = _prefix_range(low)
    if prefix is not None and prefix.high == high:
        return KeyComparison(attribute, "begins_with", (TextOperand(low),))
    return KeyComparison(attribute, "BETWEEN", (TextOperand(low), TextOperand(high)))


def _compare(first: tuple[Atom, ...], second: tuple[Atom, ...]) -> int:
    ours, theirs = list(first), list(second)
    while ours and theirs and same_atom(ours[0], theirs[0]):
        del ours[0], theirs[0]
    if not ours or not theirs:
        return len(ours) - len(theirs)
    left, right = ours[0], theirs[0]
    if not (isinstance(left, FixedText) and isinstance(right, FixedText)):
        raise NotComparable
    if left.text.startswith(right.text) or right.text.startswith(left.text):
        return _compare_prefixes(left.text, right.text, len(ours) > 1, len(theirs) > 1)
    return -1 if left.text < right.text else 1


def _compare_prefixes(left: str, right: str, left_continues: bool, right_continues: bool) -> int:
    if len(left) < len(right) and not left_continues:
        return -1
    if len(right) < len(left) and not right_continues:
        return 1
    raise NotComparable
