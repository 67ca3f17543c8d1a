"""Attribute values in DynamoDB JSON, such as `{"S": "..."}`: conversion from Python values, equality and order."""

from __future__ import annotations

import base64
import enum
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from singletable.errors import RequestRefused
from singletable.values.scalars import binary_bytes, canonical_number

AttributeValue = dict[str, Any]


def attribute_value(value: Any) -> AttributeValue:
    """Return a Python value as an attribute value; raise TypeError for a value that DynamoDB cannot store."""
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case enum.Enum():
            return attribute_value(value.value)
        case str():
            return {"S": _text(value)}
        case int() | Decimal() | float():
            return {"N": number_text(value)}
        case bytes() | bytearray():
            return {"B": base64.b64encode(value).decode()}
        case datetime():
            return {"S": _datetime_text(value)}
        case date() | UUID():
            return {"S": str(value)}
        case Mapping():
            return _map(value)
        case list() | tuple():
            return {"L": [attribute_value(inner) for inner in value]}
        case set() | frozenset():
            return _set(value)
        case _:
            raise TypeError(f"DynamoDB has no type for {value!r}")


def number_text(value: int | float | Decimal) -> str:
    """Return a number in DynamoDB's canonical notation; raise TypeError if DynamoDB cannot store it."""
    number = Decimal(float.__repr__(value)) if isinstance(value, float) else Decimal(value)
    try:
        return canonical_number(str(number)) if number else "0"
    except RequestRefused:
        message = f"{value!r} is not a valid DynamoDB number: up to 38 digits, from 1E-130 to 9.99E+125"
        raise TypeError(message) from None


def fits(number: Decimal) -> bool:
    """Return whether DynamoDB can store the number exactly."""
    try:
        number_text(number)
    except TypeError:
        return False
    return True


def _datetime_text(value: datetime) -> str:
    if value.utcoffset() is None:
        raise TypeError(
            f"{value!r} has no time zone, but DynamoDB datetimes are stored in UTC; add a time zone, such as UTC"
        )
    try:
        in_utc = value.astimezone(UTC)
    except OverflowError:
        raise TypeError(f"{value!r} is outside the years 1 to 9999 in UTC; pass a datetime in that range") from None
    return in_utc.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def _map(value: Mapping[Any, Any]) -> AttributeValue:
    names = [_name(key) for key in value]
    if len(set(names)) < len(names):
        raise TypeError(
            f"{value!r} has two keys that become the same string, but the keys of a DynamoDB map are "
            "strings and must be unique"
        )
    return {"M": {name: attribute_value(inner) for name, inner in zip(names, value.values(), strict=True)}}


def _name(key: Any) -> str:
    if isinstance(key, enum.Enum):
        return _name(key.value)
    return _text(key) if isinstance(key, str) else str(key)


def _text(text: str) -> str:
    """Return the value as a plain str. `str()` would call `__str__`, which a subclass can override."""
    return text if type(text) is str else str.__str__(text)


def _set(values: set[Any] | frozenset[Any]) -> AttributeValue:
    typed = [attribute_value(value) for value in values]
    kinds = {kind for each in typed for kind in each}
    if len(kinds) == 1 and (kind := kinds.pop()) in ("S", "N", "B"):
        return {f"{kind}S": sorted(each[kind] for each in typed)}
    raise TypeError(
        f"{values!r} is empty or contains several types, but a DynamoDB set contains only strings, only numbers or "
        "only bytes"
    )


def equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether two valid values have the same type and the same content.

    The order of elements matters in a list, but not in a set or a map. Valid numbers and binaries are in canonical
    form, so two of them are equal if their texts are equal.
    """
    ((kind, content),) = one.items()
    if kind not in other:
        return False
    other_content = other[kind]
    match kind:
        case "L":
            return len(content) == len(other_content) and all(map(equal, content, other_content))
        case "M":
            return content.keys() == other_content.keys() and all(
                equal(member, other_content[name]) for name, member in content.items()
            )
        case "SS" | "NS" | "BS":
            return set(content) == set(other_content)
        case _:
            return bool(content == other_content)


def compare(one: dict[str, Any], other: dict[str, Any]) -> int | None:
    """Return -1, 0 or 1 if the first value is less than, equal to or greater than the second one.

    Return None unless both values are strings, both are numbers, or both are binaries: other values have no order.
    """
    ((kind, content),) = one.items()
    if kind not in other or kind not in _SORTABLE:
        return None
    sortable = _SORTABLE[kind]
    left, right = sortable(content), sortable(other[kind])
    return int(left > right) - int(left < right)


# Functions from the text of a value to a Python value that sorts as DynamoDB sorts.
_SORTABLE: dict[str, Callable[[str], Any]] = {
    "S": str,  # Python compares code points and DynamoDB compares UTF-8 bytes, in the same order
    "N": Decimal,
    "B": binary_bytes,
}
