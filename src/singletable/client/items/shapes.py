"""Shapes: what msgspec reads a stored value into, and the expression that makes the declared type of it.

A value of DynamoDB's JSON is a map of one member, such as `{"N": "5"}`. A shape names the member, the type of its
content, and what is left to do in Python: `int(...)` for an `int`, nothing for text.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

import msgspec

from singletable.client.items.quick_rows import Quick, QuickColumn
from singletable.client.items.rows import Column
from singletable.client.items.value_reader import Reader, reader_of
from singletable.model.fields import strip


def _as_it_is(content: str) -> str:
    return content


@dataclass(frozen=True)
class Shape:
    """How values of one type are read; without a member, as a plain map that a function reads."""

    member: str | None
    content: Any
    expression: Callable[[str], str] = _as_it_is
    """What is left to do, as source over the content's source."""
    names: Mapping[str, Any] = field(default_factory=dict)
    """What that source speaks of."""
    element: str | None = None
    """For a list, the source of each element, which is called `each`."""
    quick: Quick | None = None
    """How the compiled pass reads it, to the same effect; None where it has to leave that to the rest."""

    @property
    def type(self) -> Any:
        """What msgspec reads a value into."""
        return self.content if self.member is None else _value(self.member, self.content)

    @property
    def type_or_null(self) -> Any:
        """The same where `{"NULL": true}` may stand instead; its content is then None."""
        return self.content if self.member is None else _value_or_null(self.member, self.content)

    @property
    def type_not_null(self) -> Any:
        """The same where it does not stand there, and has been looked for."""
        return self.content if self.member is None else _value(self.member, self.content, alone=True)

    def content_of(self, value: str) -> str:
        """The content of a value, as source."""
        return value if self.member is None else f"{value}.{self.member}"

    def over(self, value: str) -> str:
        """The declared type of a value, as source."""
        return self.expression(self.content_of(value))


# Nothing that is read here refers to what it is part of, so the collector need not look at it: `gc=False`.
@cache
def _value(member: str, content: Any, *, alone: bool = False) -> Any:
    return msgspec.defstruct(f"Value{member}", [(member, content)], gc=False, forbid_unknown_fields=alone)


@cache
def _value_or_null(member: str, content: Any) -> Any:
    members = [(member, content | None, None), ("NULL", bool | None, None)]
    return msgspec.defstruct(f"Value{member}OrNull", members, gc=False, forbid_unknown_fields=True, omit_defaults=True)


_PLAIN: dict[Any, Shape] = {
    str: Shape("S", str, quick=Quick("text")),
    bool: Shape("BOOL", bool, quick=Quick("bool")),
    int: Shape("N", str, lambda content: f"int({content})", quick=Quick("int")),
    float: Shape("N", str, lambda content: f"float({content})", quick=Quick("float")),
    # By its own constructor, which is sooner done than by msgspec.
    Decimal: Shape("N", str, lambda content: f"decimal({content})", {"decimal": Decimal}, quick=Quick("decimal")),
    bytes: Shape("B", bytes),
    datetime: Shape("S", datetime, quick=Quick("moment")),
    date: Shape("S", date),
    UUID: Shape("S", UUID),
}
_SETS: dict[Any, Shape] = {
    str: Shape("SS", list[str]),
    int: Shape("NS", list[str], lambda content: f"map(int, {content})"),
    Decimal: Shape("NS", list[Decimal]),
    bytes: Shape("BS", list[bytes]),
}


def shape_of(annotation: Any, name: str) -> Shape:
    """The shape of a type; the name is what its source calls an object that it needs."""
    declared, optional = strip(annotation)
    if not optional:
        if declared in _PLAIN:
            return _PLAIN[declared]
        shape = _choice(declared, name) or _container(get_origin(declared), get_args(declared), name)
        if shape is not None:
            return shape
    return read_by(reader_of(annotation), name)


def read_by(reader: Reader, name: str) -> Shape:
    """The shape of what a function reads out of the plain map."""
    return Shape(None, dict[str, Any], lambda value: f"{name}({value})", {name: reader})


def text_type(member: str) -> Any:
    """What msgspec reads a value of this kind into, to the letter, so that it can be sent again as it came."""
    return _value(member, str)


@dataclass(frozen=True)
class ConstantColumn(Column):
    """An attribute that has one value in every item; rows with another are refused."""

    quick: QuickColumn = field(kw_only=True)


def constant_column(attribute: str, member: str, kind: Literal["S", "N"], text: str) -> ConstantColumn:
    """The column of an attribute that is always this text, or the number that it writes."""
    quick = Quick("constant", msgspec.json.encode({kind: text}))
    type_ = _value(kind, Literal[text])
    return ConstantColumn(attribute, member, type_, quick=QuickColumn(attribute, quick))


def _choice(declared: Any, name: str) -> Shape | None:
    """One of a few texts: a Literal, or the members of an enumeration."""
    if get_origin(declared) is Literal and all(type(option) is str for option in get_args(declared)):
        return Shape("S", declared, quick=Quick("choice", {option: option for option in get_args(declared)}))
    if isinstance(declared, type) and issubclass(declared, enum.Enum):
        members = {member.value: member for member in declared}
        if all(type(value) is str for value in members):
            quick = Quick("choice", members)
            return Shape("S", str, lambda content: f"{name}[{content}]", {name: members}, quick=quick)
    return None


def _container(kind: Any, arguments: tuple[Any, ...], name: str) -> Shape | None:
    if kind in (set, frozenset) and arguments[0] in _SETS:
        of = _SETS[arguments[0]]
        return Shape(of.member, of.content, lambda content: f"{kind.__name__}({of.expression(content)})")
    if kind is list or (kind is tuple and len(arguments) == 2 and arguments[1] is ...):
        inner = shape_of(arguments[0], name)
        open_, close = ("[", "]") if kind is list else ("tuple([", "])")
        element = inner.over("each")
        return Shape(
            "L",
            list[inner.type],  # type: ignore[name-defined]  # made at run time
            lambda content: f"{open_}{element} for each in {content}{close}",
            inner.names,
            element if kind is list else None,
            inner.quick.listed() if kind is list and inner.quick is not None else None,
        )
    if kind is dict and arguments[0] is str:
        inner = shape_of(arguments[1], name)
        made = f"key: {inner.over('each')} for key, each in "
        return Shape("M", dict[str, inner.type], lambda content: f"{{{made}{content}.items()}}", inner.names)  # type: ignore[name-defined]
    return None
