"""The four tables of the shop, and rows to fill them with: the same rows for the same number and seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import islice
from random import Random
from typing import Any

from boto3.dynamodb.types import TypeSerializer  # type: ignore[import-untyped]

Item = dict[str, Any]
"""An item with the Python values that the resources of boto3 use, such as Decimal for a number."""

CUSTOMERS = "shop-customers"
ORDERS = "shop-orders"
ORDER_ITEMS = "shop-order-items"
PRODUCTS = "shop-products"
TABLES = (CUSTOMERS, PRODUCTS, ORDERS, ORDER_ITEMS)
"""The names of the tables. An item refers only to items of tables that come before its own."""

BY_CUSTOMER = "by-customer"
"""The index of the orders by customer and time."""
BY_SKU = "by-sku"
"""The index of the order items by product."""

KEYS: dict[str, tuple[str, ...]] = {
    CUSTOMERS: ("id",),
    PRODUCTS: ("sku",),
    ORDERS: ("id",),
    ORDER_ITEMS: ("order_id", "sku"),
}
"""The partition key of each table, and its sort key if it has one. All of them are strings."""

_INDEXES: dict[str, dict[str, tuple[str, ...]]] = {
    ORDERS: {BY_CUSTOMER: ("customer_id", "created_at")},
    ORDER_ITEMS: {BY_SKU: ("sku", "order_id")},
}

STATUSES = ("PENDING", "SHIPPED", "DELIVERED", "CANCELLED")
FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)
BATCH_MAX = 25


def create_tables(client: Any) -> None:
    """Create the four tables with a boto3 client."""
    for name in TABLES:
        client.create_table(**definition(name))


def definition(name: str) -> dict[str, Any]:
    """Return the parameters of CreateTable for a table."""
    indexes = _INDEXES.get(name, {})
    attributes = sorted({attribute for keys in (KEYS[name], *indexes.values()) for attribute in keys})
    found: dict[str, Any] = {
        "TableName": name,
        "KeySchema": _key_schema(KEYS[name]),
        "AttributeDefinitions": [{"AttributeName": each, "AttributeType": "S"} for each in attributes],
        "BillingMode": "PAY_PER_REQUEST",
    }
    if indexes:
        found["GlobalSecondaryIndexes"] = [
            {"IndexName": index, "KeySchema": _key_schema(keys), "Projection": {"ProjectionType": "ALL"}}
            for index, keys in indexes.items()
        ]
    return found


def _key_schema(keys: tuple[str, ...]) -> list[dict[str, str]]:
    return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(keys, ("HASH", "RANGE"), strict=False)]


def rows(count: int, seed: int = 7) -> Iterator[tuple[str, Item]]:
    """Yield `count` rows with their tables. Of 50 rows, 5 are customers, 2 products, 13 orders and 30 order items.

    The rows of a smaller count are the first rows of a larger count. The items of the last order may be missing.
    """
    return islice(_endless_rows(Random(seed)), count)  # noqa: S311  # example data is not secret


def customer_id(number: int) -> str:
    """Return the ID of a customer."""
    return f"c{number:06d}"


def sku(number: int) -> str:
    """Return the SKU of a product."""
    return f"SKU-{number:05d}"


def order_id(number: int) -> str:
    """Return the ID of an order."""
    return f"o{number:07d}"


def _endless_rows(random: Random) -> Iterator[tuple[str, Item]]:
    products: list[Item] = []
    customers = orders = 0
    while True:
        for _ in range(5):
            customers += 1
            yield CUSTOMERS, _customer(customers)
        for _ in range(2):
            products.append(_product(len(products) + 1, random))
            yield PRODUCTS, products[-1]
        for position in range(13):
            orders += 1
            # Thirty items for thirteen orders, and more orders for the first customers than for the last ones.
            bought = random.sample(products, min(len(products), 3 if position < 4 else 2))
            placed_by = customer_id(1 + int(customers * random.random() ** 2))
            items = [_order_item(orders, product, random.randint(1, 3)) for product in bought]
            yield ORDERS, _order(orders, placed_by, items, random)
            for item in items:
                yield ORDER_ITEMS, item


def _customer(number: int) -> Item:
    joined = FIRST_DAY + timedelta(minutes=7 * number)
    name = f"Customer {number}"
    return {"id": customer_id(number), "name": name, "email": f"{number}@example.com", "created_at": time_text(joined)}


def _product(number: int, random: Random) -> Item:
    description = "A frame for everyday use, cut from one sheet of acetate and polished by hand. " * 3
    price = Decimal(random.randint(80, 240))
    return {"sku": sku(number), "name": f"Frame {number}", "price": price, "description": description}


def _order(number: int, placed_by: str, items: list[Item], random: Random) -> Item:
    total = sum((item["price"] * item["quantity"] for item in items), Decimal(0))
    status = random.choices(STATUSES, weights=(5, 10, 80, 5))[0]
    placed = time_text(FIRST_DAY + timedelta(days=30, seconds=41 * number))
    return {"id": order_id(number), "customer_id": placed_by, "status": status, "total": total, "created_at": placed}


def _order_item(order: int, product: Item, quantity: int) -> Item:
    return {
        "order_id": order_id(order),
        "sku": product["sku"],
        "quantity": Decimal(quantity),
        "price": product["price"],
    }


def time_text(time: datetime) -> str:
    """Return a time as the tables store it: in UTC, to the second."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def fill(client: Any, count: int, seed: int = 7) -> None:
    """Write `count` rows into the tables with a boto3 client, in batches."""
    serialize = TypeSerializer().serialize
    for batch in _batches(rows(count, seed)):
        requests: dict[str, list[Any]] = {}
        for name, item in batch:
            stored = {attribute: serialize(value) for attribute, value in item.items()}
            requests.setdefault(name, []).append({"PutRequest": {"Item": stored}})
        while requests:
            requests = client.batch_write_item(RequestItems=requests).get("UnprocessedItems") or {}


def _batches(found: Iterable[tuple[str, Item]]) -> Iterator[list[tuple[str, Item]]]:
    remaining = iter(found)
    while batch := list(islice(remaining, BATCH_MAX)):
        yield batch
