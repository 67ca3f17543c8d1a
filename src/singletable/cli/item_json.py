"""Items in JSON files, in DynamoDB's own JSON or in plain JSON, read with what is wrong told by attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from singletable.drafts.json_text import NESTING_MAX, NoJson, json_of, opened_at
from singletable.errors import ArgumentRefused, RequestRefused
from singletable.values.accept import accept_value
from singletable.values.attribute_value import attribute_value
from singletable.values.checks import check_name

Item = dict[str, dict[str, Any]]
_CONTENT: dict[str, type] = {
    "S": str, "N": str, "B": str, "BOOL": bool, "NULL": bool,
    "SS": list, "NS": list, "BS": list, "L": list, "M": dict,
}  # fmt: skip


def parsed(text: str, name: str) -> Any:
    """The JSON of a text, numbers to their last digit; raises ArgumentRefused with the place that is wrong."""
    place = opened_at(text, NESTING_MAX + 1)
    if place is not None:
        where = f"line {place[0]:,}, column {place[1]:,}"
        raise ArgumentRefused(f"{name} is nested deeper than any item that DynamoDB holds, at {where}") from None
    try:
        return json_of(
            text,
            parse_float=Decimal,
            parse_int=Decimal,
            parse_constant=_no_number,
            object_pairs_hook=lambda pairs: _object(pairs, name),
        )
    except NoJson as problem:
        where = f"line {problem.line:,}, column {problem.column:,}"
        raise ArgumentRefused(f"{name} is no JSON: {problem}, at {where}") from None
    except ArithmeticError:
        raise ArgumentRefused(f"{name} holds a number that DynamoDB cannot: 38 digits, to 9.99E+125") from None
    except ValueError as problem:
        if isinstance(problem, ArgumentRefused):
            raise
        raise ArgumentRefused(f"{name} is no JSON: {problem}") from None


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number that DynamoDB holds")


def _object(pairs: list[tuple[str, Any]], name: str) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for number, (key, _) in enumerate(pairs) if key in [other for other, _ in pairs[:number]])
        raise ArgumentRefused(f"{name} names {twice!r} twice in one object; take one of them away")
    return made


def item_of_json(document: Any, name: str, *, is_plain: bool = False) -> Item:
    """An item out of a JSON object: DynamoDB JSON where every value looks like it, plain JSON otherwise.

    An item that an export wrapped (`{"Item": ...}`) is taken out. Numbers are written in DynamoDB's plain notation.
    """
    if not isinstance(document, dict):
        raise ArgumentRefused(
            f'{name} is no item: an item is a JSON object, such as {{"PK": "CUST#c1", "total": 12.5}}'
        )
    item: dict[str, Any] = document
    inner = item.get("Item")
    if len(item) == 1 and isinstance(inner, dict) and not is_plain and (not inner or _is_dynamodb_json(inner)):
        item = inner
    if not item:
        raise ArgumentRefused(
            f"{name} is an item without attributes, which DynamoDB refuses: "
            "an item has at least the attributes of its table's key"
        )
    if is_plain or not _is_dynamodb_json(item):
        return {attribute: _plain(value, attribute, name) for attribute, value in item.items()}
    for attribute, value in item.items():
        _accepted(attribute, value, name)
    return item


def untyped_of(document: Any) -> list[str]:
    """The attributes that are no DynamoDB JSON, where others are: all of it is then taken for plain JSON."""
    if not isinstance(document, dict):
        return []
    found = [name for name, value in document.items() if not _is_typed(value)]
    return found if len(found) < len(document) else []


def items_of_json(text: str, name: str) -> Iterator[Item]:
    """The items of a file: a list, an answer of DynamoDB with `Items`, one item, or an item on each line."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) > 1 and all(line.lstrip().startswith("{") and line.rstrip().endswith("}") for _, line in lines):
        for number, line in lines:
            place = f"{name}, line {number},"
            yield item_of_json(parsed(line, place), place)
        return
    document = parsed(text, name)
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
        said = re.sub(r"Decimal\('([^']*)'\)", r"\1", str(problem))  # a number as it was written
        raise ArgumentRefused(f"{name}: {attribute}: {said}") from None
    except RecursionError:
        raise ArgumentRefused(f"{name}: {attribute} is nested deeper than any item that DynamoDB holds") from None
    _accepted(attribute, typed, name)
    return typed


def _accepted(attribute: str, value: dict[str, Any], name: str) -> None:
    """Refuses what DynamoDB would, and writes numbers as it does."""
    try:
        check_name(attribute)
        accept_value(value)
    except RequestRefused as refusal:
        raise ArgumentRefused(f"{name}: {attribute or 'an attribute'}: {refusal.message}") from None
    except UnicodeEncodeError:
        raise ArgumentRefused(
            f"{name}: {attribute!r} holds half of a surrogate pair, which has no UTF-8 form"
        ) from None
    except RecursionError:
        raise ArgumentRefused(f"{name}: {attribute} is nested deeper than any item that DynamoDB holds") from None
