"""Attribute values in the simplest form: decimals, sets, and sizes computed from their definition."""

from __future__ import annotations

import base64
from decimal import Decimal
from typing import Any

Value = dict[str, Any]
Item = dict[str, Value]
Path = tuple[str | int, ...]

SETS = ("SS", "NS", "BS")


class Invalid(Exception):
    """DynamoDB rejects this with a ValidationException."""


class InvalidEmptyKey(Invalid):
    """An empty key, which fails a whole transaction."""


class InvalidTwice(Invalid):
    """An empty key and a key of the wrong type in one item."""


class Unspecified(Exception):
    """The response of DynamoDB is not documented, so there is nothing to compare."""


def kind_of(value: Value) -> str:
    ((kind, _),) = value.items()
    return kind


def plain_number(number: Decimal) -> str:
    """Return a number without an exponent, a sign of zero, or leading and trailing zeros."""
    if number == 0:
        return "0"
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def normal(value: Value) -> Value:
    """Return the canonical form of a value: normalized numbers and sorted sets."""
    ((kind, content),) = value.items()
    match kind:
        case "N":
            return {kind: plain_number(Decimal(content))}
        case "NS":
            return {kind: sorted(plain_number(Decimal(member)) for member in content)}
        case "SS" | "BS":
            return {kind: sorted(content)}
        case "L":
            return {kind: [normal(element) for element in content]}
        case "M":
            return {kind: normal_item(content)}
        case _:
            return {kind: content}


def normal_item(item: Item) -> Item:
    return {name: normal(value) for name, value in item.items()}


def same(one: Value | None, other: Value | None) -> bool:
    """Return whether two values are equal. A missing value equals nothing."""
    return one is not None and other is not None and normal(one) == normal(other)


def sort_key(value: Value) -> Any:
    """Return the sort key of a string, number or binary."""
    ((kind, content),) = value.items()
    if kind == "N":
        return Decimal(content)
    return content.encode() if kind == "S" else base64.b64decode(content)


def ordered(one: Value | None, other: Value | None) -> bool:
    """Return whether two values can be ordered: both exist and have the same ordered type."""
    return one is not None and other is not None and kind_of(one) == kind_of(other) and kind_of(one) in ("S", "N", "B")


def number_size(text: str) -> int:
    """Return one byte, plus one per two significant digits on either side of the point, plus one for a minus sign."""
    number = Decimal(text)
    if number == 0:
        return 1
    whole, _, fraction = plain_number(number.copy_abs()).partition(".")
    whole = whole.lstrip("0")
    if not fraction:
        whole = whole.rstrip("0")
    if not whole:
        fraction = fraction.lstrip("0")
    return 1 + (len(whole) + 1) // 2 + (len(fraction) + 1) // 2 + (1 if number < 0 else 0)


def value_size(value: Value) -> int:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "N":
            return number_size(content)
        case "B":
            return len(base64.b64decode(content))
        case "BOOL" | "NULL":
            return 1
        case "SS" | "NS" | "BS":
            return sum(value_size({kind[0]: member}) for member in content)
        case "L":
            return 3 + sum(1 + value_size(element) for element in content)
        case _:
            return 3 + len(content) + item_size(content)


def item_size(item: Item) -> int:
    return sum(len(name.encode()) + value_size(value) for name, value in item.items())


def at(item: Item, path: Path) -> Value | None:
    """Return the value at a path, if there is one."""
    value: Value | None = {"M": item}
    for step in path:
        if value is None:
            return None
        if isinstance(step, str):
            value = value.get("M", {}).get(step)
        else:
            elements = value.get("L", [])
            value = elements[step] if step < len(elements) else None
    return value


def parts(item: Item, paths: list[Path]) -> Item:
    """Return the parts of an item at the paths. List elements are in order, without gaps."""
    found = {path for path in paths if at(item, path) is not None}
    return _parts({"M": item}, found)["M"] if found else {}


def _parts(value: Value, paths: set[Path]) -> Value:
    if () in paths:
        return value
    inside: dict[str | int, set[Path]] = {}
    for first, *rest in paths:
        inside.setdefault(first, set()).add(tuple(rest))
    if "L" in value:
        return {"L": [_parts(value["L"][step], inside[step]) for step in range(len(value["L"])) if step in inside]}
    return {"M": {step: _parts(value["M"][step], inside[step]) for step in value["M"] if step in inside}}
