"""An online shop in one table: customers, orders with their line items, and products."""

from datetime import datetime
from decimal import Decimal

from pydantic import BaseModel

from singletable import Page, Table, collection, entity, get, pattern, query


@entity(
    key=("CUST#{id}", "METADATA"),
    gsi1=("CUSTOMER", "{created_at:seconds}"),
    expected_per_partition={"gsi1": 5000},
)
class Customer(BaseModel):
    """A customer of the shop."""

    id: str
    name: str
    email: str
    created_at: datetime


@entity(
    key=("ORDER#{id}", "METADATA"),
    gsi1=("CUST#{customer_id}", "ORDER#{created_at:seconds}#{id}"),
    expected_per_partition={"gsi1": 30},
)
class Order(BaseModel):
    """The header of an order; its line items are in the same partition."""

    id: str
    customer_id: str
    status: str
    total: Decimal
    created_at: datetime


@entity(
    key=("ORDER#{order_id}", "ITEM#{sku}"),
    gsi1=("PRODUCT#{sku}", "ORDER#{order_id}"),
    expected_per_partition={"key": 4, "gsi1": 200},
)
class OrderItem(BaseModel):
    """A line item of an order."""

    order_id: str
    sku: str
    quantity: int
    price: Decimal


@entity(key=("PRODUCT#{sku}", "METADATA"))
class Product(BaseModel):
    """A product of the shop."""

    sku: str
    name: str
    price: Decimal


class WholeOrder(BaseModel):
    """An order with its header and all line items."""

    order: Order
    items: list[OrderItem]


class Shop(Table, entities=[Customer, Order, OrderItem, Product]):
    """The six access patterns of the shop."""

    @pattern(frequency="very high", budget_ms=10)
    def customer(self, id: str) -> Customer | None:
        """Get customer by ID."""
        return get(Customer)

    @pattern(frequency="high", budget_ms=30)
    def orders_of_customer(self, customer_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """Get all orders for a customer, newest first."""
        return query(Order, newest_first=True)

    @pattern(frequency="high", budget_ms=30)
    def whole_order(self, order_id: str) -> WholeOrder | None:
        """Get an order with all line items."""
        return collection(WholeOrder)

    @pattern(frequency="very high", budget_ms=10)
    def product(self, sku: str) -> Product | None:
        """Get product by SKU."""
        return get(Product)

    @pattern(frequency="medium", budget_ms=50)
    def orders_with_sku(self, sku: str) -> Page[OrderItem]:
        """Get every order that contains a SKU."""
        return query(OrderItem)

    @pattern(frequency="low", budget_ms=100)
    def customers_by_signup(self) -> Page[Customer]:
        """List all customers chronologically."""
        return query(Customer)
