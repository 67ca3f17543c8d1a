"""Orders that every contender writes: their index keys, their items, and a comparison with the stored item.

The table has the keys of the read benchmark and two global secondary indexes. Every contender environment imports this
module, so it depends only on the standard library.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from bench.client_bench.orders import Order, order, order_id, partition_of, sort_of, stored_item
from bench.client_bench.rows import BATCH, BATCH_ITEMS, MOVE, TRANSACTION, TRANSACTION_ITEMS, UPDATE

WRITE_TABLE = "orders-to-write"
INDEXES = {"GSI1": ("GSI1PK", "GSI1SK"), "GSI2": ("GSI2PK", "GSI2SK")}
STATUSES = ("PENDING", "PAID", "SHIPPED")
DATETIMES = ("created_at", "shipped_at")

Item = dict[str, Any]


def order_to_write(customer: str, number: int, version: int = 0) -> Order:
    """Return an order. Another version has another quantity under the same keys."""
    return replace(order(0, number), customer_id=customer, quantity=version % 7 + 1)


def status_at(number: int, version: int) -> str:
    """Return the status that an update sets.

    It differs from the status of the version before, and from that of a new order.
    """
    return STATUSES[(number + version % 2 + 1) % 3]


def note_at(version: int) -> str:
    """Return the note that an update sets."""
    return f"Version {version:05} of the note: leave it with the neighbours."


def arguments_of(row: str, build: Callable[[Order], Any], customer: str, number: int, version: int) -> tuple[Any, ...]:
    """Return the arguments of one call, with the objects that it writes already built."""

    def orders(count: int) -> list[Any]:
        return [build(order_to_write(customer, number * count + each, version)) for each in range(count)]

    if row == UPDATE:
        return customer, order_id(number), note_at(version)
    if row == MOVE:
        return customer, order_id(number), status_at(number, version)
    if row == BATCH:
        return (orders(BATCH_ITEMS),)
    if row == TRANSACTION:
        return (orders(TRANSACTION_ITEMS),)
    return (build(order_to_write(customer, number, version)),)


def status_partition(status: str) -> str:
    """Return the partition key of the first index."""
    return f"STATUS#{status}"


def table_key(customer: str, order: str) -> dict[str, str]:
    """Return the key of an order."""
    return {"PK": partition_of(customer), "SK": sort_of(order)}


def keys_of(each: Order) -> dict[str, str]:
    """Return every key attribute of an order, for contenders without key templates."""
    partition = partition_of(each.customer_id)
    return {
        "PK": partition,
        "SK": sort_of(each.id),
        "GSI1PK": status_partition(each.status),
        "GSI1SK": f"ORDER#{each.customer_id}#{each.id}",
        "GSI2PK": partition,
        "GSI2SK": f"PLACED#{each.created_at:%Y-%m-%dT%H:%M:%S.%fZ}",
    }


def plain_item(each: Order) -> Item:
    """Return the attributes of an order as a dict of Python values, for contenders without models."""
    item: Item = {
        **keys_of(each),
        "entity_type": "Order",
        "customer_id": each.customer_id,
        "id": each.id,
        "status": each.status,
        "total": each.total,
        "quantity": each.quantity,
        "created_at": each.created_at.isoformat(),
        "gift": each.gift,
        "tags": each.tags,
        "address": each.address,
    }
    if each.shipped_at is not None:
        item["shipped_at"] = each.shipped_at.isoformat()
    if each.note is not None:
        item["note"] = each.note
    return item


def stored_difference(found: Item | None, expected: Order) -> str | None:
    """Describe the first attribute of a stored item that differs from an order.

    Return None if all attributes are equal.
    """
    if found is None:
        return f"{expected.id} is not stored"
    item = {**stored_item(expected), **{name: {"S": text} for name, text in keys_of(expected).items()}}
    for name in sorted({*found, *item}):
        value, right = _comparable(name, found.get(name)), _comparable(name, item.get(name))
        if value != right:
            return f"{name} of {expected.id} is {value!r}, expected {right!r}"
    return None


def _comparable(name: str, attribute: Item | None) -> object:
    """Return an attribute value in a form in which equal numbers and equal points in time compare as equal."""
    if attribute is None:
        return None
    if "N" in attribute:
        return Decimal(attribute["N"])
    if name in DATETIMES and "S" in attribute:
        return datetime.fromisoformat(attribute["S"])
    return attribute
