"""What has expired is hidden from pages and counts, also where an index holds only a part of an item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from singletable import GSI, KEYS_ONLY, DesignError, Page, Table, entity, include, pattern, query
from singletable.engine.engine import Engine

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
    """The first index does not tell when an item expires, the second only in its key; the third does."""

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
def test_a_count_is_that_of_the_items_that_are_shown(sessions: Any, name: str, value: str) -> None:
    asked = getattr(sessions, name)
    assert [each.id for each in asked(value)] == ["s1", "s3", "s5"]
    assert asked.count(value) == 3
    assert len(asked.using(expired=True)(value)) == asked.using(expired=True).count(value) == 6


@pytest.mark.parametrize(("name", "value"), [("ids_of_device", "d"), ("ids_of_place", "p")])
def test_a_view_of_an_index_that_does_not_tell_what_has_expired_is_refused(
    sessions: Any, name: str, value: str
) -> None:
    with pytest.raises(DesignError, match=r"GSI\d \(KEYS_ONLY\) does not hold until"):
        getattr(sessions, name)(value)
