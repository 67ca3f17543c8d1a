"""What a drafted pattern declares: its options, signature and body, for the file and for the design alike."""

from __future__ import annotations

import re
from collections.abc import Mapping

from singletable.drafts.conditions import Wording
from singletable.drafts.draft import (
    DraftClass,
    DraftEntity,
    DraftEnum,
    DraftParameter,
    DraftPattern,
    DraftTable,
    variable_name,
)
from singletable.drafts.naming import name_of_class
from singletable.drafts.terms import Call, Constant, Declared, FieldOf, Keywords, Named, Of, OrNone, Term
from singletable.errors import DesignError, Problem

MEMBER = re.compile(r"list\[(?P<many>\w+)\](?P<empty> = \[\])?|(?P<one>\w+)(?P<maybe> \| None(?P<absent> = None)?)?")
"""A member of a collection as drafts say it: `Order`, `Order | None` or `list[Order]`."""


def shape_names(table: DraftTable) -> Mapping[str, str]:
    """The classes that collections are read into, by the patterns' names; none hides a name that the file needs."""
    classes: list[DraftEntity | DraftClass | DraftEnum] = [*table.entities, *table.classes, *table.enums]
    names = {each.name: each.view for each in table.patterns if each.kind == "collection" and each.view is not None}
    taken = {table.class_name, *(each.class_name for each in classes), *names.values()}
    for pattern in table.patterns:
        if pattern.kind == "collection" and pattern.view is None:
            names[pattern.name] = name_of_class(pattern.name, taken)
            taken.add(names[pattern.name])
    return names


def shapes_of(table: DraftTable) -> Mapping[str, DraftPattern]:
    """The classes of collections by name, each with the first pattern that is read into it."""
    names = shape_names(table)
    found: dict[str, DraftPattern] = {}
    for pattern in table.patterns:
        if pattern.kind == "collection":
            found.setdefault(names[pattern.name], pattern)
    return found


def shape_members(pattern: DraftPattern) -> tuple[Declared, ...]:
    """The members of a collection: what the draft says, or the head and a list of each of the others."""
    if pattern.members:
        made = (_member(name, kind) for name, kind in pattern.members)
        return tuple(sorted(made, key=lambda each: each.has_default))
    head, *others = pattern.entities
    lists = (Declared(variable_name(each, "s"), Of("list", Named(each))) for each in others)
    return (Declared(variable_name(head), Named(head)), *lists)


def _member(name: str, kind: str) -> Declared:
    found = MEMBER.fullmatch(kind)
    if found is None:
        raise DesignError(Problem(f"{name} is {kind!r}, which is neither a class nor a list of one"))
    if found["many"]:
        many = Of("list", Named(found["many"]))
        return Declared(name, many, found["empty"] is not None, Constant([]))
    one = Named(found["one"])
    return Declared(name, OrNone(one) if found["maybe"] else one, found["absent"] is not None)


def pattern_options(pattern: DraftPattern) -> Keywords:
    """What `@pattern` is given."""
    options: list[tuple[str, Term]] = []
    if pattern.frequency is not None:
        options.append(("frequency", pattern.frequency))
    if pattern.entry is not None:
        options.append(("entry", pattern.entry))
    elif pattern.entry_class is not None:
        options.append(("entry", Named(pattern.entry_class)))
    for name in ("rate", "budget_ms", "fanout", "expected_items", "expected_examined"):
        value = getattr(pattern, name)
        if value is not None:
            options.append((name, int(value) if isinstance(value, float) and value.is_integer() else value))
    if pattern.accept:
        options.append(("accept", pattern.accept))
    return tuple(options)


def pattern_parameters(pattern: DraftPattern, *, by_name: bool) -> tuple[Declared, ...]:
    """What a pattern is given by place, or by name alone; a put that does not say is given the whole item."""
    if pattern.kind in ("put", "create") and not pattern.parameters:
        entity = pattern.entities[0]
        return () if by_name else (Declared(variable_name(entity), Named(entity)),)
    return tuple(
        Declared(each.name, _parameter(each), each.has_default, Constant(each.default))
        for each in pattern.parameters
        if each.by_name == by_name
    )


def _parameter(each: DraftParameter) -> Term:
    if each.range in ("Radius", "Box", "Nearest"):
        return Named(each.range)
    plain = FieldOf(each.type, each.choices)
    kind = Of(each.range, plain) if each.range else plain
    return OrNone(kind) if each.optional else kind


def subject_of(pattern: DraftPattern, shapes: Mapping[str, str]) -> str:
    """The class that a pattern's body reads or writes."""
    return shapes[pattern.name] if pattern.kind == "collection" else pattern.entities[0]


def answer_of(pattern: DraftPattern, subject: str) -> Term:
    """What a pattern's signature promises."""
    answer = Named(pattern.view if pattern.view is not None and pattern.kind != "collection" else subject)
    if pattern.kind in ("query", "within", "ancestors"):
        return Of("Page" if pattern.kind == "query" else "list", answer)
    return OrNone(answer) if pattern.kind in ("get", "collection", "delete") else answer


def body_of(pattern: DraftPattern, subject: str, table: DraftTable) -> Call:
    """What a pattern's body says."""
    wording = Wording(table, subject, [each.name for each in pattern.parameters])
    named: list[tuple[str, Term]] = []
    if pattern.view is not None and pattern.kind != "collection":
        named.append(("view", Named(pattern.view)))
    for option, condition in (("where", pattern.where), ("filter", pattern.filter)):
        if condition is not None:
            named.append((option, wording.condition(condition)))
    if pattern.order_by is not None:
        named.append(("order_by", wording.picked(pattern.order_by)))
    if pattern.newest_first:
        named.append(("newest_first", True))
    if pattern.limit is not None:
        named.append(("limit", wording.parameter(pattern.limit) if isinstance(pattern.limit, str) else pattern.limit))
    for option in ("hydrate", "consistent"):
        if getattr(pattern, option):
            named.append((option, True))
    return Call(pattern.kind, (Named(subject), *map(wording.change, pattern.changes)), tuple(named))
