"""The thirteen rows of the shop: three customers, three products, three orders and their four line items."""

from datetime import UTC, datetime
from decimal import Decimal

from pydantic import BaseModel

from .model import Customer, Order, OrderItem, Product


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


ROWS: list[BaseModel] = [
    Customer(id="c1", name="Ada", email="ada@example.com", created_at=_at("2026-01-15T09:00:00")),
    Customer(id="c2", name="Grace", email="grace@example.com", created_at=_at("2026-02-03T11:30:00")),
    Customer(id="c3", name="Edsger", email="edsger@example.com", created_at=_at("2026-02-20T16:45:00")),
    Product(sku="AVON-TORTOISE", name="Avon, tortoise", price=Decimal(145)),
    Product(sku="GRANBY-CLEAR", name="Granby, clear", price=Decimal(165)),
    Product(sku="HOLT-BLACK", name="Holt, black", price=Decimal(120)),
    Order(id="o100", customer_id="c1", status="DELIVERED", total=Decimal(145), created_at=_at("2026-03-01T10:00:00")),
    Order(id="o101", customer_id="c1", status="SHIPPED", total=Decimal(310), created_at=_at("2026-04-10T14:00:00")),
    Order(id="o102", customer_id="c2", status="PENDING", total=Decimal(120), created_at=_at("2026-04-12T08:15:00")),
    OrderItem(order_id="o100", sku="AVON-TORTOISE", quantity=1, price=Decimal(145)),
    OrderItem(order_id="o101", sku="AVON-TORTOISE", quantity=1, price=Decimal(145)),
    OrderItem(order_id="o101", sku="GRANBY-CLEAR", quantity=1, price=Decimal(165)),
    OrderItem(order_id="o102", sku="HOLT-BLACK", quantity=1, price=Decimal(120)),
]
