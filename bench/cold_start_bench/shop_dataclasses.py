"""The shop of `examples/shop` with dataclasses."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from singletable import Page, Table, collection, entity, get, pattern, query


@entity(key=("CUST#{id}", "METADATA"), gsi1=("CUSTOMER", "{created_at:seconds}"))
@dataclass
class Customer:
    """A customer of the shop."""

    id: str
    name: str
    email: str
    created_at: datetime


@entity(key=("ORDER#{id}", "METADATA"), gsi1=("CUST#{customer_id}", "ORDER#{created_at:seconds}#{id}"))
@dataclass
class Order:
    """The header of an order."""

    id: str
    customer_id: str
    status: str
    total: Decimal
    created_at: datetime


@entity(key=("ORDER#{order_id}", "ITEM#{sku}"), gsi1=("PRODUCT#{sku}", "ORDER#{order_id}"))
@dataclass
class OrderItem:
    """A line item of an order."""

    order_id: str
    sku: str
    quantity: int
    price: Decimal


@entity(key=("PRODUCT#{sku}", "METADATA"))
@dataclass
class Product:
    """A product of the shop."""

    sku: str
    name: str
    price: Decimal


@dataclass
class WholeOrder:
    """An order with its header and all line items."""

    order: Order
    items: list[OrderItem]


class Shop(Table, entities=[Customer, Order, OrderItem, Product]):
    """The six access patterns of the shop."""

    @pattern()
    def customer(self, id: str) -> Customer | None:
        """Get customer by ID."""
        return get(Customer)

    @pattern()
    def orders_of_customer(self, customer_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """Get all orders for a customer, newest first."""
        return query(Order, newest_first=True)

    @pattern()
    def whole_order(self, order_id: str) -> WholeOrder | None:
        """Get an order with all line items."""
        return collection(WholeOrder)

    @pattern()
    def product(self, sku: str) -> Product | None:
        """Get product by SKU."""
        return get(Product)

    @pattern()
    def orders_with_sku(self, sku: str, *, limit: int = 50, cursor: str | None = None) -> Page[OrderItem]:
        """List the orders of a product."""
        return query(OrderItem)

    @pattern()
    def customers(self, *, limit: int = 20, cursor: str | None = None) -> Page[Customer]:
        """List all customers by the time they signed up."""
        return query(Customer)
