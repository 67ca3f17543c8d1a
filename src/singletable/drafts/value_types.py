"""The type of a field, told from the values that were seen of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from singletable.drafts.draft import FieldType

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_SETS: Mapping[str, FieldType] = {"SS": "set[str]", "NS": "set[Decimal]", "BS": "set[bytes]"}


def type_of(values: Iterable[Mapping[str, Any]]) -> FieldType:
    """The narrowest type that every value has and that writes it back as it was; values of NULL say nothing."""
    seen = [next(iter(value.items())) for value in values]
    kinds = {kind for kind, _ in seen} - {"NULL"}
    if len(kinds) != 1:
        return "Any" if kinds else "str"
    (kind,) = kinds
    contents = [content for each, content in seen if each == kind]
    match kind:
        case "S":
            return _text_type(contents)
        case "N":
            return "int" if all(re.fullmatch(r"-?\d{1,38}", text) for text in contents) else "Decimal"
        case "BOOL":
            return "bool"
        case "B":
            return "bytes"
        case "L":
            return "list[str]" if all(set(each) == {"S"} for content in contents for each in content) else "list[Any]"
        case "M":
            return "dict[str, Any]"
        case _:
            return _SETS.get(kind, "Any")


def _text_type(contents: list[str]) -> FieldType:
    """Text, unless it is in the very form in which dates and times are stored here."""
    if all(_MOMENT.fullmatch(text) and _is_moment(text) for text in contents):
        return "datetime"
    if all(_DAY.fullmatch(text) and _is_moment(text) for text in contents):
        return "date"
    return "str"


def _is_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
