"""A key condition that names one item finds one, one that narrows a sort key finds a part, and others all there is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import pytest

from singletable import Between, Page, Table, collection, entity, get, pattern, query
from singletable.planner.estimate import Estimate, estimate
from singletable.planner.plan import Plan


@entity(
    key=("TEAM#{team}#USER#{id}", "PROFILE"),
    gsi1=("USERS", "{email}"),
    gsi2=("TEAM#{team}", "{role}#{joined:seconds}#{id}"),
    unique=("email",),
    expected_bytes=400,
    expected_per_partition={"key": 1, "gsi1": 100_000, "gsi2": 5000},
)
@dataclass
class User:
    team: str
    id: str
    email: str
    role: str
    joined: datetime


@entity(
    key=("DOC#{id}", "VERSION#{number:05d}"),
    gsi1=("DOCS", "{id}"),
    expected_bytes=400,
    expected_per_partition={"key": 30, "gsi1": 700},
)
@dataclass
class Version:
    """Its `id` is that of the document, so its versions share it."""

    id: str
    number: int


@entity(
    key=("CASE#{area}", "{id}"),
    gsi2=("OPEN", "CASE#{id}"),
    identity=("id",),
    expected_bytes=400,
    expected_per_partition={"key": 50, "gsi2": 200},
)
@dataclass
class Case:
    area: Literal["north", "south", "west"]
    id: str


@dataclass
class Document:
    versions: list[Version]


class Office(Table, entities=[User, Version, Case]):
    @pattern()
    def by_mail(self, email: str) -> Page[User]:
        return query(User)

    @pattern()
    def mail_of(self, email: str, *, limit: int = 20) -> Page[User]:
        return query(User)

    @pattern()
    def user_of_mail(self, email: str) -> User | None:
        return get(User)

    @pattern()
    def exact(self, team: str, role: str, joined: datetime, id: str) -> Page[User]:
        return query(User)

    @pattern()
    def in_role(self, team: str, role: str) -> Page[User]:
        return query(User)

    @pattern()
    def first_in_role(self, team: str, role: str, *, limit: int = 20) -> Page[User]:
        return query(User)

    @pattern()
    def joined_in(self, team: str, role: str, joined: Between[datetime]) -> Page[User]:
        return query(User)

    @pattern()
    def chosen(self, team: str) -> Page[User]:
        return query(User, where=lambda u: u.role == "lead")

    @pattern()
    def team(self, team: str) -> Page[User]:
        return query(User)

    @pattern(expected_items=40)
    def declared(self, team: str, role: str) -> Page[User]:
        return query(User)

    @pattern()
    def version(self, id: str, number: int) -> Page[Version]:
        return query(Version)

    @pattern()
    def versions(self, id: str) -> Page[Version]:
        return query(Version)

    @pattern()
    def document(self, id: str) -> Document | None:
        return collection(Document)

    @pattern(fanout=3)
    def case(self, id: str) -> Page[Case]:
        return query(Case, consistent=True)

    @pattern()
    def open_case(self, id: str) -> Page[Case]:
        return query(Case)


def _estimate(name: str, scale: float = 1.0) -> Estimate:
    plan = getattr(Office, name).plan
    assert isinstance(plan, Plan), plan
    return estimate(Office.design, plan, scale=scale)


@pytest.mark.parametrize("name", ["by_mail", "mail_of", "user_of_mail", "exact", "version", "open_case"])
@pytest.mark.parametrize("scale", [1.0, 10.0])
def test_items_read_is_one_when_the_condition_fixes_the_identity(name: str, scale: float) -> None:
    cost = _estimate(name, scale)
    assert (cost.items, cost.units, cost.guessed) == (1, 0.5, ())


@pytest.mark.parametrize(("name", "items"), [("team", 5000), ("declared", 40), ("versions", 30), ("document", 30)])
def test_items_read_is_the_declared_number_without_a_guess_for_a_whole_partition(name: str, items: int) -> None:
    assert (_estimate(name).items, _estimate(name).guessed) == (items, ())


@pytest.mark.parametrize("name", ["in_role", "joined_in", "chosen"])
def test_items_read_is_guessed_to_be_everything_in_a_narrowed_partition(name: str) -> None:
    cost = _estimate(name)
    assert cost.guessed == (
        "all 5,000 items of User in a partition of GSI2, although the pattern reads only part of them",
    )
    assert (cost.items, cost.guesses_items, cost.place_mark("GSI2")) == (5000, True, "≈")


def test_items_read_is_the_limit_when_there_are_more_items() -> None:
    assert (_estimate("first_in_role").items, _estimate("first_in_role").guessed) == (20, ())


def test_items_read_is_one_for_each_query_with_a_full_key() -> None:
    cost = _estimate("case")
    assert (cost.items, cost.guessed, cost.units) == (3, (), 3)
