"""A change of status also changes GSI2SK, which contains the total, and no parameter provides the total."""

from datetime import datetime
from decimal import Decimal

from pydantic import BaseModel

from singletable import Page, Table, entity, field, pattern, query, update


@entity(
    key=("USER#{user_id}", "ORDER#{placed_at:seconds}#{id}"),
    gsi2=("USER#{user_id}", "{status}#{total:08.2f}#{id}"),
)
class Order(BaseModel):
    user_id: str
    id: str
    placed_at: datetime
    total: Decimal
    status: str


class Commerce(Table, entities=[Order]):
    @pattern()
    def orders_in_status(self, user_id: str, status: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """Get a user's orders in one status, the smallest first."""
        return query(Order, order_by=lambda order: order.total)

    @pattern(rate=50)
    def set_status(self, user_id: str, placed_at: datetime, id: str, status: str) -> Order:
        """Move an order to another status."""
        return update(Order, field(Order, lambda order: order.status).set(status))
