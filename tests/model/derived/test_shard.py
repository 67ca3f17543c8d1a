"""Shards by hash: the same in every process and release, and even."""

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
from singletable.model.derived.derived import Reach
from singletable.model.derived.shard import Shard, shard
from singletable.model.language import literal, overlap
from singletable.model.ranges import Equal, Prefix

EIGHT = shard("id", of=8)
# Written down once: items lie in these shards, and a release that moves them loses them.
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
def test_a_value_is_in_the_shard_it_always_was_in(values: tuple[Any, ...], of: int, text: str) -> None:
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
def test_equal_values_are_in_one_shard(first: Any, second: Any) -> None:
    """A caller's value and the stored one may differ in their text, and have to lead to the same partition."""
    assert first == second
    assert shard("x", of=10_007).compute(first) == shard("x", of=10_007).compute(second)


def test_a_member_is_in_the_shard_of_its_value_whatever_its_class_is_called() -> None:
    assert shard("x", of=10_007).compute(Status.OPEN) == shard("x", of=10_007).compute("open")


@given(st.text(), st.integers(1, 1000))
def test_a_shard_belongs_to_its_language_and_has_one_width(value: str, of: int) -> None:
    derived = shard("id", of=of)
    text = derived.compute(value)
    assert 0 <= int(text) < of
    assert len(text) == derived.width
    assert overlap(derived.language("#"), literal(text))


@pytest.mark.parametrize("value", [datetime(2026, 4, 10), {"a", "b"}, object(), ["a"], {"a": 1}])
def test_a_value_without_one_text_of_its_own_is_refused(value: Any) -> None:
    with pytest.raises(KeyRefused):
        EIGHT.compute(value)


def test_several_fields_are_not_run_together() -> None:
    two = shard("a", "b", of=10_007)
    assert two.compute("ab", "c") != two.compute("a", "bc")


def test_shards_are_filled_evenly() -> None:
    counts = Counter(EIGHT.compute(f"customer-{number}") for number in range(8000))
    assert set(counts) == set("01234567")
    assert all(800 < count < 1200 for count in counts.values())


@pytest.mark.parametrize(
    ("of", "values"), [(1, ("0",)), (3, ("0", "1", "2")), (11, tuple(f"{n:02d}" for n in range(11)))]
)
def test_the_shards_are_counted_from_zero(of: int, values: tuple[str, ...]) -> None:
    assert shard("id", of=of).values == values


def test_a_shard_is_known_when_all_its_fields_are() -> None:
    two = shard("a", "b", of=4)
    assert two.reach({"a": Equal, "b": Equal}) == Reach(1, "shard(a, b, of=4)")
    assert two.expand({"a": Equal("x"), "b": Equal("y")}) == (two.compute("x", "y"),)


@pytest.mark.parametrize("known", [{}, {"a": Equal("x")}, {"a": Equal("x"), "b": Prefix("y")}])
def test_every_shard_is_asked_when_a_field_is_not_known(known: dict[str, Any]) -> None:
    two = shard("a", "b", of=4)
    tests = {name: type(predicate) for name, predicate in known.items()}
    assert two.reach(tests) == Reach(4, "4 shards by hash of a, b")
    assert two.expand(known) == ("0", "1", "2", "3")


@pytest.mark.parametrize(("fields", "of"), [((), 4), (("id",), 0), (("id",), -1)])
def test_a_shard_has_a_field_and_a_part(fields: tuple[str, ...], of: int) -> None:
    with pytest.raises(ValueError, match="at least one field and at least one part"):
        shard(*fields, of=of)


def test_a_shard_neither_enforces_nor_covers_a_test() -> None:
    assert not EIGHT.enforces(Equal)
    assert not EIGHT.covers(Equal)
    assert EIGHT.problem_with({"id": str}) is None
