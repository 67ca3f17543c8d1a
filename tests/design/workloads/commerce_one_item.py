"""The commerce example without keys, with the whole order in one item instead of two."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from singletable import Between, Page, Table, collection, entity, field, get, pattern, put, query, update


@entity()
@dataclass
class User:
    """A user profile."""

    id: str
    name: str


@entity()
@dataclass
class Order:
    """An order with its details."""

    id: str
    user_id: str
    placed_at: datetime
    total: Decimal
    status: str
    shipping_address: str


@entity(identity=("order_id", "line"))
@dataclass
class OrderItem:
    """A line item of an order."""

    order_id: str
    line: int
    product_id: str


@entity()
@dataclass
class Review:
    """A product review."""

    id: str
    product_id: str
    written_at: datetime
    text: str


@dataclass
class OrderWithItems:
    """The page of an order."""

    order: Order
    items: list[OrderItem]


@dataclass
class UserWithOrders:
    """The page of a user."""

    user: User
    orders: list[Order]


class Commerce(Table, entities=[User, Order, OrderItem, Review]):
    """The patterns of the commerce example."""

    @pattern(frequency="very high")
    def profile(self, id: str) -> User | None:
        return get(User)

    @pattern(frequency="high")
    def recent_orders(self, user_id: str, *, limit: int = 10, cursor: str | None = None) -> Page[Order]:
        return query(Order, newest_first=True)

    @pattern(frequency="high")
    def order_with_items(self, order_id: str) -> OrderWithItems | None:
        return collection(OrderWithItems)

    @pattern(frequency="low")
    def orders_placed(
        self, placed_at: Between[datetime], *, limit: int = 100, cursor: str | None = None
    ) -> Page[Order]:
        return query(Order)

    @pattern(frequency="medium")
    def orders_in_status(self, user_id: str, status: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        return query(Order, newest_first=True)

    @pattern(frequency="medium")
    def reviews_of_product(self, product_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Review]:
        return query(Review, newest_first=True)

    @pattern(frequency="high")
    def user_with_recent_orders(self, user_id: str) -> UserWithOrders | None:
        return collection(UserWithOrders, newest_first=True, limit=5)

    @pattern(rate=20)
    def place_order(self, order: Order) -> Order:
        return put(Order)

    @pattern(rate=50)
    def set_status(self, id: str, user_id: str, status: str) -> Order:
        changed = field(Order, lambda order: order.status).set(status)
        return update(Order, changed, where=lambda order: order.user_id == user_id)
