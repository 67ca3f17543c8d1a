"""Adding to the total moves the order in GSI1, and its new key depends on the stored total."""

from decimal import Decimal

from pydantic import BaseModel

from singletable import Page, Table, entity, field, pattern, query, update


@entity(key=("USER#{user_id}", "ORDER#{id}"), gsi1=("USER#{user_id}", "TOTAL#{total:08.2f}#{id}"))
class Order(BaseModel):
    user_id: str
    id: str
    total: Decimal


class Commerce(Table, entities=[Order]):
    @pattern()
    def largest_orders(self, user_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """Get a user's orders, by their total."""
        return query(Order, order_by=lambda order: order.total)

    @pattern(rate=5)
    def add_shipping(self, user_id: str, id: str, cost: Decimal) -> Order:
        """Add the cost of shipping to an order."""
        return update(Order, field(Order, lambda order: order.total).add(cost))
