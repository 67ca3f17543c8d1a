"""Measured updates change a value, even if the store contains no other value for the field."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Literal
from uuid import UUID

import pytest

from singletable import Table, entity, pattern, update
from singletable import field as of
from singletable.cli.cost_measurement import PatternMeasurement, _arguments, measure
from singletable.cost.cost_report import cost_report
from singletable.cost.prices import prices_of

SEVEN = UUID(int=7)


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@entity(key=("USER#{id}", "USER"), gsi1=("NAME", "{name}#{id}"), expected_bytes=200)
@dataclass
class User:
    id: str
    name: str
    kind: Literal["only"] = "only"
    tags: tuple[str, ...] = ("a",)


class Users(Table, entities=[User]):
    @pattern(rate=1)
    def rename(self, id: str, name: str) -> User:
        return update(User, of(User, lambda u: u.name).set(name))

    @pattern(rate=1)
    def change(self, id: str, kind: Literal["only"]) -> User:
        return update(User, of(User, lambda u: u.kind).set(kind))

    @pattern(rate=1)
    def tag(self, id: str, tags: tuple[str, ...]) -> User:
        return update(User, of(User, lambda u: u.tags).set(tags))


@pytest.fixture
def measured(tmp_path: Path) -> dict[str, PatternMeasurement]:
    path = tmp_path / "users.db"
    with Users.open(f"file:{path}", create=True) as users:
        users.put(User("u", "Ada"))
    report = cost_report(Users.design, prices_of("us-east-1"))
    return {each.name: each for each in measure(Users, report, str(path))}


def test_cost_measurement_updates_the_only_item_with_a_new_value(measured: dict[str, PatternMeasurement]) -> None:
    rename = measured["rename"]
    assert (rename.calls, rename.writes, rename.ratio) == (1, 3, 1.0), "the entry of the index moves"


def test_cost_measurement_notes_and_skips_a_field_without_another_value(
    measured: dict[str, PatternMeasurement],
) -> None:
    assert (measured["change"].calls, measured["tag"].calls) == (0, 0)
    assert measured["change"].note == "kind has only one value, so nothing would change"
    assert measured["tag"].note == "no stored item has a different value for tags"


@entity(key=("ONE#{id}", "ONE"), expected_bytes=200)
@dataclass
class One:
    id: str
    text: str = "a"
    raw: bytes = b"b"
    flag: bool = True
    whole: int = 7
    real: float = 0.5
    exact: Decimal = Decimal("1.5")
    day: date = date(2026, 2, 28)
    moment: datetime = datetime(2026, 2, 28, tzinfo=UTC)
    code: UUID = SEVEN
    colour: Colour = Colour.RED
    word: Literal["x", "y"] = "y"


class Ones(Table, entities=[One]):
    @pattern(rate=1)
    def texts(self, id: str, text: str, raw: bytes, word: Literal["x", "y"], colour: Colour, code: UUID) -> One:
        return update(
            One,
            of(One, lambda o: o.text).set(text),
            of(One, lambda o: o.raw).set(raw),
            of(One, lambda o: o.word).set(word),
            of(One, lambda o: o.colour).set(colour),
            of(One, lambda o: o.code).set(code),
        )

    @pattern(rate=1)
    def numbers(self, id: str, flag: bool, whole: int, real: float, exact: Decimal) -> One:
        return update(
            One,
            of(One, lambda o: o.flag).set(flag),
            of(One, lambda o: o.whole).set(whole),
            of(One, lambda o: o.real).set(real),
            of(One, lambda o: o.exact).set(exact),
        )

    @pattern(rate=1)
    def times(self, id: str, day: date, moment: datetime) -> One:
        return update(One, of(One, lambda o: o.day).set(day), of(One, lambda o: o.moment).set(moment))


def test_cost_measurement_finds_another_value_of_every_scalar_type(tmp_path: Path) -> None:
    path, one = tmp_path / "ones.db", One("1")
    with Ones.open(f"file:{path}", create=True) as ones:
        ones.put(one)
    report = cost_report(Ones.design, prices_of("us-east-1"))
    assert [(each.calls, each.note) for each in measure(Ones, report, str(path))] == [(1, "")] * 3
    for call in report.calls:
        arguments = _arguments(call, one, {"One": [one]})
        changed = {name: value for name, value in arguments.items() if name != "id"}
        assert all(type(value) is type(getattr(one, name)) for name, value in changed.items())
        assert not any(value == getattr(one, name) for name, value in changed.items())
