"""Whether what a model stores can be read back: told when a table is opened or checked, before anything is stored."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, Literal, Union, get_args, get_origin

from singletable.client.items.value_reader import reader_of
from singletable.errors import DesignError, ItemRefused, Problem
from singletable.model.design import Design
from singletable.model.fields import NotAnEntityClass, fields_of, strip

_REMEDY = (
    "A field holds str, int, float, Decimal, bool, bytes, datetime, date, UUID, an Enum, a Literal, a class with such "
    "fields,\n  or a list, tuple, set or dict of them."
)


def refuse_unreadable(design: Design) -> None:
    """Raises DesignError for fields whose values could be stored and never be read."""
    problems = [
        Problem(f"{entity.label}.{name}: {said}", entity.declaration.location, remedy)
        for entity in design.entities
        for name, field in entity.fields.items()
        if name != entity.declaration.ttl
        for said, remedy in _unreadable(field.type, set())
    ]
    if problems:
        raise DesignError(problems)


def _unreadable(annotation: Any, seen: set[Any]) -> Iterator[tuple[str, str | None]]:
    """What is wrong with a type, and with all that it holds, and the way out where it is not said with it."""
    declared, _ = strip(annotation)
    if get_origin(declared) is Literal or declared in seen:
        return
    seen.add(declared)
    try:
        reader_of(declared)
    except ItemRefused as problem:
        is_union = get_origin(declared) in (Union, types.UnionType)
        yield str(problem), None if is_union else _REMEDY
        return
    for inner in get_args(declared):
        if inner is not ...:
            yield from _unreadable(inner, seen)
    try:
        fields = fields_of(declared)
    except (NotAnEntityClass, AttributeError):  # of what is no class at all
        return
    for field in fields.values():
        yield from _unreadable(field.type, seen)
