"""Expired items are hidden from pages and counts, even if an index has only a part of each item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from singletable import GSI, KEYS_ONLY, DesignError, Page, Table, entity, include, pattern, query
from singletable.engine.engine import Engine
from singletable.testing import measure, uses

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@entity(
    key=("USER#{user}", "SESSION#{id}"),
    gsi1=("DEVICE#{device}", "{id}"),
    gsi2=("PLACE#{place}", "{until:seconds}#{id}"),
    gsi3=("APP#{app}", "{id}"),
    ttl="until",
)
@dataclass
class Session:
    user: str
    id: str
    until: datetime
    device: str = "d"
    place: str = "p"
    app: str = "a"


@dataclass
class SessionId:
    id: str


class Sessions(
    Table,
    entities=[Session],
    indexes=[
        GSI("gsi1", projection=KEYS_ONLY),
        GSI("gsi2", projection=KEYS_ONLY),
        GSI("gsi3", projection=include("until")),
    ],
):
    """The first index does not contain the TTL attribute, the second one only in its key. The third one contains it."""

    @pattern()
    def of_user(self, user: str) -> Page[Session]:
        return query(Session)

    @pattern()
    def of_device(self, device: str) -> Page[Session]:
        return query(Session, hydrate=True)

    @pattern()
    def of_place(self, place: str) -> Page[Session]:
        return query(Session, hydrate=True)

    @pattern()
    def of_app(self, app: str) -> Page[SessionId]:
        return query(Session, view=SessionId)

    @pattern()
    def ids_of_device(self, device: str) -> Page[SessionId]:
        return query(Session, view=SessionId)

    @pattern()
    def ids_of_place(self, place: str) -> Page[SessionId]:
        return query(Session, view=SessionId)


@pytest.fixture
def sessions() -> Iterator[Any]:
    engine = Engine("memory:", now=NOW.timestamp, sweep_seconds=None)
    with engine, Sessions.open(engine, create=True) as opened:
        for number in range(6):
            opened.put(Session("u", f"s{number}", NOW + timedelta(hours=1 if number % 2 else -1)))
        yield opened


@pytest.mark.parametrize(("name", "value"), [("of_device", "d"), ("of_place", "p"), ("of_app", "a")])
def test_pagination_counts_as_many_items_as_its_pages_show(sessions: Any, name: str, value: str) -> None:
    asked = getattr(sessions, name)
    assert [each.id for each in asked(value)] == ["s1", "s3", "s5"]
    assert asked.count(value) == 3
    assert len(asked.using(expired=True)(value)) == asked.using(expired=True).count(value) == 6


@pytest.mark.parametrize(("name", "value"), [("ids_of_device", "d"), ("ids_of_place", "p")])
def test_pagination_rejects_a_view_of_an_index_without_the_ttl_attribute(sessions: Any, name: str, value: str) -> None:
    with pytest.raises(DesignError, match=r"GSI\d \(KEYS_ONLY\) does not project until"):
        getattr(sessions, name)(value)


@pytest.mark.parametrize("limit", [1, 3, 10])
def test_pagination_finds_a_few_items_after_many_expired_ones_in_a_few_requests(limit: int) -> None:
    engine = Engine("memory:", now=NOW.timestamp, sweep_seconds=None)
    old = [Session("u", f"{number:05}", NOW - timedelta(hours=1)) for number in range(3_000)]
    new = [Session("u", f"{number:05}", NOW + timedelta(hours=1)) for number in range(5_000, 5_020)]
    with engine, Sessions.open(engine, create=True) as opened:
        opened.put_many([*old, *new])
        with measure(opened) as used:
            page = opened.of_user.using(limit=limit)("u")
        assert page.items == new[:limit]
        assert used.requests <= 8  # a few requests at first, then 100, 200, 400, ...
        following = opened.of_user.using(limit=limit, cursor=page.cursor)("u")
        assert following.items == new[limit : 2 * limit]
        assert opened.of_user.using(limit=limit, cursor=following.previous)("u").items == page.items


def test_pagination_sends_one_more_request_for_a_page_with_some_expired_items(sessions: Any) -> None:
    with measure(sessions) as used:
        assert [each.id for each in sessions.of_user.using(limit=3)("u")] == ["s1", "s3", "s5"]
    assert used.requests == 2


def test_pagination_reads_nothing_beyond_the_limit_if_nothing_has_expired(sessions: Any) -> None:
    for number in range(10, 40):
        sessions.put(Session("v", f"s{number}", NOW + timedelta(hours=1)))
    with uses(sessions, requests=1):
        assert len(sessions.of_user.using(limit=3)("v")) == 3
    with measure(sessions) as used:
        sessions.of_user.using(limit=3)("v")
    assert used.read_units == 0.5


def test_pagination_fills_a_page_of_whole_items_if_the_first_have_expired() -> None:
    engine = Engine("memory:", now=NOW.timestamp, sweep_seconds=None)
    with engine, Sessions.open(engine, create=True) as opened:
        for number in range(12):
            opened.put(Session("u", f"s{number:02}", NOW + timedelta(hours=-1 if number < 5 or number == 8 else 1)))
        first = opened.of_device.using(limit=3)("d")
        assert [each.id for each in first] == ["s05", "s06", "s07"]
        second = opened.of_device.using(limit=3, cursor=first.cursor)("d")
        assert [each.id for each in second] == ["s09", "s10", "s11"]
        assert [each.id for each in opened.of_device.using(limit=3, cursor=second.previous)("d")] == [
            "s05",
            "s06",
            "s07",
        ]
        assert [each.id for each in opened.of_device.using(limit=8)("d")] == [
            *("s05", "s06", "s07", "s09", "s10", "s11")
        ]
