"""Shards by hash: stable across processes and releases, and evenly filled."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import KeyRefused
from singletable.model.derived.derived_value import Reach
from singletable.model.derived.shard import Shard, canonical_text, shard
from singletable.model.parameter_types import Equal, Prefix
from singletable.model.regular_language import literal, overlap

EIGHT = shard("id", of=8)
# Stored items are in these shards; a release that changes them would not find the items.
PINNED = [
    (("c1",), 8, "1"),
    (("c2",), 8, "3"),
    (("",), 8, "0"),
    (("\U0001f600",), 8, "4"),
    (("c1",), 100, "57"),
    (("c1", "c2"), 100, "08"),
    ((7,), 100, "46"),
    ((Decimal("1.5"),), 100, "38"),
    ((UUID(int=7),), 100, "70"),
    ((date(2026, 4, 10),), 100, "88"),
    ((datetime(2026, 4, 10, 12, tzinfo=UTC),), 100, "44"),
]


@pytest.mark.parametrize(("values", "of", "text"), PINNED)
def test_the_shard_of_a_value_never_changes(values: tuple[Any, ...], of: int, text: str) -> None:
    assert Shard(tuple("abc"[: len(values)]), of).compute(*values) == text


@pytest.mark.parametrize("seed", ["0", "1", "random"])
def test_a_shard_does_not_depend_on_the_process(seed: str) -> None:
    script = (
        "from singletable.model.derived.shard import shard\n"
        "print(*(shard('id', of=97).compute(f'c{n}') for n in range(50)))"
    )
    environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)}
    printed = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert printed.stdout.split() == [shard("id", of=97).compute(f"c{number}") for number in range(50)]


class Status(Enum):
    OPEN = "open"


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    LOW = 1


NOON = datetime(2026, 4, 10, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (NOON, NOON.astimezone(timezone(timedelta(hours=2)))),
        (NOON, NOON.astimezone(timezone(timedelta(hours=-7), "MST"))),
        (Decimal("1.5"), Decimal("1.500")),
        (Decimal("1E+2"), Decimal(100)),
        (Decimal(5), 5),
        (5.0, 5),
        (0.0, -0.0),
        (Colour.RED, "red"),
        (Level.LOW, 1),
    ],
)
def test_a_shard_contains_equal_values(first: Any, second: Any) -> None:
    """The value of a caller and the stored value can have different texts, but must give the same partition."""
    assert first == second
    assert shard("x", of=10_007).compute(first) == shard("x", of=10_007).compute(second)


def test_a_shard_of_an_enum_member_is_that_of_its_value() -> None:
    assert shard("x", of=10_007).compute(Status.OPEN) == shard("x", of=10_007).compute("open")


@given(st.text(), st.integers(1, 1000))
def test_a_shard_has_a_fixed_width_and_is_in_its_language(value: str, of: int) -> None:
    derived = shard("id", of=of)
    text = derived.compute(value)
    assert 0 <= int(text) < of
    assert len(text) == derived.width
    assert overlap(derived.language("#"), literal(text))


@pytest.mark.parametrize("value", [datetime(2026, 4, 10), {"a", "b"}, object(), ["a"], {"a": 1}])
def test_a_value_without_canonical_text_has_no_shard(value: Any) -> None:
    with pytest.raises(KeyRefused):
        EIGHT.compute(value)


def test_a_shard_hashes_several_fields_separately() -> None:
    two = shard("a", "b", of=10_007)
    assert two.compute("ab", "c") != two.compute("a", "bc")


def test_shards_are_evenly_filled() -> None:
    counts = Counter(EIGHT.compute(f"customer-{number}") for number in range(8000))
    assert set(counts) == set("01234567")
    assert all(800 < count < 1200 for count in counts.values())


@pytest.mark.parametrize(
    ("of", "values"), [(1, ("0",)), (3, ("0", "1", "2")), (11, tuple(f"{n:02d}" for n in range(11)))]
)
def test_shards_are_numbered_from_zero(of: int, values: tuple[str, ...]) -> None:
    assert shard("id", of=of).values == values


def test_a_shard_is_known_when_all_its_fields_are() -> None:
    two = shard("a", "b", of=4)
    assert two.reach({"a": Equal, "b": Equal}) == Reach(1, "shard(a, b, of=4)")
    assert two.expand({"a": Equal("x"), "b": Equal("y")}) == (two.compute("x", "y"),)


@pytest.mark.parametrize("known", [{}, {"a": Equal("x")}, {"a": Equal("x"), "b": Prefix("y")}])
def test_every_shard_is_read_when_a_field_is_unknown(known: dict[str, Any]) -> None:
    two = shard("a", "b", of=4)
    tests = {name: type(predicate) for name, predicate in known.items()}
    assert two.reach(tests) == Reach(4, "4 shards by hash of a, b")
    assert two.expand(known) == ("0", "1", "2", "3")


@pytest.mark.parametrize(("fields", "of"), [((), 4), (("id",), 0), (("id",), -1)])
def test_a_shard_needs_a_field_and_a_count(fields: tuple[str, ...], of: int) -> None:
    with pytest.raises(ValueError, match="needs at least one field"):
        shard(*fields, of=of)


def test_a_shard_neither_enforces_nor_covers_a_predicate() -> None:
    assert not EIGHT.enforces(Equal)
    assert not EIGHT.covers(Equal)
    assert EIGHT.problem_with({"id": str}) is None


class OrderStatus(Enum):
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
        (OrderStatus.OPEN, "open"),
        (OrderStatus.SEVEN, "7"),
        (b"\x00\xff", "00ff"),
    ],
)
def test_the_canonical_text_of_a_shard_value_never_changes(value: Any, text: str) -> None:
    assert canonical_text(value) == text


@given(st.lists(st.text(), max_size=3).map(tuple), st.lists(st.text(), max_size=3).map(tuple))
def test_the_canonical_texts_of_a_shard_differ_for_different_paths(
    first: tuple[str, ...], second: tuple[str, ...]
) -> None:
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
def test_a_shard_rejects_a_value_without_canonical_text(value: Any) -> None:
    with pytest.raises(KeyRefused):
        canonical_text(value)
