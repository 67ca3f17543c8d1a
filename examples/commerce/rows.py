"""The rows of the backend: two users with their orders, the items of two orders, and the reviews of two products."""

from datetime import UTC, datetime
from decimal import Decimal

from pydantic import BaseModel

from .model import Order, OrderDetails, OrderItem, Review, User


def at(text: str) -> datetime:
    """Parse a time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _order(user_id: str, id: str, placed_at: str, total: str, status: str) -> Order:
    return Order(user_id=user_id, id=id, placed_at=at(placed_at), total=Decimal(total), currency="EUR", status=status)


ROWS: list[BaseModel] = [
    User(id="42", name="Ada Lovelace", email="ada@example.com", joined_at=at("2025-11-02T08:30:00")),
    User(id="7", name="Grace Hopper", email="grace@example.com", joined_at=at("2026-01-20T19:05:00")),
    _order("42", "Z9", "2026-04-02T16:40:00", "31.00", "DELIVERED"),
    _order("42", "A1", "2026-05-01T09:15:00", "89.90", "DELIVERED"),
    _order("42", "B7", "2026-05-03T20:05:30", "24.00", "PENDING"),
    _order("42", "C2", "2026-05-05T11:00:00", "12.50", "SHIPPED"),
    _order("42", "D5", "2026-05-08T07:45:10", "250.00", "SHIPPED"),
    _order("42", "E4", "2026-05-10T14:23:01", "18.00", "PENDING"),
    _order("7", "F3", "2026-05-09T23:59:59", "66.00", "PENDING"),
    _order("7", "G8", "2026-05-10T06:10:00", "40.00", "PENDING"),
    OrderDetails(id="A1", shipping_address="12 St James's Square, London", payment_method="card"),
    OrderItem(order_id="A1", line=1, product_id="P9", quantity=1, price=Decimal("59.90")),
    OrderItem(order_id="A1", line=2, product_id="P4", quantity=2, price=Decimal("15.00")),
    OrderDetails(id="B7", shipping_address="12 St James's Square, London", payment_method="invoice"),
    OrderItem(order_id="B7", line=1, product_id="P4", quantity=1, price=Decimal("24.00")),
    Review(product_id="P9", id="abc", written_at=at("2026-05-09T10:00:00"), stars=5, text="Counts without a fault."),
    Review(product_id="P9", id="abd", written_at=at("2026-05-02T18:30:00"), stars=3, text="Heavier than it looks."),
    Review(product_id="P4", id="abe", written_at=at("2026-05-04T12:00:00"), stars=4, text="Does what it says."),
]
