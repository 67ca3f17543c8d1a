"""The plain types of fields, and which values are really of them."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

NUMBERS = (int, float, Decimal)
PLAIN = (str, bool, bytes, datetime, date, UUID, *NUMBERS)
# Python takes a truth value for a number and a datetime for a date; DynamoDB stores them as something else.
_TAKEN_FOR: dict[Any, type] = {int: bool, float: bool, Decimal: bool, date: datetime}


def is_value_of(kind: Any, value: Any, *, any_number: bool = False) -> bool:
    """Whether a value is of a plain type; a whole number is also a float and a Decimal."""
    accepted = NUMBERS if kind in (float, Decimal) or (any_number and kind is int) else kind
    return isinstance(value, accepted) and type(value) is not _TAKEN_FOR.get(kind)
