"""PAYMENT# sorts between ORDER# and PROFILE, so a limit would count payments instead of the last five orders."""

from datetime import datetime

from pydantic import BaseModel

from singletable import Table, collection, entity, pattern


@entity(key=("USER#{id}", "PROFILE"))
class User(BaseModel):
    id: str
    name: str


@entity(key=("USER#{user_id}", "ORDER#{placed_at:seconds}#{id}"))
class Order(BaseModel):
    user_id: str
    id: str
    placed_at: datetime


@entity(key=("USER#{user_id}", "PAYMENT#{id}"))
class Payment(BaseModel):
    user_id: str
    id: str


class UserWithRecentOrders(BaseModel):
    user: User
    orders: list[Order]


class Commerce(Table, entities=[User, Order, Payment]):
    @pattern(frequency="high")
    def user_with_recent_orders(self, user_id: str) -> UserWithRecentOrders | None:
        """Get a user and the last five orders."""
        return collection(UserWithRecentOrders, newest_first=True, limit=5)
