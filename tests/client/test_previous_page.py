"""Previous pages contain exactly the items before a page, with any filter, merge or limit."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable import CursorRefused, Page, Table, entity, pattern, query, shard
from singletable.client.reading import query_execution
from tests.client.between import between
from tests.client.places import Place
from tests.client.shop import Shop, order

START = datetime(2026, 1, 1, tzinfo=UTC)


@entity(key=("DAY#{day}", "EVENT#{id}"), gsi1=("DAY#{day}", "{at:seconds}"))
@dataclass(frozen=True)
class Event:
    id: str
    day: str
    at: datetime
    is_loud: bool


@entity(key=("DAY#{day}", "NOTE#{id}"), gsi1=("DAY#{day}", "{at:seconds}"))
@dataclass(frozen=True)
class Note:
    id: str
    day: str
    at: datetime


class Log(Table, entities=[Event, Note]):
    """One Query per pattern. The index has notes between the events, and several items with the same sort key."""

    @pattern()
    def by_id(self, day: str) -> Page[Event]:
        return query(Event)

    @pattern()
    def oldest(self, day: str) -> Page[Event]:
        return query(Event, order_by=lambda e: e.at)

    @pattern()
    def newest(self, day: str) -> Page[Event]:
        return query(Event, newest_first=True)

    @pattern()
    def loud(self, day: str) -> Page[Event]:
        return query(Event, newest_first=True, filter=lambda e: e.is_loud == True)  # noqa: E712  # it is recorded


@entity(
    key=("EVENT#{id}", "METADATA"),
    gsi1=("DAY#{day}#{shard}", "{at:seconds}"),
    derived={"shard": shard("id", of=3)},
)
@dataclass(frozen=True)
class SpreadEvent:
    id: str
    day: str
    at: datetime
    is_loud: bool


class Spread(Table, entities=[SpreadEvent]):
    """Three Queries per pattern. They often have items with the same sort key."""

    @pattern(fanout=3)
    def oldest(self, day: str) -> Page[SpreadEvent]:
        return query(SpreadEvent)

    @pattern(fanout=3)
    def newest(self, day: str) -> Page[SpreadEvent]:
        return query(SpreadEvent, newest_first=True)

    @pattern(fanout=3)
    def loud(self, day: str) -> Page[SpreadEvent]:
        return query(SpreadEvent, filter=lambda e: e.is_loud == True)  # noqa: E712  # it is recorded


ONE_QUERY = [(Log, Event, name) for name in ("by_id", "oldest", "newest", "loud")]
THREE_QUERIES = [(Spread, SpreadEvent, name) for name in ("oldest", "newest", "loud")]
BOTH = pytest.mark.parametrize(
    ("table", "made", "name"),
    [pytest.param(*each, id=f"{each[0].__name__}.{each[2]}") for each in ONE_QUERY + THREE_QUERIES],
)
FEWER = settings(max_examples=max(30, settings().max_examples // 3))
EXAMINED = st.sampled_from((1, 2, 5, 100))
"""The minimum number of examined items per page with a filter or notes. Small numbers cause empty pages."""
MOMENTS = st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=25)


def filled(table: type[Table], made: Any, moments: list[tuple[int, bool]]) -> Any:
    opened: Any = table.open("memory:")
    for number, (second, is_loud) in enumerate(moments):
        opened.put(made(f"e{number:03}", "today", START + timedelta(seconds=second), is_loud))
        opened.put(made(f"x{number:03}", "tomorrow", START + timedelta(seconds=second), is_loud))
        if table is Log and number % 2:
            opened.put(Note(f"n{number:03}", "today", START + timedelta(seconds=second)))
    return opened


def asked(pages: Any, limit: int | None, cursor: str | None) -> Page[Any]:
    page: Page[Any] = pages.using(limit=limit, cursor=cursor)("today")
    return page


@BOTH
@FEWER
@given(moments=MOMENTS, limit=st.integers(1, 9), examined=EXAMINED)
def test_pagination_returns_the_same_pages_forward_and_back(
    table: type[Table], made: Any, name: str, moments: list[tuple[int, bool]], limit: int, examined: int
) -> None:
    with filled(table, made, moments) as opened, patch.object(query_execution, "EXAMINED_MIN", examined):
        pages = getattr(opened, name)
        walked = [asked(pages, limit, None)]
        while walked[-1].cursor is not None:
            walked.append(asked(pages, limit, walked[-1].cursor))
        expected = list(pages.all("today"))
        assert [each for page in walked for each in page] == expected
        assert sorted(each.id for each in expected) == sorted(
            f"e{number:03}" for number, (_, is_loud) in enumerate(moments) if is_loud or name != "loud"
        )
        back = walked[-1]
        for page in reversed(walked[:-1]):
            assert back.previous is not None
            back = asked(pages, limit, back.previous)
            assert back.items == page.items
        assert back.previous is None
        again = back
        for page in walked[1:]:
            if not page.items:  # after the last item, from which no previous page returns
                break
            assert again.cursor is not None
            again = asked(pages, limit, again.cursor)
            assert again.items == page.items


@BOTH
@FEWER
@given(data=st.data(), examined=EXAMINED)
def test_pagination_stays_at_its_position_in_any_walk_with_any_limits(
    table: type[Table], made: Any, name: str, data: st.DataObject, examined: int
) -> None:
    with filled(table, made, data.draw(MOMENTS)) as opened, patch.object(query_execution, "EXAMINED_MIN", examined):
        pages = getattr(opened, name)
        expected = list(pages.all("today"))
        low, high, page = 0, 0, None
        for _ in range(data.draw(st.integers(1, 12))):
            limit = data.draw(st.integers(1, 9))
            ways = ["first"] if page is None else [way for way in ("cursor", "previous") if getattr(page, way)]
            if not ways:
                break
            way = data.draw(st.sampled_from(ways))
            page = asked(pages, limit, None if page is None else getattr(page, way))
            if way == "previous":
                low, high = max(0, low - limit), low
            else:
                low, high = high, min(len(expected), high + limit)
            assert list(page) == expected[low:high]
            assert (page.previous is None) == (low == 0)
            if page.cursor is None:
                assert high == len(expected)


def fill(shop: Shop, count: int) -> None:
    shop.put_many(order(number, status="OPEN" if number % 50 == 0 else "DONE") for number in range(count))


def ids(page: Page[Any]) -> list[str]:
    return [each.id for each in page]


def test_pagination_has_no_previous_page_for_the_first_page(shop: Shop) -> None:
    assert shop.orders_of_customer("c1") == Page([], None, None)
    fill(shop, 10)
    first = shop.orders_of_customer("c1", limit=4)
    assert first.previous is None
    second = shop.orders_of_customer("c1", limit=4, cursor=first.cursor)
    third = shop.orders_of_customer("c1", limit=4, cursor=second.cursor)
    assert (ids(third), third.cursor) == (["o0001", "o0000"], None)
    back = shop.orders_of_customer("c1", limit=4, cursor=third.previous)
    assert back.items == second.items
    assert shop.orders_of_customer("c1", limit=4, cursor=back.cursor).items == third.items
    start = shop.orders_of_customer("c1", limit=4, cursor=back.previous)
    assert (start.items, start.previous) == (first.items, None)
    assert start.cursor is not None


def test_pagination_can_start_a_previous_page_after_the_last_item(shop: Shop, place: Place) -> None:
    place.needs("LastEvaluatedKey after a full last page")
    fill(shop, 8)
    first = shop.orders_of_customer("c1", limit=4)
    second = shop.orders_of_customer("c1", limit=4, cursor=first.cursor)
    empty = shop.orders_of_customer("c1", limit=4, cursor=second.cursor)
    assert (len(second), len(empty), empty.cursor) == (4, 0, None)
    last = shop.orders_of_customer("c1", limit=4, cursor=empty.previous)
    assert (last.items, last.cursor) == (second.items, None)
    assert shop.orders_of_customer("c1", limit=4, cursor=last.previous).items == first.items


def test_pagination_skips_filtered_items_in_previous_pages(shop: Shop) -> None:
    fill(shop, 501)
    opens = shop.open_orders_of_customer
    first = opens.using(limit=5)("c1")
    assert ids(first) == ["o0000", "o0050", "o0100", "o0150", "o0200"]
    second = opens.using(limit=5, cursor=first.cursor)("c1")
    third = opens.using(limit=5, cursor=second.cursor)("c1")
    assert ids(third) == ["o0500"]
    assert ids(opens.using(limit=2, cursor=third.previous)("c1")) == ["o0400", "o0450"]
    assert ids(opens.using(limit=99, cursor=third.previous)("c1")) == [*ids(first), *ids(second)]
    back = opens.using(limit=5, cursor=second.previous)("c1")
    assert (back.items, back.previous) == (first.items, None)


def test_pagination_includes_items_written_meanwhile_in_previous_pages(shop: Shop) -> None:
    for number in (1, 2, 5, 6, 7):
        shop.put(order(number))
    first = shop.orders_of_customer("c1", limit=2)
    second = shop.orders_of_customer("c1", limit=2, cursor=first.cursor)
    assert (ids(first), ids(second)) == (["o0007", "o0006"], ["o0005", "o0002"])
    shop.put(order(9))
    shop.delete(order(5))  # the item from which the previous page starts
    back = shop.orders_of_customer("c1", limit=2, cursor=second.previous)
    assert ids(back) == ["o0007", "o0006"]
    assert back.previous is not None
    before = shop.orders_of_customer("c1", limit=2, cursor=back.previous)
    assert (ids(before), before.previous) == (["o0009"], None)


def test_pagination_reads_a_previous_page_by_one_request(shop: Shop) -> None:
    fill(shop, 30)
    second = shop.orders_of_customer("c1", limit=10, cursor=shop.orders_of_customer("c1", limit=10).cursor)
    seen = between(shop)
    assert len(shop.orders_of_customer("c1", limit=10, cursor=second.previous)) == 10
    (request,) = seen.requests
    assert request["Limit"] == 11  # one more item shows whether there is a page before
    assert "ScanIndexForward" not in request  # newest first reads backwards, so its previous page reads forwards


def test_pagination_without_a_limit_has_previous_pages(shop: Shop) -> None:
    shop.put_many(order(number, status="OPEN", note="x" * 100_000) for number in range(35))
    expected = [f"o{number:04}" for number in range(35)]
    page = shop.open_orders_of_customer("c1")
    found = ids(page)
    while page.cursor is not None:
        page = shop.open_orders_of_customer.using(cursor=page.cursor)("c1")
        found += ids(page)
    assert found == expected
    found = ids(page)
    while page.previous is not None:
        page = shop.open_orders_of_customer.using(cursor=page.previous)("c1")
        found = ids(page) + found
    assert found == expected


def test_pagination_reads_previous_pages_with_asyncio(shop: Shop) -> None:
    fill(shop, 12)

    async def awaited() -> None:
        first = await shop.orders_of_customer.aio("c1", limit=5)
        second = await shop.orders_of_customer.aio("c1", limit=5, cursor=first.cursor)
        assert (await shop.orders_of_customer.aio("c1", limit=5, cursor=second.previous)).items == first.items

    asyncio.run(awaited())


def test_pagination_rejects_a_cursor_with_a_changed_direction(shop: Shop) -> None:
    fill(shop, 9)
    second = shop.orders_of_customer("c1", limit=3, cursor=shop.orders_of_customer("c1", limit=3).cursor)
    for cursor, this, other in ((second.cursor, b"false", b"true"), (second.previous, b"true", b"false")):
        assert cursor is not None
        signed = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        assert this in signed
        turned = base64.urlsafe_b64encode(signed.replace(this, other)).rstrip(b"=").decode()
        with pytest.raises(CursorRefused):
            shop.orders_of_customer("c1", cursor=turned)
    with pytest.raises(CursorRefused):
        shop.orders_of_customer("c2", cursor=second.previous)


def test_pagination_rejects_a_cursor_of_another_number_of_queries() -> None:
    with Spread.open("memory:", secret="s" * 32) as spread:
        spread.put(SpreadEvent("e1", "today", START, True))
        text = spread._opened().reader.cursors.encode("oldest", {"day": "today"}, [None, None], key_form="")
        with pytest.raises(CursorRefused, match="a different number of Queries"):
            spread.oldest.using(cursor=text)("today")
