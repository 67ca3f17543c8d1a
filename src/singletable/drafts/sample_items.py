"""A few items of each entity, always the same ones, for those who want to see a table before it has any."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from singletable.drafts.proposals import snake
from singletable.drafts.seen_items import Item
from singletable.errors import SingletableError
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.fields import Field
from singletable.planner.items import item_of, key_of

_FIRST = datetime(2026, 1, 1, 9, 30, tzinfo=UTC)
# Two items in the first partition and one in the second: enough to see a collection and its neighbour.
_PARTITIONS = (1, 1, 2)


def sample_items(design: Design, entity: Entity) -> tuple[Item, ...]:
    """Up to three items, with the keys that the design gives them; none where no value fits the entity's types."""
    found: dict[str, Item] = {}
    for values in _rows(entity):
        try:
            found.setdefault(repr(key_of(entity, values)), item_of(design, entity, values))
        except (SingletableError, ValueError, TypeError):  # a class of the user's own in a key
            continue
    return tuple(found.values())


def _rows(entity: Entity) -> Iterator[dict[str, Any]]:
    shared = frozenset(name for part in entity.base.partition for name in part.fields)
    has_more = bool(entity.base.fields - shared)
    for number, partition in enumerate(_PARTITIONS, start=1):
        place = partition if has_more else number
        values = {
            name: _value(entity, each, place if name in shared else number) for name, each in entity.fields.items()
        }
        if number == len(_PARTITIONS):  # the last one lacks what an item may lack
            values |= {
                name: None for name, each in entity.fields.items() if each.optional and name not in entity.base.fields
            }
        yield values


def _value(entity: Entity, field: Field, number: int) -> Any:
    if field.name == entity.declaration.ttl and field.type in (int, Decimal):
        return int((_FIRST + timedelta(days=365 + number)).timestamp())
    return _of_type(field.type, _spoken(entity, field.name), number)


def _spoken(entity: Entity, name: str) -> str:
    """What a text is called: the id of a user and every `user_id` are `user-1`, so that items belong together."""
    if name == "id":
        return snake(entity.label)
    return name.removesuffix("_id")


def _of_type(kind: Any, name: str, number: int) -> Any:
    if get_origin(kind) is Literal:
        return get_args(kind)[(number - 1) % len(get_args(kind))]
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        members = list(kind)
        return members[(number - 1) % len(members)]
    plain: dict[Any, Any] = {
        str: f"{name}-{number}",
        int: number,
        float: number + 0.5,
        Decimal: Decimal(f"{number}0.50"),
        bool: number % 2 == 1,
        bytes: bytes([number]),
        datetime: _FIRST + timedelta(days=number, minutes=7 * number),
        date: date(2026, 1, number),
        UUID: UUID(int=number),
        tuple[str, ...]: ("root", f"{name}-{number}"),
    }
    if kind in plain:
        return plain[kind]
    origin, arguments = get_origin(kind) or kind, get_args(kind)
    if origin in (list, set, frozenset):
        return origin([_of_type(arguments[0] if arguments else str, name, number)])
    return {} if origin is dict or hasattr(origin, "__annotations__") else f"{name}-{number}"
