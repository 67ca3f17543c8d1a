"""Items from JSON files, in DynamoDB JSON or plain JSON, with errors for each attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from singletable.errors import ArgumentRefused, RequestRefused
from singletable.importers.json_document import NESTING_MAX, InvalidJson, load_json, opened_at
from singletable.values.attribute_value import attribute_value
from singletable.values.item_validation import accept_value
from singletable.values.value_checks import check_name

Item = dict[str, dict[str, Any]]
_CONTENT: dict[str, type] = {
    "S": str, "N": str, "B": str, "BOOL": bool, "NULL": bool,
    "SS": list, "NS": list, "BS": list, "L": list, "M": dict,
}  # fmt: skip


def parse_json(text: str, name: str) -> Any:
    """Parse JSON with exact numbers; raise ArgumentRefused with line and column."""
    place = opened_at(text, NESTING_MAX + 1)
    if place is not None:
        where = f"line {place[0]:,}, column {place[1]:,}"
        raise ArgumentRefused(f"{name} is nested deeper than DynamoDB allows, at {where}") from None
    try:
        return load_json(
            text,
            parse_float=Decimal,
            parse_int=Decimal,
            parse_constant=_no_number,
            object_pairs_hook=lambda pairs: _object(pairs, name),
        )
    except InvalidJson as problem:
        where = f"line {problem.line:,}, column {problem.column:,}"
        raise ArgumentRefused(f"{name} is not valid JSON: {problem}, at {where}") from None
    except ArithmeticError:
        raise ArgumentRefused(f"{name}: a number has at most 38 digits and is at most 9.99E+125") from None
    except ValueError as problem:
        if isinstance(problem, ArgumentRefused):
            raise
        raise ArgumentRefused(f"{name} is not valid JSON: {problem}") from None


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is not a number that DynamoDB can store")


def _object(pairs: list[tuple[str, Any]], name: str) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for number, (key, _) in enumerate(pairs) if key in [other for other, _ in pairs[:number]])
        raise ArgumentRefused(f"{name} contains {twice!r} twice in one object; remove one of them")
    return made


def item_of_json(document: Any, name: str, *, is_plain: bool = False) -> Item:
    """Return an item from a JSON object. It is DynamoDB JSON if every value has that form, otherwise plain JSON.

    An item in an export (`{"Item": ...}`) is extracted. Numbers are normalised as in DynamoDB.
    """
    if not isinstance(document, dict):
        raise ArgumentRefused(f'{name} is not an item: write a JSON object, such as {{"PK": "CUST#c1", "total": 12.5}}')
    item: dict[str, Any] = document
    inner = item.get("Item")
    if len(item) == 1 and isinstance(inner, dict) and not is_plain and (not inner or _is_dynamodb_json(inner)):
        item = inner
    if not item:
        raise ArgumentRefused(
            f"{name} is an item without attributes; an item needs at least the key attributes of its table"
        )
    if is_plain or not _is_dynamodb_json(item):
        return {attribute: _plain(value, attribute, name) for attribute, value in item.items()}
    for attribute, value in item.items():
        _check_value(attribute, value, name)
    return item


def untyped_attributes(document: Any) -> list[str]:
    """Return the attributes that are not in DynamoDB JSON, if others are. Such a mixed item is read as plain JSON."""
    if not isinstance(document, dict):
        return []
    found = [name for name, value in document.items() if not _is_typed(value)]
    return found if len(found) < len(document) else []


def items_of_json(text: str, name: str) -> Iterator[Item]:
    """Yield the items of a file: a list, a response with `Items`, one item, or one item per line."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) > 1 and all(line.lstrip().startswith("{") and line.rstrip().endswith("}") for _, line in lines):
        for number, line in lines:
            place = f"{name}, line {number},"
            yield item_of_json(parse_json(line, place), place)
        return
    document = parse_json(text, name)
    held = document.get("Items") if isinstance(document, dict) else None
    found = held if isinstance(held, list) else document if isinstance(document, list) else [document]
    for number, each in enumerate(found, 1):
        yield item_of_json(each, f"item {number} of {name}")


def _is_dynamodb_json(document: dict[str, Any]) -> bool:
    return bool(document) and all(_is_typed(value) for value in document.values())


def _is_typed(value: Any) -> bool:
    if not isinstance(value, dict) or len(value) != 1:
        return False
    ((kind, content),) = value.items()
    return kind in _CONTENT and isinstance(content, _CONTENT[kind])


def _plain(value: Any, attribute: str, name: str) -> dict[str, Any]:
    try:
        typed = attribute_value(value)
    except TypeError as problem:
        message = re.sub(r"Decimal\('([^']*)'\)", r"\1", str(problem))  # shows the number as in the file
        raise ArgumentRefused(f"{name}: {attribute}: {message}") from None
    except RecursionError:
        raise ArgumentRefused(f"{name}: {attribute} is nested deeper than DynamoDB allows") from None
    _check_value(attribute, typed, name)
    return typed


def _check_value(attribute: str, value: dict[str, Any], name: str) -> None:
    """Check a value as DynamoDB does, and normalise its numbers."""
    try:
        check_name(attribute)
        accept_value(value)
    except RequestRefused as problem:
        raise ArgumentRefused(f"{name}: {attribute or 'an attribute'}: {problem.message}") from None
    except UnicodeEncodeError:
        raise ArgumentRefused(f"{name}: {attribute!r} contains a lone surrogate, which UTF-8 cannot encode") from None
    except RecursionError:
        raise ArgumentRefused(f"{name}: {attribute} is nested deeper than DynamoDB allows") from None
