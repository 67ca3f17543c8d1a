"""Widened types: a change is safe only if every stored value stays valid."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

import pytest

from singletable.evolve.field_types import type_document
from singletable.evolve.widened_types import is_widened
from tests.evolve.models import Address, Level, Size


@pytest.mark.parametrize(
    ("before", "after", "widened"),
    [
        (str, str, True),
        (str, Any, True),
        (int, Decimal, True),
        (int, float, True),
        (Decimal, int, False),
        (float, int, False),
        (datetime, str, True),
        (str, datetime, False),
        (date, datetime, False),
        (str, str | int, True),
        (str | int, str, False),
        (int | float, Decimal, True),
        (Literal["a"], Literal["a", "b"], True),
        (Literal["a", "b"], Literal["a"], False),
        (Literal["a"], str, True),
        (str, Literal["a"], False),
        (Literal["S", "L"], Size, True),
        (Size, str, True),
        (Level, int, True),
        (Level, str, False),
        (list[int], list[Decimal], True),
        (list[Decimal], list[int], False),
        (list[str], list, True),
        (list, list[str], False),
        (dict[str, int], dict[str, Decimal], True),
        (tuple[str, ...], list[str], False),
        (Address, dict, False),
    ],
)
def test_a_type_is_widened_if_every_stored_value_stays_valid(before: Any, after: Any, widened: bool) -> None:
    assert is_widened(type_document(before), type_document(after)) is widened
