"""The rows that an export must contain, computed from objects without the code of the export."""

from __future__ import annotations

import dataclasses
import json
import uuid
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any


def expected(value: Any) -> Any:
    """Return a field of an object in a form that does not depend on the format of a file."""
    if isinstance(value, Enum):
        return expected(value.value)
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, bool | None | str | bytes):
        return value
    if isinstance(value, int | float | Decimal):
        return Decimal(str(value)).normalize() + 0
    if isinstance(value, datetime):
        return value.timestamp()
    if isinstance(value, date | time):
        return value.isoformat() if isinstance(value, date) else value.isoformat("microseconds")
    if isinstance(value, timedelta):
        return Decimal(value // timedelta(microseconds=1)) / 1_000_000 + 0
    if isinstance(value, set | frozenset):
        return sorted((expected(each) for each in value), key=repr)
    if isinstance(value, list | tuple):
        return [expected(each) for each in value]
    if isinstance(value, Mapping):
        return {str(name): expected(each) for name, each in value.items()}
    return {name: expected(each) for name, each in fields_of_object(value).items()}


def fields_of_object(value: Any) -> dict[str, Any]:
    if hasattr(type(value), "model_fields"):
        return {name: getattr(value, name) for name in type(value).model_fields}
    if dataclasses.is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    names = getattr(value, "__struct_fields__", None) or [each.name for each in value.__attrs_attrs__]
    return {name: getattr(value, name) for name in names}


def number(value: Any) -> Any:
    try:
        return Decimal(str(value)).normalize() + 0
    except ArithmeticError:
        return value


def found(value: Any, like: Any) -> Any:
    """Return a value of a file in the form of `expected`. `like` is the expected value, which says how to read text."""
    if value is None:
        return None
    if isinstance(value, str) and value != like:  # numbers and mixed values are text
        try:
            value = json.loads(value, parse_float=Decimal, parse_int=Decimal)
        except ValueError:
            return value
        if value is None:
            return None
    if isinstance(like, bool | str | bytes):
        if isinstance(value, datetime | date):
            return value.isoformat()
        return bytes(value) if isinstance(value, bytearray | memoryview) else value
    if isinstance(like, Decimal):
        return Decimal(value).normalize() + 0 if isinstance(value, Decimal) else number(value)
    if isinstance(like, float):
        return value.timestamp() if isinstance(value, datetime) else value
    if isinstance(like, list) and isinstance(value, list):
        many = [found(each, like[min(number, len(like) - 1)] if like else each) for number, each in enumerate(value)]
        return sorted(many, key=repr) if sorted(like, key=repr) == like else many
    if isinstance(like, dict) and isinstance(value, dict | list):
        pairs = dict(value) if isinstance(value, list) else value
        return {name: found(each, like.get(name)) for name, each in pairs.items()}
    return value
