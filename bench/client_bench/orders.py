"""The orders that every contender reads: what they are, how they are stored, and what an object of them must hold.

Every environment runs this, so it needs nothing but Python.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

TABLE = "orders"
SIZES = (100, 1_000)
"""How many orders each customer has; there is one customer for each size."""


@dataclass
class Order:
    """An order of eleven fields, stored in 250 to 370 bytes with its key and its type."""

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
    """The customer who has so many orders."""
    return f"c{size}"


def order_id(number: int) -> str:
    """The name of an order, by its place."""
    return f"o{number:05}"


def partition_of(customer: str) -> str:
    """The partition key of a customer's orders."""
    return f"CUST#{customer}"


def sort_of(order: str) -> str:
    """The sort key of an order."""
    return f"ORDER#{order}"


def order(size: int, number: int) -> Order:
    """The order at a place; a third is not shipped, and a quarter has no note."""
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
    """A customer's orders, in order."""
    return [order(size, number) for number in range(size)]


def moment(value: datetime) -> str:
    """A moment in a form that all contenders read without a converter of one's own."""
    return value.strftime("%Y-%m-%dT%H:%M:%S.%f+0000")


def stored(each: Order) -> dict[str, Any]:
    """An order as DynamoDB's JSON, with the keys and the type that a table of many entities has."""
    item: dict[str, Any] = {
        "PK": {"S": partition_of(each.customer_id)},
        "SK": {"S": sort_of(each.id)},
        "entity_type": {"S": "Order"},
        "customer_id": {"S": each.customer_id},
        "id": {"S": each.id},
        "status": {"S": each.status},
        "total": {"N": str(each.total)},
        "quantity": {"N": str(each.quantity)},
        "created_at": {"S": moment(each.created_at)},
        "gift": {"BOOL": each.gift},
        "tags": {"L": [{"S": tag} for tag in each.tags]},
        "address": {"S": each.address},
    }
    if each.shipped_at is not None:
        item["shipped_at"] = {"S": moment(each.shipped_at)}
    if each.note is not None:
        item["note"] = {"S": each.note}
    return item


def made(item: dict[str, Any]) -> Order:
    """An order out of a dict with numbers as Decimal and moments as text, made by hand, as one does."""
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
    """What is wrong with an object that should be this order: a value, or the type of one; None when nothing is."""
    for name in FIELDS:
        value, wanted = getattr(found, name), getattr(expected, name)
        if value != wanted or not isinstance(value, type(wanted)):
            return f"{name} of {expected.id} is {value!r} and should be {wanted!r}"
    return None


def difference_of_dict(found: dict[str, Any], expected: Order) -> str | None:
    """The same of a dict, whose numbers and moments are as its library leaves them."""
    for name, wanted in vars(expected).items():
        value = found.get(name)
        if isinstance(wanted, datetime):
            value = datetime.fromisoformat(str(value))
        elif isinstance(wanted, Decimal):
            value = round(Decimal(str(value)), 2)
        if value != wanted:
            return f"{name} of {expected.id} is {value!r} and should be {wanted!r}"
    return None
