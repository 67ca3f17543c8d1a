"""Orders that every contender reads: their fields, their stored items, and a comparison with the returned objects.

Every contender environment imports this module, so it depends only on the standard library.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

TABLE = "orders"
SIZES = (100, 1_000)
"""Numbers of orders per customer. There is one customer for each number."""


@dataclass
class Order:
    """An order with eleven fields; its item has 250 to 370 bytes, with key and entity type."""

    customer_id: str
    id: str
    status: str
    total: Decimal
    quantity: int
    created_at: datetime
    gift: bool
    tags: list[str]
    address: str
    shipped_at: datetime | None = None
    note: str | None = None


FIELDS = tuple(Order.__dataclass_fields__)


def customer_of(size: int) -> str:
    """Return the customer with this number of orders."""
    return f"c{size}"


def order_id(number: int) -> str:
    """Return the id of an order."""
    return f"o{number:05}"


def partition_of(customer: str) -> str:
    """Return the partition key of the orders of a customer."""
    return f"CUST#{customer}"


def sort_of(order: str) -> str:
    """Return the sort key of an order."""
    return f"ORDER#{order}"


def order(size: int, number: int) -> Order:
    """Return an order of the customer; a third of them are not shipped, and a quarter have no note."""
    created = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=7 * number, microseconds=number)
    return Order(
        customer_id=customer_of(size),
        id=order_id(number),
        status=("PENDING", "PAID", "SHIPPED")[number % 3],
        total=Decimal(1_005 + 37 * number) / 100,
        quantity=number % 7 + 1,
        created_at=created,
        gift=number % 5 == 0,
        tags=["crimson red", "extra large", f"collection {number % 10}"],
        address=f"{number} Long Street, Flat {number % 40}, {number % 90 + 10} Littletown upon River, Westshire",
        shipped_at=created + timedelta(days=2) if number % 3 else None,
        note="Please leave it at the door of the neighbours, the bell does not ring." if number % 4 else None,
    )


def orders(size: int) -> list[Order]:
    """Return the orders of a customer, sorted."""
    return [order(size, number) for number in range(size)]


def format_datetime(value: datetime) -> str:
    """Return a datetime in a format that all contenders read without a custom converter."""
    return value.strftime("%Y-%m-%dT%H:%M:%S.%f+0000")


def stored_item(each: Order) -> dict[str, Any]:
    """Return an order as DynamoDB JSON, with the keys and the entity type of a single-table design."""
    item: dict[str, Any] = {
        "PK": {"S": partition_of(each.customer_id)},
        "SK": {"S": sort_of(each.id)},
        "entity_type": {"S": "Order"},
        "customer_id": {"S": each.customer_id},
        "id": {"S": each.id},
        "status": {"S": each.status},
        "total": {"N": str(each.total)},
        "quantity": {"N": str(each.quantity)},
        "created_at": {"S": format_datetime(each.created_at)},
        "gift": {"BOOL": each.gift},
        "tags": {"L": [{"S": tag} for tag in each.tags]},
        "address": {"S": each.address},
    }
    if each.shipped_at is not None:
        item["shipped_at"] = {"S": format_datetime(each.shipped_at)}
    if each.note is not None:
        item["note"] = {"S": each.note}
    return item


def order_from_dict(item: dict[str, Any]) -> Order:
    """Return the order of a dict with Decimal numbers and ISO datetimes, converted by hand as users of boto3 do."""
    shipped = item.get("shipped_at")
    return Order(
        item["customer_id"],
        item["id"],
        item["status"],
        item["total"],
        int(item["quantity"]),
        datetime.fromisoformat(item["created_at"]),
        item["gift"],
        item["tags"],
        item["address"],
        None if shipped is None else datetime.fromisoformat(shipped),
        item.get("note"),
    )


def difference(found: Any, expected: Order) -> str | None:
    """Describe the first field of an object with a wrong value or type. Return None if all fields are equal."""
    for name in FIELDS:
        value, right = getattr(found, name), getattr(expected, name)
        if value != right or not isinstance(value, type(right)):
            return f"{name} of {expected.id} is {value!r}, expected {right!r}"
    return None


def difference_of_dict(found: dict[str, Any], expected: Order) -> str | None:
    """Describe the first wrong value of a dict, with numbers and datetimes in any type.

    Return None if all are equal.
    """
    for name, right in vars(expected).items():
        value = found.get(name)
        if isinstance(right, datetime):
            value = datetime.fromisoformat(str(value))
        elif isinstance(right, Decimal):
            value = round(Decimal(str(value)), 2)
        if value != right:
            return f"{name} of {expected.id} is {value!r}, expected {right!r}"
    return None
