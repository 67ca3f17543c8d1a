"""One text for each value: what shards are made of, in every process and release."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import KeyRefused
from singletable.model.derived.canonical import canonical_text


class Status(Enum):
    OPEN = "open"
    SEVEN = 7


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("", ""),
        ("a#b", "a#b"),
        (7, "7"),
        (-7, "-7"),
        (1.5, "1.5"),
        (Decimal("1.500"), "1.5"),
        (Decimal("1E+2"), "100"),
        (True, "True"),
        (UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (date(2026, 4, 10), "2026-04-10"),
        (datetime(2026, 4, 10, 12, tzinfo=UTC), "2026-04-10 12:00:00+00:00"),
        (datetime(2026, 4, 10, 14, tzinfo=timezone(timedelta(hours=2))), "2026-04-10 12:00:00+00:00"),
        (Status.OPEN, "open"),
        (Status.SEVEN, "7"),
        (b"\x00\xff", "00ff"),
    ],
)
def test_a_value_has_the_text_it_always_had(value: Any, text: str) -> None:
    assert canonical_text(value) == text


@given(st.lists(st.text(), max_size=3).map(tuple), st.lists(st.text(), max_size=3).map(tuple))
def test_two_paths_of_ordinary_names_have_two_texts(first: tuple[str, ...], second: tuple[str, ...]) -> None:
    if not any("\x01" in name for name in first + second) and first and second:
        assert (canonical_text(first) == canonical_text(second)) == (first == second)


LAST_EVENING = datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-5)))


@pytest.mark.parametrize(
    "value",
    [
        datetime(2026, 4, 10),
        LAST_EVENING,
        Decimal("NaN"),
        float("inf"),
        10**38 + 1,
        None,
        {"a"},
        ["a"],
        {"a": 1},
        ("a", 1),
        object(),
    ],
)
def test_a_value_without_one_text_is_refused(value: Any) -> None:
    with pytest.raises(KeyRefused):
        canonical_text(value)
