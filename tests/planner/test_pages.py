"""Pages: the verdict on the whole result of a read, compared with the requests that the client sends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import GSI, KEYS_ONLY, Page, Table, collection, entity, get, pattern, query, shard
from singletable.client.pattern import BoundPattern
from singletable.planner.pages import _requests_to_fill
from singletable.planner.plan import EXAMINED_MIN, Plan, Verdict

TEXT = "x" * 900


@entity(key=("LIST#{name}", "{place:05d}"), expected_per_partition=3_000, expected_bytes=1024)
@dataclass
class Entry:
    name: str
    place: int
    text: str = TEXT
    kept: bool = False


@entity(key=("BOX#{box}", "{id}"))
@dataclass
class Unknown:
    box: str
    id: str


@entity(key=("CARD#{user}", "{kind}"))
@dataclass
class Card:
    user: str
    kind: bool


@entity(key=("HEAD#{name}", "A"), expected_bytes=1024)
@dataclass
class Head:
    name: str


@entity(key=("HEAD#{name}", "B#{id}"), expected_bytes=1024)
@dataclass
class Line:
    name: str
    id: str


@dataclass
class Sheet:
    head: Head
    lines: list[Line]


@entity(
    key=("VOTE#{id}", "VOTE"),
    gsi1=("VOTES#{shard}", "{id}"),
    gsi2=("THIN", "{id}"),
    derived={"shard": shard("id", of=4)},
    expected_bytes=1024,
    expected_per_partition={"gsi1": 2_000, "gsi2": 250},
)
@dataclass
class Vote:
    id: str
    text: str = ""


class Lists(Table, entities=[Entry, Unknown, Card, Head, Line, Vote], indexes=[GSI("gsi2", projection=KEYS_ONLY)]):
    @pattern()
    def one(self, name: str, place: int) -> Entry | None:
        return get(Entry)

    @pattern()
    def whole(self, name: str) -> Page[Entry]:
        return query(Entry)

    @pattern()
    def paged(self, name: str, *, limit: int = 20, cursor: str | None = None) -> Page[Entry]:
        return query(Entry)

    @pattern()
    def paged_without_default(self, name: str, limit: int) -> Page[Entry]:
        return query(Entry)

    @pattern()
    def large_pages(self, name: str, *, limit: int = 2_500) -> Page[Entry]:
        return query(Entry)

    @pattern(expected_items=300, expected_examined=3_000)
    def kept(self, name: str, *, limit: int = 50, cursor: str | None = None) -> Page[Entry]:
        return query(Entry, filter=lambda entry: entry.kept)

    @pattern()
    def kept_unknown(self, name: str, *, limit: int = 50) -> Page[Entry]:
        return query(Entry, filter=lambda entry: entry.kept)

    @pattern()
    def unknown(self, box: str) -> Page[Unknown]:
        return query(Unknown)

    @pattern()
    def unknown_paged(self, box: str, *, limit: int = 10) -> Page[Unknown]:
        return query(Unknown)

    @pattern()
    def cards(self, user: str) -> Page[Card]:
        return query(Card)

    @pattern()
    def sheet(self, name: str) -> Sheet | None:
        return collection(Sheet)

    @pattern()
    def sheet_paged(self, name: str, *, limit: int = 10) -> Sheet | None:
        return collection(Sheet)

    @pattern(fanout=4)
    def votes(self) -> Page[Vote]:
        return query(Vote, order_by=lambda vote: vote.id)

    @pattern(max_requests=3)
    def whole_as_declared(self, name: str) -> Page[Entry]:
        return query(Entry)

    @pattern(max_requests=2)
    def whole_beyond(self, name: str) -> Page[Entry]:
        return query(Entry)


def plan_of(bound: BoundPattern[..., Any]) -> Plan:
    assert isinstance(bound.plan, Plan)
    return bound.plan


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("one", "one request"),
        ("whole", "3 pages"),
        ("paged", "one request"),
        ("paged_without_default", "one request"),
        ("large_pages", "3 pages"),
        ("kept", "5 pages"),
        ("kept_unknown", "≈30 pages"),
        ("unknown", "unbounded"),
        ("unknown_paged", "one request"),
        ("cards", "one request"),
        ("sheet", "unbounded"),
        ("sheet_paged", "one request"),
        ("votes", "declared fan-out of 4, 2 pages each"),
    ],
)
def test_the_verdict_on_pages_describes_the_whole_result(name: str, text: str) -> None:
    assert getattr(Lists, name).plan.verdict_text() == text


def test_pages_name_the_highest_limit_that_is_one_page() -> None:
    assert plan_of(Lists.whole).pages.one_page_limit == 1_024
    assert plan_of(Lists.sheet).pages.one_page_limit == 1_023
    assert plan_of(Lists.kept).pages.one_page_limit == 10


def test_the_verdict_on_unbounded_pages_names_the_entities_of_unknown_number() -> None:
    assert (plan_of(Lists.sheet).pages.unknown, plan_of(Lists.whole).pages.unknown) == (("Line",), ())


def test_pages_are_as_declared_up_to_max_requests() -> None:
    declared, beyond = plan_of(Lists.whole_as_declared), plan_of(Lists.whole_beyond)
    assert (declared.verdict, declared.is_as_declared, declared.requests_of_call) == (Verdict.SEVERAL_PAGES, True, 3)
    assert (beyond.verdict, beyond.is_as_declared) == (Verdict.SEVERAL_PAGES, False)
    assert not plan_of(Lists.whole).is_as_declared


def test_the_verdict_on_pages_names_a_limit_without_a_default_as_a_guess() -> None:
    explained = Lists.paged_without_default.explain("a", 5)
    assert "a limit of 100, because the limit parameter has no default" in explained.estimate.guessed


@pytest.fixture(scope="module")
def lists() -> Lists:
    table = Lists.open("memory:")
    table.put_many([Entry("a", place, kept=place % 10 == 9) for place in range(3_000)])
    return table


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("whole", lambda lists: list(lists.whole.all("a"))),
        ("paged", lambda lists: lists.paged("a")),
        ("large_pages", lambda lists: lists.large_pages("a")),
        ("kept", lambda lists: lists.kept("a")),
    ],
)
def test_the_client_sends_as_many_requests_as_the_plan_has_pages(
    lists: Lists, name: str, call: Callable[[Lists], Any]
) -> None:
    lists.metrics.reset()
    call(lists)
    assert lists.metrics.total.requests == getattr(Lists, name).plan.pages.count


@given(st.integers(1, 500), st.integers(1, 5_000), st.integers(1, 50))
def test_requests_to_fill_a_page_follow_the_requests_of_the_client(limit: int, items: int, one_in: int) -> None:
    requests, read, found, examined_min = 0, 0, 0, EXAMINED_MIN  # as MergedQueries reads, item by item
    while found < limit and read < items:
        last = min(items, read + max(limit - found, examined_min))
        matches = last // one_in - read // one_in
        requests, read, found = requests + 1, last, found + matches
        examined_min = examined_min if matches else 2 * examined_min
    assert abs(_requests_to_fill(limit, items, 1 / one_in) - requests) <= 1
