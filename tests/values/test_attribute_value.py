"""Python values as attribute values in DynamoDB JSON."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.values.attribute_value import attribute_value, number_text


class Status(Enum):
    OPEN = "open"
    SEVEN = 7
    NONE = None


class Level(IntEnum):
    LOW = 1


class Colour(StrEnum):
    RED = "red"


class Code(str):
    """A string whose `__str__` returns another one."""

    __slots__ = ()

    def __str__(self) -> str:
        return "shown"


class Ratio(float):
    def __repr__(self) -> str:
        return "a half"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, {"NULL": True}),
        (True, {"BOOL": True}),
        (False, {"BOOL": False}),
        ("", {"S": ""}),
        (Code("a"), {"S": "a"}),
        ([Code("a")], {"L": [{"S": "a"}]}),
        ({Code("a"): Code("b")}, {"M": {"a": {"S": "b"}}}),
        ({Code("a")}, {"SS": ["a"]}),
        (Ratio(0.5), {"N": "0.5"}),
        ("a#b", {"S": "a#b"}),
        (7, {"N": "7"}),
        (-7, {"N": "-7"}),
        (0.1, {"N": "0.1"}),
        (Decimal("1.50"), {"N": "1.5"}),
        (b"\x00\xff", {"B": "AP8="}),
        (bytearray(b"x"), {"B": "eA=="}),
        (b"", {"B": ""}),
        (date(2026, 4, 10), {"S": "2026-04-10"}),
        (datetime(2026, 4, 10, 14, tzinfo=UTC), {"S": "2026-04-10T14:00:00.000000Z"}),
        (datetime(2026, 4, 10, 14, 0, 0, 5, tzinfo=timezone(timedelta(hours=2))), {"S": "2026-04-10T12:00:00.000005Z"}),
        (datetime(5, 1, 1, tzinfo=UTC), {"S": "0005-01-01T00:00:00.000000Z"}),
        (UUID(int=7), {"S": "00000000-0000-0000-0000-000000000007"}),
        (Status.OPEN, {"S": "open"}),
        (Status.SEVEN, {"N": "7"}),
        (Status.NONE, {"NULL": True}),
        (Level.LOW, {"N": "1"}),
        (Colour.RED, {"S": "red"}),
        ([], {"L": []}),
        (["a", 1, None], {"L": [{"S": "a"}, {"N": "1"}, {"NULL": True}]}),
        (("a", ("b",)), {"L": [{"S": "a"}, {"L": [{"S": "b"}]}]}),
        ({}, {"M": {}}),
        ({"a": {"b": [True]}}, {"M": {"a": {"M": {"b": {"L": [{"BOOL": True}]}}}}}),
        (OrderedDict(a=1), {"M": {"a": {"N": "1"}}}),
        ({Status.OPEN: 1, Colour.RED: 2}, {"M": {"open": {"N": "1"}, "red": {"N": "2"}}}),
        ({"b", "a"}, {"SS": ["a", "b"]}),
        (frozenset({2, Decimal("1.0")}), {"NS": ["1", "2"]}),
        ({b"x"}, {"BS": ["eA=="]}),
        ({Colour.RED}, {"SS": ["red"]}),
    ],
)
def test_an_attribute_value_carries_its_type(value: Any, expected: dict[str, Any]) -> None:
    assert attribute_value(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        object(),
        1j,
        timedelta(1),
        range(3),
        memoryview(b"x"),
        set(),
        frozenset(),
        {"a", 1},
        {"a", b"a"},
        {True},
        {None},
        {(1, 2)},
        [object()],
        {"a": object()},
        Decimal("NaN"),
        Decimal("Infinity"),
        float("nan"),
        float("-inf"),
        [float("nan")],
        10**38 + 1,
        Decimal("1E+126"),
        Decimal("1E-131"),
        {1: "a", "1": "b"},
    ],
)
def test_unsupported_python_values_are_rejected_as_attribute_values(value: Any) -> None:
    with pytest.raises(TypeError, match=r".+"):
        attribute_value(value)


@pytest.fixture(params=["UTC", "Asia/Tokyo"])
def somewhere(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = request.param
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.usefixtures("somewhere")
def test_a_datetime_without_a_time_zone_is_rejected_in_every_local_time_zone() -> None:
    with pytest.raises(TypeError, match=r"time zone|timezone"):
        attribute_value(datetime(2026, 4, 10, 14))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (100, "100"),
        (-5, "-5"),
        (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e21, "1000000000000000000000"),
        (1e-7, "0.0000001"),
        (Decimal("1.500"), "1.5"),
        (Decimal("100.00"), "100"),
        (Decimal("1E+2"), "100"),
        (Decimal("0.000"), "0"),
        (Decimal("-0"), "0"),
        (Decimal("-0.00"), "0"),
        (Decimal("0E+3"), "0"),
        (Decimal("12345678901234567890123456789012345678"), "12345678901234567890123456789012345678"),
    ],
)
def test_a_number_becomes_an_attribute_value_without_redundant_zeros(value: float | Decimal, text: str) -> None:
    assert number_text(value) == text


FLOATS = st.floats(-1e15, 1e15).filter(lambda value: value == 0 or abs(value) >= 1e-130)


@given(st.decimals(-(10**20), 10**20, places=5) | st.integers(-(10**37), 10**37) | FLOATS)
def test_a_number_keeps_its_value_as_an_attribute_value_and_has_one_canonical_text(value: float | Decimal) -> None:
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    assert Decimal(number_text(value)) == exact
    assert number_text(exact.normalize() if len(exact.as_tuple().digits) <= 28 else exact) == number_text(value)


def test_subclasses_of_str_become_str_in_an_attribute_value() -> None:
    found = attribute_value({Code("a"): [Code("b"), {Code("c")}]})
    ((name, listed),) = found["M"].items()
    first, second = listed["L"]
    assert [type(text) for text in (name, first["S"], *second["SS"])] == [str, str, str]
