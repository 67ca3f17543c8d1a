"""Rows of NoSQL Workbench: items of DynamoDB's JSON, with plain JSON inside maps as some versions write it."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

from singletable.drafts.json_place import Place
from singletable.drafts.seen_items import Item

_TYPES = ("S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def read_row(row: Place) -> Item:
    """An item; raises ImportRefused for a value that DynamoDB could not hold."""
    return {name: _value(place) for name, place in row.members()}


def _value(place: Place) -> dict[str, Any]:
    members = place.mapping()
    if len(members) != 1 or next(iter(members)) not in _TYPES:
        raise place.refuse(f'is no value of DynamoDB\'s JSON, such as {{"S": "text"}}; it has {sorted(members)[:5]}')
    ((kind, content),) = place.members()
    return {kind: _content(kind, content)}


def _content(kind: str, content: Place) -> Any:
    match kind:
        case "S":
            return _text(content)
        case "N":
            return _number(content)
        case "B":
            return _bytes(content)
        case "BOOL":
            return _truth(content)
        case "NULL":
            return True
        case "L":
            return [_inner(each) for each in content.elements()]
        case "M":
            return {name: _inner(each) for name, each in content.members()}
        case _:
            one = {"SS": _text, "NS": _number, "BS": _bytes}[kind]
            return [one(each) for each in content.elements()]


def _inner(place: Place) -> dict[str, Any]:
    """A value inside a map or a list: of DynamoDB's JSON, or plain."""
    value = place.value
    if isinstance(value, dict):
        if len(value) == 1 and next(iter(value)) in _TYPES:
            return _value(place)
        return {"M": {name: _inner(each) for name, each in place.members()}}
    if isinstance(value, list):
        return {"L": [_inner(each) for each in place.elements()]}
    if value is None:
        return {"NULL": True}
    if isinstance(value, bool):
        return {"BOOL": value}
    return {"S": value} if isinstance(value, str) else {"N": _number(place)}


def _text(place: Place) -> str:
    if not isinstance(place.value, str):
        raise place.refuse(f"is {place.value!r}, and should be text")
    return place.value


def _number(place: Place) -> str:
    text = str(place.value)
    if isinstance(place.value, bool) or _NUMBER.fullmatch(text) is None:
        raise place.refuse(f"is {place.value!r}, and should be a number")
    return text


def _bytes(place: Place) -> str:
    text = _text(place)
    try:
        base64.b64decode(text, validate=True)
    except binascii.Error:
        return base64.b64encode(text.encode()).decode()  # Workbench shows bytes as the text that somebody typed
    return text


def _truth(place: Place) -> bool:
    if isinstance(place.value, bool):
        return place.value
    if place.value in ("true", "false"):
        return bool(place.value == "true")
    raise place.refuse(f"is {place.value!r}, and should be true or false")
