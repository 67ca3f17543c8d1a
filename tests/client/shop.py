"""A small shop with every kind of key and class for the tests of the data layer."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import msgspec
from pydantic import BaseModel

from singletable import Page, Table, collection, delete, entity, get, pattern, query, update
from singletable import field as of

START = datetime(2026, 1, 1, tzinfo=UTC)
# Items that expire before this time have expired for a table with this clock, but not for any server.
IN_TWO_HOURS = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=2)


@entity(key=("CUST#{id}", "METADATA"), gsi1=("CUSTOMER", "{created_at:seconds}"), version="version")
class Customer(BaseModel):
    id: str
    name: str
    created_at: datetime = START
    version: int = 0


@entity(key=("ORDER#{id}", "METADATA"), gsi1=("CUST#{customer_id}", "ORDER#{created_at:seconds}#{id}"))
@dataclass
class Order:
    id: str
    customer_id: str
    status: str = "PENDING"
    total: Decimal = Decimal(0)
    created_at: datetime = START
    tags: list[str] = field(default_factory=list)
    note: str | None = None


@entity(key=("ORDER#{order_id}", "ITEM#{sku}"), gsi1=("PRODUCT#{sku}", "ORDER#{order_id}"))
class OrderItem(msgspec.Struct):
    order_id: str
    sku: str
    quantity: int = 1


@entity(key=("SESSION#{id}", "METADATA"), ttl="expires_at")
@dataclass
class Session:
    id: str
    expires_at: datetime


@dataclass
class WholeOrder:
    order: Order
    items: list[OrderItem]


class Shop(Table, entities=[Customer, Order, OrderItem, Session]):
    @pattern()
    def customer(self, id: str) -> Customer | None:
        return get(Customer)

    @pattern()
    def order(self, id: str) -> Order | None:
        return get(Order)

    @pattern()
    def session(self, id: str) -> Session | None:
        return get(Session)

    @pattern()
    def orders_of_customer(self, customer_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        return query(Order, newest_first=True)

    @pattern()
    def open_orders_of_customer(self, customer_id: str) -> Page[Order]:
        return query(Order, filter=lambda o: o.status == "OPEN")

    @pattern()
    def whole_order(self, order_id: str) -> WholeOrder | None:
        return collection(WholeOrder)

    @pattern(rate=50)
    def ship(self, id: str) -> Order:
        return update(Order, of(Order, lambda o: o.status).set("SHIPPED"), where=lambda o: o.status == "PENDING")

    @pattern(rate=1)
    def hand_over(self, id: str, customer_id: str) -> Order:
        return update(Order, of(Order, lambda o: o.customer_id).set(customer_id))

    @pattern(rate=1)
    def cancel(self, id: str) -> Order | None:
        return delete(Order, where=lambda o: o.status == "PENDING")


def order(number: int, customer: str = "c1", **more: object) -> Order:
    made = Order(f"o{number:04}", customer, created_at=START + timedelta(hours=number))
    for name, value in more.items():
        setattr(made, name, value)
    return made
