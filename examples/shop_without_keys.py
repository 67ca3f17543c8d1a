"""The shop before its keys are chosen: entities, access patterns and their rates, for `singletable design`."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from pydantic import BaseModel

from singletable import Page, Table, collection, entity, field, get, pattern, put, query, update


@entity(expected_items=100_000)
class Customer(BaseModel):
    """A customer."""

    id: str
    name: str
    created_at: datetime


@entity(expected_items=1_000_000)
class Order(BaseModel):
    """An order."""

    id: str
    customer_id: str
    status: str
    total: Decimal
    created_at: datetime


@entity(identity=("order_id", "sku"), expected_items=3_000_000, expected_per_partition=3)
class OrderItem(BaseModel):
    """A line of an order."""

    order_id: str
    sku: str
    quantity: int


@dataclass
class WholeOrder:
    """An order with its lines."""

    order: Order
    items: list[OrderItem]


class Shop(Table, entities=[Customer, Order, OrderItem]):
    """Four reads and two writes."""

    @pattern(rate=100)
    def customer(self, id: str) -> Customer | None:
        """Get customer by ID."""
        return get(Customer)

    @pattern(rate=20)
    def orders_of_customer(self, customer_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """All orders of a customer, newest first."""
        return query(Order, newest_first=True)

    @pattern(rate=30)
    def whole_order(self, order_id: str) -> WholeOrder | None:
        """An order with all its line items."""
        return collection(WholeOrder)

    @pattern(rate=2)
    def orders_with_product(self, sku: str, *, limit: int = 20, cursor: str | None = None) -> Page[OrderItem]:
        """The orders that contain a product."""
        return query(OrderItem)

    @pattern(rate=5)
    def place(self, order: Order) -> Order:
        """Place an order."""
        return put(Order)

    @pattern(rate=5)
    def ship(self, id: str) -> Order:
        """Mark an order as shipped."""
        return update(Order, field(Order, lambda o: o.status).set("SHIPPED"), where=lambda o: o.status == "PENDING")
