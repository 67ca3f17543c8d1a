"""Conditions of counters: evaluated on an object's fields, they say what DynamoDB says of the stored item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from functools import reduce
from operator import and_, or_
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from singletable import (
    Table,
    TransactionCancelled,
    begins_with,
    contains,
    count,
    entity,
    exists,
    key,
    native,
    not_,
    one_of,
    present,
)
from singletable.model.condition_recorder import record_condition
from singletable.model.derived_data import Count
from singletable.planner.stored_items import is_counted, values_of

Where = Callable[[Any], Any]


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Spot:
    city: str = ""
    floor: int | None = None
    tags: set[str] = field(default_factory=set)


@entity(
    key=("THING#{id}", "THING"),
    gsi1=(native("name"), native("number")),
    attributes=lambda name: f"{name}_",
)
@dataclass
class Thing:
    id: str = "x"
    name: str = "n"
    number: Decimal = Decimal(0)
    amount: float | None = None
    flag: bool = False
    label: str | None = "none"
    colour: Colour | None = None
    tags: set[str] = field(default_factory=set)
    words: list[str] = field(default_factory=list)
    raw: bytes = b""
    day: date | None = None
    moment: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    spot: Spot | None = None
    spots: dict[str, Spot] = field(default_factory=dict)
    levels: set[int] = field(default_factory=lambda: {1})


class Things(Table, entities=[Thing]):
    """All kinds of fields, none stored under its own name."""


MOMENTS = [datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2)]
TEXTS = ["", "a", "ab", "n", "none"]
_texts = st.sampled_from(TEXTS)
_numbers = st.sampled_from([Decimal("-1"), Decimal(0), Decimal("1.50"), Decimal(2), Decimal("1E+3")])
_spots = st.builds(Spot, _texts, st.none() | st.integers(0, 2), st.sets(_texts, max_size=2))
_things = st.builds(
    Thing,
    name=st.sampled_from(TEXTS[1:]),
    number=_numbers,
    amount=st.none() | st.sampled_from([0.0, 1.5, 2.0]),
    flag=st.booleans(),
    label=st.none() | _texts,
    colour=st.none() | st.sampled_from(Colour),
    tags=st.sets(_texts, max_size=2),
    words=st.lists(_texts, max_size=2),
    raw=st.sampled_from([b"", b"a", b"ab"]),
    day=st.none() | st.sampled_from([each.date() for each in MOMENTS]),
    moment=st.sampled_from(MOMENTS),
    spot=st.none() | _spots,
    spots=st.dictionaries(st.sampled_from(TEXTS[1:]), _spots, max_size=2),
    levels=st.sets(st.integers(0, 2), max_size=2),
)

TESTS: list[Where] = [
    lambda t: t.name == "a",
    lambda t: t.name != "a",
    lambda t: t.number > Decimal("1.5"),
    lambda t: t.number <= 2,
    lambda t: t.amount == 1.5,
    lambda t: t.amount != 2.0,
    lambda t: present(t.amount) < 2.0,
    lambda t: t.number == t.amount,
    lambda t: t.flag == True,  # noqa: E712
    lambda t: t.label == "none",
    lambda t: t.label != "none",
    lambda t: exists(t.label),
    lambda t: not_(exists(t.amount)),
    lambda t: t.colour == Colour.RED,
    lambda t: one_of(t.colour, Colour.RED, Colour.BLUE),
    lambda t: one_of(t.number, Decimal("0.0"), Decimal(1000)),
    lambda t: contains(t.tags, "a"),
    lambda t: contains(t.words, "ab"),
    lambda t: contains(t.levels, 2),
    lambda t: contains(t.label, "on"),
    lambda t: begins_with(t.label, "a"),
    lambda t: begins_with(t.raw, b"a"),
    lambda t: t.raw >= b"a",
    lambda t: t.tags == {"a", "ab"},
    lambda t: t.words == ["a", "ab"],
    lambda t: t.day == date(2026, 1, 2),
    lambda t: present(t.day) < date(2026, 1, 2),
    lambda t: t.moment > datetime(2026, 1, 1, 1, tzinfo=UTC),
    lambda t: t.spot.city == "a",
    lambda t: t.spot.city != "a",
    lambda t: present(t.spot.floor) >= 1,
    lambda t: contains(t.spot.tags, "a"),
    lambda t: t.spot == Spot("a", 1),
    lambda t: t.spots["a"].floor == 2,
    lambda t: exists(t.spots["n"]),
    lambda t: t.words[1] == "a",
    lambda t: t.name == t.label,
]


def _joined(given: tuple[Any, list[Where]]) -> Where:
    how, tests = given
    return lambda t: reduce(how, [test(t) for test in tests])


_tests = st.sampled_from(TESTS)
_tests |= _tests.map(lambda test: lambda t: not_(test(t)))
_conditions = st.tuples(st.sampled_from([and_, or_]), st.lists(_tests, min_size=1, max_size=3)).map(_joined)


@given(thing=_things, conditions=st.lists(_conditions, min_size=1, max_size=6))
def test_stored_items_decide_a_count_condition_on_an_object_as_dynamodb_does(
    thing: Thing, conditions: list[Where]
) -> None:
    described = Things.design.entity_of(Thing)
    with Things.open("memory:") as things:
        things.put(thing)
        for where in conditions:
            counted = Count(Thing, {}, "n", where, record_condition(Thing, where))
            assert is_counted(described, counted, values_of(described, thing)) == _holds(things, where)


def _holds(things: Things, where: Where) -> bool:
    try:
        with things.transaction() as tx:
            tx.check(key(Thing, id="x"), where=where)
    except TransactionCancelled:
        return False
    return True


def test_stored_items_are_all_counted_by_a_counter_without_a_condition() -> None:
    described = Things.design.entity_of(Thing)
    assert is_counted(described, count(Thing, by={}, field="number"), {})


def test_stored_items_treat_a_value_that_cannot_be_stored_as_missing() -> None:
    described, where = Things.design.entity_of(Thing), lambda t: t.name != "a"
    counted = Count(Thing, {}, "n", where, record_condition(Thing, where))
    assert is_counted(described, counted, {"name": None})
    assert is_counted(described, counted, {})
