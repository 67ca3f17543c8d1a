"""The newest orders are read, but the sort key contains an id instead of a time."""

from dataclasses import dataclass
from datetime import datetime

from singletable import Page, Table, entity, pattern, query


@entity(key=("CUSTOMER#{customer_id}", "ORDER#{id}"))
@dataclass
class Order:
    customer_id: str
    id: str
    placed_at: datetime


class Customers(Table, entities=[Order]):
    @pattern(frequency="high", expected_items=20)
    def orders_of_customer(self, customer_id: str) -> Page[Order]:
        """List a customer's orders, newest first."""
        return query(Order, newest_first=True)
