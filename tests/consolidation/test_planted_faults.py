"""Planted faults: shadow reads find each of them, the table stores it, and the pattern cannot be switched to `new`."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import pytest

from examples.shop.model import Customer, Order, OrderItem, Product
from examples.shop_tables import tables
from examples.shop_tables.old_shop_reads import ShopReads, customer_of, order_of
from singletable import ConsolidationRefused, Page, Table, key, pattern, query
from singletable.consolidation import PatternState, ShadowReads, old_read, read_pattern_states, switch_mode
from singletable.consolidation.answer_differences import DifferenceKind
from tests.consolidation.shop_reads import EVERY, TwoShops, objects, start, two_shops

CUSTOMER, ORDER = "c000001", "o0000001"


@pytest.fixture
def shops() -> Iterator[TwoShops]:
    with two_shops() as found:
        yield found


def state_after(reads: ShopReads, name: str, argument: str, calls: int = 3) -> PatternState:
    """Compare some calls in the mode `shadow`, and return the state that the table stores."""
    start(reads, name)
    for _ in range(calls):
        getattr(reads, name)(argument)
    assert reads.drain()
    return read_pattern_states(reads.table)[name]


def assert_blocks(shops: TwoShops, name: str, state: PatternState, kind: DifferenceKind, field: str) -> None:
    """Check that the difference is stored, and that it blocks the next mode until a new round is clean."""
    assert state.compared == state.mismatches == state.kinds[kind] > 0
    assert {(each.kind, each.field) for each in state.differences} >= {(kind, field)}
    assert state.clean_calls == 0
    assert state.clean_since != state.since, "the clean time began again"
    with pytest.raises(
        ConsolidationRefused, match=rf"(?s)compared calls differ, so it cannot be switched to 'new'.\n.*  {kind}: "
    ):
        switch_mode(shops.new, name, "new", calls_min=1)
    assert read_pattern_states(shops.new)[name].mode == "shadow"


def test_the_consolidation_detects_a_planted_mapping_that_drops_a_field(
    shops: TwoShops, caplog: pytest.LogCaptureFixture
) -> None:
    for table, row in tables.rows(300):
        if table == tables.CUSTOMERS:
            shops.new.put(customer_of({**row, "email": ""}))
    with caplog.at_level(logging.WARNING, "singletable.consolidation"):
        state = state_after(shops.reads(), "customer", CUSTOMER)
    assert_blocks(shops, "customer", state, "value", "email")
    found = state.differences[0]
    assert (found.call, found.key) == (f"customer(id='{CUSTOMER}')", f"Customer id='{CUSTOMER}'")
    assert (found.old, found.new) == ("'1@example.com'", "''")
    assert f"Shop.customer: value: customer(id='{CUSTOMER}'): Customer id='{CUSTOMER}': email: old" in caplog.text


def test_the_consolidation_detects_a_row_that_another_program_writes(shops: TwoShops) -> None:
    late = {
        "id": "late",
        "customer_id": CUSTOMER,
        "status": "PENDING",
        "total": Decimal(7),
        "created_at": "2027-01-01T00:00:00Z",
    }
    shops.put_row(tables.ORDERS, late)
    state = state_after(shops.reads(), "orders_of_customer", CUSTOMER)
    assert_blocks(shops, "orders_of_customer", state, "missing", "")
    assert "Order id='late'" in {each.key for each in state.differences}


def test_the_consolidation_detects_a_row_that_another_program_changes(shops: TwoShops) -> None:
    row = shops.old.whole_order(ORDER)
    assert row is not None
    shops.put_row(tables.ORDERS, {**row[0], "status": "LOST"})
    assert_blocks(shops, "whole_order", state_after(shops.reads(), "whole_order", ORDER), "value", "status")


def test_the_consolidation_detects_a_row_that_another_program_deletes(shops: TwoShops) -> None:
    found = shops.old.whole_order(ORDER)
    assert found is not None
    shops.client.delete_item(
        TableName=tables.ORDER_ITEMS, Key={"order_id": {"S": ORDER}, "sku": {"S": found[1][0]["sku"]}}
    )
    assert_blocks(shops, "whole_order", state_after(shops.reads(), "whole_order", ORDER), "extra", "items")


class OldestFirst(Table, entities=[Customer, Order, OrderItem, Product], name="Shop"):
    """A model whose pattern returns the orders in the wrong order."""

    @pattern()
    def orders_of_customer(self, customer_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """Get all orders for a customer."""
        return query(Order)


def test_shadow_reads_detect_a_planted_wrong_order(shops: TwoShops) -> None:
    class Reads(ShadowReads):
        @old_read(OldestFirst.orders_of_customer)
        def orders_of_customer(self, customer_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
            return Page([order_of(row) for row in shops.old.orders_of_customer(customer_id, limit)])

    with OldestFirst.open(shops.engine) as table:
        reads = Reads(table, EVERY)
        reads.orders_of_customer(CUSTOMER, limit=100)
        assert reads.drain()
        switch_mode(table, "orders_of_customer", "shadow")
        assert reads.refresh()
        assert len(reads.orders_of_customer(CUSTOMER, limit=100)) > 1
        assert reads.drain()
        state = read_pattern_states(table)["orders_of_customer"]
    assert_blocks(shops, "orders_of_customer", state, "order", "")


def test_shadow_reads_detect_a_planted_stale_index(shops: TwoShops) -> None:
    """An item whose index keys still belong to another customer, as an update by hand leaves them."""
    id = next(order.id for order in objects() if isinstance(order, Order) and order.customer_id != CUSTOMER)
    moved = shops.old.whole_order(id)
    assert moved is not None
    shops.put_row(tables.ORDERS, {**moved[0], "customer_id": CUSTOMER, "created_at": "2027-01-01T00:00:00Z"})
    shops.client.update_item(
        TableName="Shop",
        Key={"PK": {"S": f"ORDER#{id}"}, "SK": {"S": "METADATA"}},
        UpdateExpression="SET customer_id = :customer, created_at = :at",
        ExpressionAttributeValues={":customer": {"S": CUSTOMER}, ":at": {"S": "2027-01-01T00:00:00Z"}},
    )
    order = shops.new.get(key(Order, id=id))
    assert order is not None
    assert order.customer_id == CUSTOMER
    assert_blocks(
        shops, "orders_of_customer", state_after(shops.reads(), "orders_of_customer", CUSTOMER), "missing", ""
    )


def test_a_fixed_fault_blocks_until_a_new_round_is_clean(shops: TwoShops) -> None:
    row = shops.old.customer(CUSTOMER)
    assert row is not None
    shops.put_row(tables.CUSTOMERS, {**row, "name": "Ada"})
    reads = shops.reads()
    assert_blocks(shops, "customer", state_after(reads, "customer", CUSTOMER), "value", "name")
    shops.new.put(customer_of({**row, "name": "Ada"}))
    reads.customer(CUSTOMER)
    assert reads.drain()
    with pytest.raises(ConsolidationRefused, match="differ"):
        switch_mode(shops.new, "customer", "new", calls_min=1)
    state = state_after(reads, "customer", CUSTOMER)
    assert (state.mismatches, state.differences) == (0, ())
    with pytest.raises(ConsolidationRefused, match="3 calls were compared, but 'new' needs 4"):
        switch_mode(shops.new, "customer", "new", calls_min=4)
    switch_mode(shops.new, "customer", "new", calls_min=3)
    assert read_pattern_states(shops.new)["customer"].mode == "new"


def test_planted_faults_are_found_while_shadow_reads_serve_the_new_implementation(shops: TwoShops) -> None:
    reads = shops.reads()
    state_after(reads, "customer", CUSTOMER)
    switch_mode(shops.new, "customer", "new", calls_min=1)
    assert reads.refresh()
    row = shops.old.customer(CUSTOMER)
    assert row is not None
    shops.put_row(tables.CUSTOMERS, {**row, "name": "Ada"})
    assert reads.customer(CUSTOMER) == customer_of(row)
    assert reads.drain()
    with pytest.raises(ConsolidationRefused, match="differ, so it cannot be switched to 'done'"):
        switch_mode(shops.new, "customer", "done", calls_min=1)


def test_shadow_reads_store_a_bounded_number_of_differences(shops: TwoShops) -> None:
    for table, row in tables.rows(300):
        if table == tables.CUSTOMERS:
            shops.new.put(customer_of({**row, "name": "x" * 1000, "email": ""}))
    reads = shops.reads(replace(EVERY, mask=["email"]))
    start(reads, "customer")
    for number in range(1, 31):
        reads.customer(tables.customer_id(number))
        if number % 10 == 0:
            assert reads.drain()
    state = read_pattern_states(shops.new)["customer"]
    assert state.mismatches == 30
    assert len(state.differences) == 20
    assert {each.old for each in state.differences if each.field == "email"} == {"***"}
    assert max(len(each.new) for each in state.differences) < 300
