"""One text for each value, however it is written: what a hash of fields is made of."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from singletable.errors import KeyRefused
from singletable.values.attribute_value import number_text


def canonical_text(value: Any) -> str:
    """The same text for equal values: 1.5 and 1.500, noon in UTC and in Paris, a member and its value."""
    try:
        return _text(value)
    except (TypeError, OverflowError) as problem:
        raise KeyRefused(f"{value!r} has no text that a shard could be made of: {problem}") from problem


def _text(value: Any) -> str:
    match value:
        case Enum():
            return _text(value.value)
        case str() | UUID() | bool():
            return str(value)
        case int() | float() | Decimal():
            return number_text(value)
        case datetime() if value.tzinfo is not None:
            return str(value.astimezone(UTC))
        case datetime():
            raise KeyRefused(f"{value!r} has no time zone; attach one, such as UTC")
        case date():
            return str(value)
        case bytes():
            return value.hex()
        case tuple() if all(isinstance(part, str) for part in value):
            return "\x01".join(value)
        case _:
            raise KeyRefused(f"{value!r} has no one text that a shard could be made of; take a plainer field")
