"""Values of a field's type that a person can read, the same ones every time."""

from __future__ import annotations

import enum
import types
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Literal, Union, get_args, get_origin
from uuid import UUID

from singletable.model.entity import Entity
from singletable.model.fields import NotAnEntityClass, fields_of
from singletable.sample_rows.words import figure_for, text_for

_FIRST = datetime(2026, 1, 12, 9, 30, tzinfo=UTC)
_APART = timedelta(days=3, hours=1, minutes=20)  # rows of one entity
_BETWEEN_ENTITIES = timedelta(days=14)
_EXPIRES_AFTER = timedelta(days=365)
_PATH = ("acme", "engineering", "web", "forms", "fields")
_DEPTH_MAX = 4  # of classes inside classes, which may hold themselves


@dataclass(frozen=True)
class Wanted:
    """What a value is for: the entity and the field that name it, the initials of ids, and where its time begins."""

    owner: str
    """The entity in small letters: `order_item`."""
    field: str
    initials: str
    starts_at: datetime = _FIRST


def starting_at(place: int) -> datetime:
    """When the rows of the entity at this place of the model begin; those of later ones are later."""
    return _FIRST + place * _BETWEEN_ENTITIES


def snake(label: str) -> str:
    """What a class's name says it is, in small letters: OrderItem is order_item, and CustomerByHash a customer."""
    small = "".join(f"_{each.lower()}" if each.isupper() else each for each in label).lstrip("_")
    return small.partition("_by_")[0]


def initials_of(word: str) -> str:
    """The first letters of a name's parts: `order_item` is oi."""
    return "".join(part[0] for part in word.split("_") if part) or "x"


def expiry_of(kind: Any, wanted: Wanted, number: int) -> Any:
    """When the row of this number expires, as a field of this type says it."""
    moment = wanted.starts_at + number * _APART + _EXPIRES_AFTER
    return moment if kind is datetime else int(moment.timestamp())


def value_of(kind: Any, wanted: Wanted, number: int, depth: int = 0) -> Any:
    """The value in the row of this number, from 0 on."""
    if get_origin(kind) is Literal:
        return get_args(kind)[number % len(get_args(kind))]
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        members = list(kind)
        return members[number % len(members)]
    if isinstance(kind, type) and kind in _PLAIN:
        return _PLAIN[kind](wanted, number)
    if get_origin(kind) in (Union, types.UnionType):
        return value_of(get_args(kind)[0], wanted, number, depth)
    if kind == tuple[str, ...]:
        return _PATH[: number % len(_PATH) + 1]
    return _composed(kind, wanted, number, depth)


def _composed(kind: Any, wanted: Wanted, number: int, depth: int) -> Any:
    origin, arguments = get_origin(kind) or kind, get_args(kind)
    if origin in (list, set, frozenset, tuple):
        inner = [each for each in arguments if each is not ...] or [str]
        many = inner if origin is tuple and ... not in arguments else inner[:1] * 2
        return origin([value_of(each, wanted, number + place, depth + 1) for place, each in enumerate(many)])
    if isinstance(origin, type) and issubclass(origin, Mapping):
        kinds = arguments or (str, str)
        return {"first": value_of(kinds[-1], wanted, number, depth + 1)}
    try:
        fields = fields_of(origin) if depth < _DEPTH_MAX and isinstance(origin, type) else {}
    except (NotAnEntityClass, TypeError, NameError):
        return _text(wanted, number)
    return {
        name: value_of(field.type, Wanted(snake(origin.__name__), name, wanted.initials), number, depth + 1)
        for name, field in fields.items()
        if not field.optional
    }


def _text(wanted: Wanted, number: int) -> str:
    if wanted.field == "id" or wanted.field.endswith("_id"):
        return f"{wanted.initials}{number + 1}"
    known = text_for(wanted.owner, wanted.field, number)
    return known if known is not None else f"{wanted.field.replace('_', '-')}-{number + 1}"


def _moment(wanted: Wanted, number: int) -> datetime:
    return wanted.starts_at + number * _APART


_PLAIN: Mapping[type, Any] = {
    str: _text,
    int: lambda wanted, number: int(figure_for(wanted.field, number)),
    float: lambda wanted, number: float(figure_for(wanted.field, number)),
    Decimal: lambda wanted, number: figure_for(wanted.field, number),
    bool: lambda wanted, number: number % 2 == 0,
    bytes: lambda wanted, number: f"{wanted.field}-{number + 1}".encode(),
    datetime: _moment,
    date: lambda wanted, number: _moment(wanted, number).date(),
    time: lambda wanted, number: _moment(wanted, number).time(),
    timedelta: lambda wanted, number: timedelta(minutes=number + 1),
    UUID: lambda wanted, number: UUID(int=number + 1),
}


def wanted_for(entity: Entity, field: str, place: int) -> Wanted:
    """What a field of the entity at this place of the model is for, where it is linked to no other."""
    owner = snake(entity.label)
    named = owner if field == "id" else field.removesuffix("_id")
    return Wanted(owner, field, initials_of(named), starting_at(place))
