"""Which values are really of a plain type, where Python's own answer would store something else."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from singletable.model.plain_types import is_value_of


@pytest.mark.parametrize(
    ("kind", "value", "fits"),
    [
        (str, "a", True),
        (str, b"a", False),
        (int, 1, True),
        (int, True, False),
        (int, 1.5, False),
        (float, 1, True),
        (Decimal, 1, True),
        (Decimal, False, False),
        (bool, True, True),
        (date, date(2026, 1, 1), True),
        (date, datetime(2026, 1, 1, tzinfo=UTC), False),
        (datetime, datetime(2026, 1, 1, tzinfo=UTC), True),
        (datetime, date(2026, 1, 1), False),
    ],
)
def test_a_value_is_of_the_type_that_dynamodb_would_store(kind: Any, value: Any, fits: bool) -> None:
    assert is_value_of(kind, value) is fits


def test_a_whole_number_may_be_compared_with_any_number() -> None:
    assert is_value_of(int, Decimal("2.5"), any_number=True)
    assert not is_value_of(int, True, any_number=True)
