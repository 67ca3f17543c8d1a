"""Writes of an open table: index keys are correct after each write, and a failed condition has a reason."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable import (
    AlreadyExists,
    ArgumentRefused,
    ConditionFailed,
    InvalidValue,
    KeyRefused,
    NotConnected,
    NotFound,
    SingletableError,
    TransactionCancelled,
    VersionConflict,
    field,
    key,
)
from singletable.model.update_changes import FieldChange
from tests.client.places import Place, call
from tests.client.shop import START, Customer, Order, OrderItem, Shop, order

STATUS = field(Order, lambda o: o.status)


def test_table_writer_create_never_overwrites_an_item(shop: Shop) -> None:
    shop.create(order(1))
    with pytest.raises(AlreadyExists, match="Order with id='o0001' already exists") as refused:
        shop.create(order(1, status="OTHER"))
    assert refused.value.item == shop.order("o0001") == order(1)


def test_a_transaction_returns_the_item_of_a_failed_condition_unless_it_is_unreadable(shop: Shop) -> None:
    shop.create(order(1))
    call(shop, "PutItem", Item={"PK": {"S": "ORDER#o0002"}, "SK": {"S": "METADATA"}, "entity_type": {"S": "Order"}})
    call(shop, "PutItem", Item={"PK": {"S": "ORDER#o0003"}, "SK": {"S": "METADATA"}, "entity_type": {"S": "Bill"}})
    with pytest.raises(TransactionCancelled) as cancelled, shop.transaction() as tx:  # noqa: PT012  # it fails at its end
        tx.create(order(1, status="OTHER"))
        tx.check(key(Order, id="o0004"), absent=True)
        tx.create(order(2))
        tx.create(order(3))
    told = [reason.error for reason in cancelled.value.reasons]
    assert [type(error) for error in told] == [AlreadyExists, type(None), AlreadyExists, AlreadyExists]
    assert [reason.item for reason in cancelled.value.reasons] == [order(1), None, None, None]


def test_table_writer_update_returns_the_new_object_and_needs_an_item(shop: Shop) -> None:
    shop.put(order(1))
    changed = shop.update(
        key(Order, id="o0001"),
        field(Order, lambda o: o.total).add(5),
        field(Order, lambda o: o.tags).append(["new"]),
        field(Order, lambda o: o.note).set("hello"),
    )
    assert changed == order(1, total=Decimal(5), tags=["new"], note="hello") == shop.order("o0001")
    assert shop.update(changed, field(Order, lambda o: o.note).set(None)).note is None
    with pytest.raises(NotFound, match="Order with id='o2' does not exist"):
        shop.update(key(Order, id="o2"), field(Order, lambda o: o.note).set("x"))
    assert shop.order("o2") is None


def test_request_sender_returns_the_item_of_a_failed_condition(shop: Shop) -> None:
    shop.put(order(1, status="OPEN"))
    with pytest.raises(ConditionFailed) as failed:
        shop.ship("o0001")
    assert failed.value.item == order(1, status="OPEN")
    with pytest.raises(NotFound):
        shop.ship("o2")
    with pytest.raises(ConditionFailed):
        shop.cancel("o0001")
    shop.put(order(1))
    assert shop.ship("o0001").status == "SHIPPED"
    assert shop.delete(order(1), where=lambda o: o.status == "SHIPPED") == order(1, status="SHIPPED")
    assert shop.delete(order(1)) is None


def test_index_key_changes_follow_an_update_of_a_field(shop: Shop) -> None:
    shop.put(order(1))
    shop.hand_over("o0001", "c2")
    assert [each.id for each in shop.orders_of_customer.all("c1")] == []
    assert [each.id for each in shop.orders_of_customer.all("c2")] == ["o0001"]
    later = START + timedelta(days=9)
    shop.update(key(Order, id="o0001"), field(Order, lambda o: o.created_at).set(later))  # the write needs a read first
    shop.put(order(5, "c2"))
    assert [each.id for each in shop.orders_of_customer.all("c2")] == ["o0001", "o0005"]


def test_write_intents_reject_an_update_of_a_field_of_the_primary_key(shop: Shop) -> None:
    shop.put(order(1))
    with pytest.raises(ArgumentRefused, match="the key of Order contains id"):
        shop.update(order(1), field(Order, lambda o: o.id).set("o2"))


def test_table_writer_rejects_a_write_of_another_class_or_without_changes(shop: Shop) -> None:
    with pytest.raises(ArgumentRefused, match="str is not an entity of Shop"):
        shop.put("text")
    with pytest.raises(ArgumentRefused, match="changes nothing"):
        shop.update(order(1))
    with pytest.raises(ArgumentRefused, match="is a field of Order, not of OrderItem"):
        shop.update(OrderItem("o", "s"), field(Order, lambda o: o.note).set("x"))  # type: ignore[misc]  # on purpose
    with pytest.raises(ArgumentRefused, match="needs a value for id to build its key"):
        shop.get(key(Order))
    with pytest.raises(KeyRefused, match="at most 2048"):
        shop.put(Customer(id="x" * 2048, name="long"))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda shop: shop.get("o1"), r"'o1' is not a key; write key\(Customer, id=\"...\"\)"),
        (
            lambda shop: shop.get(key(Order, id="o1", colour="red")),
            "Order has no field 'colour'; its key consists of id",
        ),
        (lambda shop: shop.get_many(["o1"]), "'o1' is not a key"),
        (lambda shop: shop.get_many(key(Order, id="o1")), "get_many takes a list of keys"),
        (lambda shop: shop.update(order(1), "status"), r"'status' is not a change; write field\(Order, lambda"),
        (lambda shop: shop.update(order(1), STATUS.set("A"), STATUS.set("B")), "the update changes status twice"),
        (lambda shop: shop.update(order(1), STATUS.set("A"), where=True), "where=True is not a condition"),
        (lambda shop: shop.scan("Order", reason="x"), "'Order' is not an entity of Shop, which has Customer, Order"),
        (lambda shop: shop.orders_of_customer("c1", cursor=5), "malformed cursor"),
    ],
)
def test_a_connected_table_rejects_invalid_arguments_with_a_clear_message(
    shop: Shop, asked: Callable[[Any], object], said: str
) -> None:
    with pytest.raises(SingletableError, match=said):
        asked(shop)


def test_object_validation_names_the_field_in_the_remedy_for_an_invalid_value(shop: Shop) -> None:
    naive = datetime(2026, 1, 1)  # intentionally naive
    with pytest.raises(
        InvalidValue, match=r"Order.created_at: .* has no time zone, but DynamoDB datetimes are stored in UTC"
    ):
        shop.put(order(1, created_at=naive))


def test_async_with_closes_a_connected_table(place: Place) -> None:
    async def awaited() -> Shop:
        async with place.open(Shop) as opened:
            await opened.aio.put(order(1))
            assert await opened.order.aio("o0001") == order(1)
        return opened

    with pytest.raises(NotConnected):
        asyncio.run(awaited()).order("o0001")


def test_table_writer_upsert_creates_the_item_and_keeps_other_attributes(shop: Shop) -> None:
    assert shop.upsert(order(1, note="a")) == order(1, note="a")
    assert shop.upsert(order(1, "c2")) == order(1, "c2")
    assert [each.id for each in shop.orders_of_customer.all("c2")] == ["o0001"]
    assert list(shop.orders_of_customer.all("c1")) == []


def test_table_writer_increments_the_version_and_checks_the_one_that_was_read(shop: Shop) -> None:
    first = shop.create(Customer(id="c1", name="Ada"))
    assert first.version == 1
    second = shop.put(first.model_copy(update={"name": "Ada L."}))
    assert second.version == 2
    with pytest.raises(VersionConflict, match="was read with version 1, but now has version 2") as conflict:
        shop.put(first)
    assert conflict.value.item == second
    third = shop.update(second, field(Customer, lambda c: c.name).set("Countess"))
    assert third.version == 3
    with pytest.raises(VersionConflict):
        shop.update(second, field(Customer, lambda c: c.name).set("nobody"))
    assert shop.update(key(Customer, id="c1"), field(Customer, lambda c: c.name).set("Ada")).version == 4
    assert shop.customer("c1") == Customer(id="c1", name="Ada", version=4)


def test_table_writer_loses_nothing_when_threads_race_with_versions(shop: Shop) -> None:
    shop.create(Customer(id="c1", name="0"))

    def count_up() -> None:
        for _ in range(10):
            while True:
                known = shop.customer("c1")
                assert known is not None
                try:
                    shop.put(known.model_copy(update={"name": str(int(known.name) + 1)}))
                    break
                except VersionConflict:
                    continue

    threads = [threading.Thread(target=count_up) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    customer = shop.customer("c1")
    assert customer is not None
    assert (customer.name, customer.version) == ("80", 81)


def test_every_write_of_async_table_works(shop: Shop) -> None:
    async def awaited() -> None:
        await shop.aio.create(order(1))
        with pytest.raises(AlreadyExists):
            await shop.aio.create(order(1))
        await shop.aio.put(order(2))
        await shop.aio.upsert(order(3))
        changed = await shop.aio.update(order(1), field(Order, lambda o: o.note).set("x"))
        assert changed.note == "x"
        assert (await shop.ship.aio("o0001")).status == "SHIPPED"
        assert await shop.aio.delete(order(2)) == order(2)
        assert shop.order("o0002") is None

    asyncio.run(awaited())


CHANGES = st.sampled_from(
    [
        field(Order, lambda o: o.customer_id).set("c1"),
        field(Order, lambda o: o.customer_id).set("c#2"),
        field(Order, lambda o: o.created_at).set(START + timedelta(days=1)),
        field(Order, lambda o: o.created_at).set(START + timedelta(days=2)),
        field(Order, lambda o: o.status).set("OPEN"),
        field(Order, lambda o: o.total).add(3),
        field(Order, lambda o: o.note).set("x"),
        field(Order, lambda o: o.note).set(None),
    ]
)


def test_index_key_changes_after_updates_of_an_order_equal_the_keys_of_a_fresh_put(place: Place) -> None:
    with place.fresh(Shop) as shop, place.fresh(Shop) as fresh:

        @settings(max_examples=place.examples(settings().max_examples))
        @given(st.lists(st.lists(CHANGES, min_size=1, max_size=3), min_size=1, max_size=8))
        def holds(steps: list[list[FieldChange[Order]]]) -> None:
            shop.put(order(1))
            for changes in steps:
                named = {str(each.change.path): each for each in changes}  # one per field
                latest = shop.update(key(Order, id="o0001"), *named.values())
                fresh.put(latest)
                assert raw(shop) == raw(fresh)

        holds()


def raw(shop: Shop) -> object:
    """Return the stored item of the order, with all its keys."""
    return call(shop, "GetItem", Key={"PK": {"S": "ORDER#o0001"}, "SK": {"S": "METADATA"}})["Item"]
