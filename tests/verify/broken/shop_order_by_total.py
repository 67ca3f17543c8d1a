"""The orders of a customer are read by total, but the sort key contains the time."""

from datetime import datetime
from decimal import Decimal

from pydantic import BaseModel

from singletable import Page, Table, entity, pattern, query


@entity(key=("CUST#{customer_id}", "ORDER#{created_at:seconds}#{id}"))
class Order(BaseModel):
    id: str
    customer_id: str
    total: Decimal
    created_at: datetime


class Shop(Table, entities=[Order]):
    @pattern(expected_items=20)
    def largest_orders(self, customer_id: str) -> Page[Order]:
        """A customer's orders by their total."""
        return query(Order, order_by=lambda order: order.total)
