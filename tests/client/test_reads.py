"""Reads of an open table: pages, cursors, collections, expired items and unknown items."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import (
    ArgumentRefused,
    CollectionIncomplete,
    CursorRefused,
    ItemRefused,
    NotConnected,
    TableDiffers,
    UnknownItemWarning,
    key,
)
from singletable.client.open_table import transport_for
from tests.client.places import Place, call
from tests.client.shop import IN_TWO_HOURS, Customer, Order, OrderItem, Session, Shop, WholeOrder, order


def fill(shop: Shop, count: int) -> None:
    for number in range(count):
        shop.put(order(number, status="OPEN" if number % 10 == 0 else "DONE"))


def ids(orders: object) -> list[str]:
    return [each.id for each in orders]  # type: ignore[attr-defined]  # both pages and lists of orders


def test_key_reads_return_a_stored_object_unchanged(shop: Shop) -> None:
    customer = shop.put(Customer(id="c#1 %/é🦀", name="Ada"))
    assert shop.customer("c#1 %/é🦀") == customer
    full = order(1, tags=["a", "b"], note="for Ada")
    shop.put(full)
    assert shop.order("o0001") == full
    assert shop.get(key(Order, id="o0001")) == full
    assert shop.get(key(Order, id="o0001"), consistent=True) == full
    assert shop.customer("nobody") is None


def test_pagination_returns_everything_in_order(shop: Shop) -> None:
    fill(shop, 23)
    first = shop.orders_of_customer("c1", limit=10)
    second = shop.orders_of_customer("c1", limit=10, cursor=first.cursor)
    third = shop.orders_of_customer("c1", limit=10, cursor=second.cursor)
    assert [len(first), len(second), len(third)] == [10, 10, 3]
    assert third.cursor is None
    newest_first = [f"o{number:04}" for number in range(22, -1, -1)]
    assert ids([*first, *second, *third]) == newest_first
    assert ids(shop.orders_of_customer.all("c1")) == newest_first
    assert shop.orders_of_customer.count("c1") == 23
    assert ids(shop.orders_of_customer.using(limit=2)("c1")) == newest_first[:2]


def test_every_read_of_async_table_equals_the_synchronous_read(shop: Shop) -> None:
    fill(shop, 5)

    async def awaited() -> None:
        assert await shop.order.aio("o0001") == shop.order("o0001")
        assert await shop.orders_of_customer.aio("c1") == shop.orders_of_customer("c1")
        assert [each.id async for each in shop.orders_of_customer.all("c1")] == ids(shop.orders_of_customer("c1"))
        assert await shop.orders_of_customer.count_aio("c1") == 5
        assert await shop.aio.get(key(Order, id="o0002")) == shop.order("o0002")

    asyncio.run(awaited())


def test_pagination_loses_nothing_with_a_selective_filter(shop: Shop) -> None:
    shop.put(order(0, status="OPEN"))
    for number in range(1, 300):
        shop.put(order(number, status="DONE", note="x" * 8000))  # three pages of a megabyte
    shop.put(order(300, status="OPEN"))
    assert ids(shop.open_orders_of_customer.all("c1")) == ["o0000", "o0300"]
    page = shop.open_orders_of_customer.using(limit=1)("c1")
    assert ids(page) == ["o0000"]
    rest = shop.open_orders_of_customer.using(limit=5, cursor=page.cursor)("c1")
    assert ids(rest) == ["o0300"]
    assert shop.open_orders_of_customer.count("c1") == 2


def test_pagination_accepts_a_cursor_only_for_its_pattern_and_arguments(place: Place) -> None:
    clock = [1000.0]
    with place.open(Shop, secret="s" * 32, cursor_seconds=60, now=lambda: clock[0]) as shop:
        fill(shop, 5)
        cursor = shop.orders_of_customer("c1", limit=2).cursor
        assert cursor is not None
        assert set(cursor) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        assert len(shop.orders_of_customer("c1", limit=2, cursor=cursor)) == 2
        assert len(shop.orders_of_customer("c1", limit=5, cursor=cursor)) == 3  # the cursor is not bound to the limit
        with pytest.raises(CursorRefused, match="other arguments"):
            shop.orders_of_customer("c2", cursor=cursor)
        with pytest.raises(CursorRefused):
            shop.open_orders_of_customer.using(cursor=cursor)("c1")
        clock[0] += 61
        with pytest.raises(CursorRefused, match="expired"):
            shop.orders_of_customer("c1", cursor=cursor)
    with place.open(Shop, secret="t" * 32) as other, pytest.raises(CursorRefused, match="another secret"):
        other.orders_of_customer("c1", cursor=cursor)


@given(st.integers(0, 999), st.integers(0, 11))
def test_pagination_rejects_a_modified_cursor(position: int, choice: int) -> None:
    with Shop.open("memory:") as shop:
        fill(shop, 3)
        cursor = shop.orders_of_customer("c1", limit=1).cursor
        assert cursor is not None
        place = position % len(cursor)
        other = [character for character in "ABCxyz019-_!é " if character != cursor[place]][choice]
        with pytest.raises(CursorRefused):
            shop.orders_of_customer("c1", cursor=cursor[:place] + other + cursor[place + 1 :])


def test_pagination_rejects_a_short_cursor_secret() -> None:
    with pytest.raises(ArgumentRefused, match="at least 16 bytes"):
        Shop.open("memory:", secret="short")


def test_pattern_reads_return_a_whole_collection_or_raise(shop: Shop) -> None:
    assert shop.whole_order("o0001") is None
    shop.put(OrderItem("o0001", "s1"))
    with pytest.raises(CollectionIncomplete, match="found 0 Order items, but WholeOrder takes one"):
        shop.whole_order("o0001")
    one = order(1)
    shop.put(one)
    many = [OrderItem("o0001", f"s{number}", number) for number in range(3)]
    for each in many:
        shop.put(each)
    assert shop.whole_order("o0001") == WholeOrder(one, many)


@pytest.mark.parametrize("name", ["ab", "a" * 256, "a b c", "größe", "abc\n"])
def test_open_table_rejects_an_invalid_table_name_with_the_limit(name: str) -> None:
    with pytest.raises(ArgumentRefused, match=r"is not a valid table name: DynamoDB accepts 3 to 255"):
        Shop.open("memory:", name=name)


def test_key_reads_hide_expired_items_by_default(place: Place) -> None:
    now = IN_TWO_HOURS
    with place.clocked(Shop, now.timestamp) as shop:
        shop.put(Session("old", now - timedelta(hours=1)))
        shop.put(Session("new", now + timedelta(hours=1)))
        assert shop.session("old") is None
        assert shop.session.using(expired=True)("old") == Session("old", now - timedelta(hours=1))
        assert shop.session("new") == Session("new", now + timedelta(hours=1))
        assert shop.get(key(Session, id="old")) is None
        assert shop.get(key(Session, id="old"), expired=True) is not None


def stranger(shop: Shop, **attributes: str) -> None:
    """Write an item of another program into the table."""
    call(shop, "PutItem", Item={name: {"S": text} for name, text in attributes.items()})


def test_pattern_reads_of_a_collection_skip_an_unknown_item_with_a_warning(shop: Shop) -> None:
    shop.put(order(1))
    stranger(shop, PK="ORDER#o0001", SK="ITEM#x", entity_type="Invoice")
    with pytest.warns(UnknownItemWarning, match=r"belongs to no entity of Shop: .*ITEM#x"):
        assert shop.whole_order("o0001") == WholeOrder(order(1), [])


async def read_on_the_loop(shop: Shop) -> None:
    await shop.whole_order.aio("o0001")


def test_warnings_of_table_reader_point_to_the_line_of_the_user(shop: Shop) -> None:
    stranger(shop, PK="ORDER#o0001", SK="ITEM#x", entity_type="Invoice")
    with pytest.warns(UnknownItemWarning) as caught:
        shop.whole_order("o0001")
    with pytest.warns(UnknownItemWarning) as awaited:
        asyncio.run(read_on_the_loop(shop))
    assert [each.filename for each in (*caught, *awaited)] == [__file__, __file__]


def test_key_reads_do_not_read_an_item_of_another_type_as_the_requested_entity(shop: Shop) -> None:
    shop.put(order(1))
    stranger(shop, PK="ORDER#o9", SK="METADATA", entity_type="Invoice", id="o9")
    with pytest.warns(UnknownItemWarning, match=r"^get found an item that belongs to no entity of Shop: .*ORDER#o9"):
        assert shop.get(key(Order, id="o9")) is None
    with pytest.warns(UnknownItemWarning, match=r"^get_many found an item"):
        assert shop.get_many([key(Order, id="o0001"), key(Order, id="o9")]) == [order(1), None]


def test_item_decoder_names_the_wrong_attribute_of_an_unreadable_item(shop: Shop) -> None:
    stranger(shop, PK="ORDER#o9", SK="METADATA", entity_type="Order", id="o9", customer_id="c1", total="many")
    with pytest.raises(ItemRefused, match=r"cannot be read as Order: total must be Decimal, got \{'S': 'many'\}"):
        shop.order("o9")
    stranger(shop, PK="ORDER#o8", SK="METADATA", entity_type="Order", id="o8")
    with pytest.raises(ItemRefused, match="attribute 'customer_id' is missing"):
        shop.order("o8")


def test_table_reader_rejects_a_strongly_consistent_read_of_a_global_index(shop: Shop) -> None:
    with pytest.raises(ArgumentRefused, match="only eventually consistent reads"):
        shop.orders_of_customer.using(consistent=True)("c1")
    assert shop.order.using(consistent=True)("o1") is None


def test_a_closed_connected_table_raises_not_connected(shop: Shop) -> None:
    shop.close()
    shop.close()
    with pytest.raises(NotConnected):
        shop.order("o1")
    with pytest.raises(NotConnected):
        shop.put(order(1))


def test_open_table_rejects_a_missing_or_different_table(place: Place) -> None:
    place.needs("several openings")
    with pytest.raises(TableDiffers, match="table 'Shop' does not exist"):
        place.open(Shop, create=False)
    creation = {
        "TableName": "Shop",
        "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
        "AttributeDefinitions": [
            {"AttributeName": "PK", "AttributeType": "S"},
            {"AttributeName": "SK", "AttributeType": "N"},
        ],
        "BillingMode": "PAY_PER_REQUEST",
    }
    with closing(transport_for(place.url)) as transport:
        transport.send("CreateTable", json.dumps(creation).encode())
    with pytest.raises(TableDiffers) as refused:
        place.open(Shop, create=False)
    assert "the table has SK of type N, but the model declares S" in str(refused.value)
    assert "index GSI1 is missing" in str(refused.value)


def test_open_table_accepts_another_table_name(place: Place) -> None:
    place.needs("several openings")
    with place.open(Shop, name="shop-test") as shop:
        shop.put(order(1))
    with place.open(Shop, create=False, name="shop-test") as shop:
        assert shop.order("o0001") == order(1)


def test_open_table_rejects_an_invalid_url() -> None:
    with pytest.raises(ArgumentRefused, match="is not a valid URL for a table"):
        Shop.open("postgres://localhost")


def test_client_metrics_count_consumed_capacity_by_pattern(shop: Shop, place: Place) -> None:
    fill(shop, 3)
    shop.metrics.reset()
    shop.order("o0001")
    shop.orders_of_customer("c1")
    shop.put(order(9))
    usage = shop.metrics.by_pattern
    assert (usage["order"].requests, usage["order"].read_units) == (1, 0.5)
    assert usage["orders_of_customer"].requests == 1
    assert not place.has("exact units") or usage["put"].write_units == 2.0  # the item and its index entry
    assert shop.metrics.total.requests == 3
    assert repr(shop.metrics) == f"<metrics of all requests: {shop.metrics.total}>"
