"""Filters that reject page after page lose no later items, and do not recurse."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.client.between import Between, Document, between
from tests.client.places import EMBEDDED, Place
from tests.client.shop import Shop, order

PAGES = 2_000


def one_item_a_page(operation: str, request: Document) -> Document:
    return {**request, "Limit": 1}


@contextmanager
def shallow() -> Iterator[None]:
    """Set a low recursion limit. One recursion per page would exceed it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(400)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@pytest.fixture
def emptied(shop: Shop, place: Place) -> tuple[Shop, Between]:
    """Return a table with thousands of pages that the filter empties (hundreds on a server), after one item and before
    two.
    """
    done = [order(number, status="DONE") for number in range(1, PAGES, 1 if place.kind in EMBEDDED else 8)]
    shop.put_many([order(0, status="OPEN"), *done, order(PAGES, status="OPEN"), order(PAGES + 1, status="OPEN")])
    return shop, between(shop, one_item_a_page)


OPEN = ["o0000", f"o{PAGES:04}", f"o{PAGES + 1:04}"]


def ids(orders: Any) -> list[str]:
    return [each.id for each in orders]


def test_pagination_loses_nothing_after_thousands_of_empty_pages(emptied: tuple[Shop, Between]) -> None:
    shop, seen = emptied
    pages = shop.open_orders_of_customer
    with shallow():
        assert ids(pages.all("c1")) == OPEN
        assert len(seen.operations) >= PAGES / 8
        assert pages.count("c1") == 3
        first = pages.using(limit=1)("c1")
        second = pages.using(limit=1, cursor=first.cursor)("c1")
        rest = pages.using(limit=5, cursor=second.cursor)("c1")
        assert [ids(first), ids(second), ids(rest)] == [[each] for each in OPEN]
        assert rest.cursor is None
        back = pages.using(limit=5, cursor=rest.previous)("c1")
        assert (ids(back), back.previous) == (OPEN[:2], None)


def test_pagination_with_asyncio_loses_nothing_after_thousands_of_empty_pages(emptied: tuple[Shop, Between]) -> None:
    shop, seen = emptied
    pages = shop.open_orders_of_customer

    async def gathered() -> list[str]:
        return [each.id async for each in pages.all("c1")]

    with shallow():
        assert asyncio.run(gathered()) == OPEN
        assert len(seen.operations) >= PAGES / 8
        assert asyncio.run(pages.count_aio("c1")) == 3
        first = asyncio.run(pages.using(limit=1).aio("c1"))
        rest = asyncio.run(pages.using(limit=5, cursor=first.cursor).aio("c1"))
        assert (ids(rest), rest.cursor) == (OPEN[1:], None)


@pytest.mark.parametrize("awaited", [False, True])
def test_pagination_loses_nothing_after_empty_pages_of_a_megabyte(shop: Shop, place: Place, awaited: bool) -> None:
    large = (order(number, status="DONE", note="x" * 350_000) for number in range(1, 16))
    shop.put_many([order(0, status="OPEN"), *large, order(16, status="OPEN")])
    seen = between(shop)
    pages = shop.open_orders_of_customer

    async def gathered() -> tuple[list[str], int, list[str]]:
        found = [each.id async for each in pages.all("c1")]
        first = await pages.using(limit=1).aio("c1")
        rest = await pages.using(limit=1, cursor=first.cursor).aio("c1")
        return found, await pages.count_aio("c1"), ids([*first, *rest])

    if awaited:
        found, count, paged = asyncio.run(gathered())
    else:
        found, count = ids(pages.all("c1")), pages.count("c1")
        first = pages.using(limit=1)("c1")
        paged = ids([*first, *pages.using(limit=1, cursor=first.cursor)("c1")])
    assert (found, count, paged) == (["o0000", "o0016"], 2, ["o0000", "o0016"])
    assert not place.has("pages by what is read") or len(seen.operations) >= 3 * 5
