"""A small e-commerce backend: users, orders, line items and reviews, with two overloaded indexes."""

from datetime import datetime
from decimal import Decimal

from pydantic import BaseModel

from singletable import Between, Page, Table, collection, entity, field, get, pattern, put, query, update


@entity(key=("USER#{id}", "PROFILE"), schema_version=1)
class User(BaseModel):
    """A user profile; PROFILE sorts after every ORDER#, so one Query can read both."""

    id: str
    name: str
    email: str
    joined_at: datetime


@entity(
    key=("USER#{user_id}", "ORDER#{placed_at:seconds}#{id}"),
    gsi1=("ORDER_BY_DATE", "{placed_at:seconds}#{id}"),
    gsi2=("USER#{user_id}#{status}", "{placed_at:seconds}#{id}"),
    schema_version=1,
    expected_per_partition=60,
    accept={"ST122": "a small shop: far fewer than 1,000 orders per second"},
)
class Order(BaseModel):
    """An order in its user's partition; a status change moves only its entry in GSI2."""

    user_id: str
    id: str
    placed_at: datetime
    total: Decimal
    currency: str
    status: str


@entity(key=("ORDER#{id}", "METADATA"), schema_version=1)
class OrderDetails(BaseModel):
    """The details that only the page of the order needs."""

    id: str
    shipping_address: str
    payment_method: str


@entity(key=("ORDER#{order_id}", "ITEM#{line:03d}"), schema_version=1, expected_per_partition=8)
class OrderItem(BaseModel):
    """A line item of an order, sorted by its number."""

    order_id: str
    line: int
    product_id: str
    quantity: int
    price: Decimal


@entity(
    key=("PRODUCT#{product_id}", "REVIEW#{id}"),
    gsi1=("PRODUCT#{product_id}#REVIEWS", "{written_at:seconds}#{id}"),
    schema_version=1,
)
class Review(BaseModel):
    """A product review; it shares GSI1 with the orders, in separate partitions."""

    product_id: str
    id: str
    written_at: datetime
    stars: int
    text: str


class OrderWithItems(BaseModel):
    """The page of an order."""

    details: OrderDetails
    items: list[OrderItem]


class UserWithRecentOrders(BaseModel):
    """The page of a user."""

    user: User
    orders: list[Order]


class Commerce(Table, entities=[User, Order, OrderDetails, OrderItem, Review]):
    """Six lists and lookups, a collection for the page of a user, and the main writes."""

    @pattern(frequency="very high", budget_ms=10)
    def profile(self, id: str) -> User | None:
        """Get a user's profile."""
        return get(User)

    @pattern(frequency="high", budget_ms=20)
    def recent_orders(self, user_id: str, *, limit: int = 10, cursor: str | None = None) -> Page[Order]:
        """Get a user's most recent orders."""
        return query(Order, newest_first=True)

    @pattern(frequency="high", budget_ms=20)
    def order_with_items(self, order_id: str) -> OrderWithItems | None:
        """Get an order and all its items."""
        return collection(OrderWithItems)

    @pattern(frequency="low", budget_ms=200)
    def orders_placed(
        self, placed_at: Between[datetime], *, limit: int = 100, cursor: str | None = None
    ) -> Page[Order]:
        """Get all orders placed in a period, across all users."""
        return query(Order)

    @pattern(frequency="medium", budget_ms=30)
    def orders_in_status(self, user_id: str, status: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """Get a user's order history in one status."""
        return query(Order, newest_first=True)

    @pattern(frequency="medium", budget_ms=30)
    def reviews_of_product(self, product_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Review]:
        """Find a product's recent reviews."""
        return query(Review, newest_first=True)

    @pattern(frequency="high", budget_ms=20)
    def user_with_recent_orders(self, user_id: str) -> UserWithRecentOrders | None:
        """Get a user and the last five orders."""
        return collection(UserWithRecentOrders, newest_first=True, limit=5)

    @pattern(rate=20)
    def place_order(self, order: Order) -> Order:
        """Place an order."""
        return put(Order)

    @pattern(rate=50)
    def set_status(self, user_id: str, placed_at: datetime, id: str, status: str) -> Order:
        """Move an order to another status."""
        return update(Order, field(Order, lambda order: order.status).set(status))
