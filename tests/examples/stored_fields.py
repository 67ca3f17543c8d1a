"""Compare items that boto3 reads with the fields of an object, without using the library's own code."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

from singletable import Page
from singletable.model.design import Design


def objects_in(answer: Any, design: Design) -> Iterator[Any]:
    """Yield every object of the table's entities, at any depth of a result."""
    if any(type(answer) is entity.cls for entity in design.entities):
        yield answer
    elif isinstance(answer, Mapping):
        for each in answer.values():
            yield from objects_in(each, design)
    elif isinstance(answer, list | tuple | Page):
        for each in answer:
            yield from objects_in(each, design)
    else:
        for name in _fields(type(answer)):
            yield from objects_in(getattr(answer, name), design)


def holds(item: Mapping[str, Any], value: Any, design: Design) -> bool:
    """Return whether the item contains every field of the object, or a KEYS_ONLY index has it in a key."""
    entity = design.entity_of(type(value))
    texts = {segment for stored in item.values() if isinstance(stored, str) for segment in stored.split("#")}
    return all(
        same(getattr(value, name), item.get(entity.attributes[name]))
        or (entity.attributes[name] not in item and str(getattr(value, name)) in texts)
        for name in entity.fields
    )


def same(value: Any, stored: Any) -> bool:
    """Return whether the value of a field equals an attribute."""
    match value:
        case None:
            return stored is None
        case bool() | bytes():
            return bool(value == stored)
        case Enum():
            return same(value.value, stored)
        case datetime():
            if isinstance(stored, Decimal):
                return Decimal(str(value.timestamp())) == stored
            return isinstance(stored, str) and datetime.fromisoformat(stored) == value
        case date():
            return bool(value.isoformat() == stored)
        case int() | float() | Decimal():
            return bool(Decimal(str(value)) == stored)
        case set() | frozenset():
            return {str(each) for each in value} == {str(each) for each in stored or ()}
        case list() | tuple():
            return isinstance(stored, list) and len(value) == len(stored) and all(map(same, value, stored))
        case _:
            return bool(str(value) == stored)


def _fields(cls: type) -> Iterator[str]:
    """Return the fields of a dataclass, a Struct or a pydantic model."""
    if dataclasses.is_dataclass(cls):
        yield from (field.name for field in dataclasses.fields(cls))
    yield from getattr(cls, "__struct_fields__", ())
    yield from getattr(cls, "model_fields", ())
