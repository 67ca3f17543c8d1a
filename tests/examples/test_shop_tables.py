"""The shop on four tables with boto3: its rows, every access pattern, and its random traffic."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest

from examples.shop_tables import tables
from examples.shop_tables.shop_application import OrderNotPending, ShopApplication
from examples.shop_tables.tables import CUSTOMERS, ORDER_ITEMS, ORDERS, PRODUCTS, Item
from examples.shop_tables.traffic import SHARES, ShopTraffic
from singletable.catalogue.recorded_catalogue import read_catalogue
from singletable.engine import Engine
from singletable.engine.boto3_clients import boto3_client, boto3_resource

ROOT = Path(__file__).parents[2]
COUNT = 300


@pytest.fixture
def shop() -> ShopApplication:
    engine = Engine("memory:")
    client = boto3_client(engine)
    tables.create_tables(client)
    tables.fill(client, COUNT)
    return ShopApplication(client, boto3_resource(engine))


def rows_of(table: str) -> list[Item]:
    return [item for name, item in tables.rows(COUNT) if name == table]


def test_rows_of_the_shop_tables_are_the_same_for_a_seed_and_a_prefix_of_more_rows() -> None:
    assert list(tables.rows(COUNT)) == list(tables.rows(2 * COUNT))[:COUNT]
    assert list(tables.rows(COUNT, seed=8)) != list(tables.rows(COUNT))
    assert Counter(name for name, _ in tables.rows(50_000)).most_common()[0][0] == ORDER_ITEMS


def test_rows_of_the_shop_tables_refer_to_rows_before_them() -> None:
    seen: set[tuple[str, str]] = set()
    for name, item in tables.rows(COUNT):
        seen.add((name, item["sku" if name == PRODUCTS else "order_id" if name == ORDER_ITEMS else "id"]))
        if name == ORDERS:
            assert (CUSTOMERS, item["customer_id"]) in seen
        if name == ORDER_ITEMS:
            assert (ORDERS, item["order_id"]) in seen
            assert (PRODUCTS, item["sku"]) in seen


def test_reads_of_the_shop_tables_return_the_rows(shop: ShopApplication) -> None:
    customers, products = rows_of(CUSTOMERS), rows_of(PRODUCTS)
    assert shop.customer("c000003") == customers[2]
    assert shop.customer("c999999") is None
    assert shop.customer_email("c000003") == "3@example.com"
    assert shop.customers_by_signup() == customers
    assert shop.product(products[0]["sku"]) == products[0]
    order = rows_of(ORDERS)[0]
    items = [item for item in rows_of(ORDER_ITEMS) if item["order_id"] == order["id"]]
    assert shop.whole_order(order["id"]) == (order, sorted(items, key=lambda item: str(item["sku"])))
    assert len(shop.order_summary(order["id"])) == len(items)
    bought = [item for item in rows_of(ORDER_ITEMS) if item["sku"] == products[0]["sku"]]
    assert len(shop.orders_with_sku(products[0]["sku"])) == len(bought)


def test_orders_of_a_customer_in_the_shop_tables_are_the_newest_first_and_continue_after_a_page(
    shop: ShopApplication,
) -> None:
    orders = [order for order in rows_of(ORDERS) if order["customer_id"] == "c000001"]
    newest = sorted(orders, key=lambda order: str(order["created_at"]), reverse=True)
    first = shop.orders_of_customer("c000001", limit=2)
    assert len(newest) > 4
    assert first == newest[:2]
    assert shop.orders_of_customer("c000001", limit=2, start=first[-1]) == newest[2:4]
    assert all(after["created_at"] < before["created_at"] for before, after in pairwise(newest))
    pending = [order for order in orders if order["status"] == "PENDING"]
    assert shop.pending_orders_of_customer("c000001") == pending


def test_writes_to_the_shop_tables_change_the_rows(shop: ShopApplication) -> None:
    customer = {"id": "new", "name": "Ada", "email": "ada@example.com", "created_at": "2026-05-01T00:00:00Z"}
    assert shop.register(customer)
    assert not shop.register(customer)
    order = {"id": "o", "customer_id": "new", "status": "PENDING", "total": Decimal(7), "created_at": "2026-05-02"}
    items = [{"order_id": "o", "sku": f"s{number}", "quantity": Decimal(1), "price": Decimal(7)} for number in (1, 2)]
    shop.place_order(order, items)
    assert shop.whole_order("o") == (order, items)
    assert shop.pending_orders_of_customer("new") == [order]
    assert shop.ship("o")["status"] == "SHIPPED"
    with pytest.raises(OrderNotPending):
        shop.cancel("o")
    shop.place_order({**order, "id": "p"}, [])
    shop.cancel("p")
    assert shop.whole_order("p") is None
    shop.add_products([{"sku": "s1", "name": "One", "price": Decimal(1)}])
    shop.change_price("s1", Decimal(2))
    assert shop.product("s1") == {"sku": "s1", "name": "One", "price": Decimal(2)}


def test_traffic_on_the_shop_tables_calls_every_method(shop: ShopApplication) -> None:
    traffic = ShopTraffic(shop, tables.rows(COUNT))
    for name in SHARES:
        traffic.call(name)
    assert {traffic.step() for _ in range(20)} <= set(SHARES)
    assert {name for name in vars(ShopApplication) if not name.startswith("_")} == set(SHARES)


def test_the_recording_of_the_shop_tables_names_every_method() -> None:
    catalogue = read_catalogue([ROOT / "examples" / "shop_tables" / "catalogue.jsonl"])
    assert {each.name for each in catalogue.patterns} == set(SHARES)
