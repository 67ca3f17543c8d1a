"""The name says what the pattern reads by."""

from dataclasses import dataclass
from datetime import datetime

from singletable import Page, Table, entity, pattern, query


@entity(key=("CUSTOMER#{customer_id}", "ORDER#{placed_at}#{id}"), expected_per_partition=100)
@dataclass
class Order:
    customer_id: str
    id: str
    placed_at: datetime
    status: str


class Customers(Table, entities=[Order]):
    @pattern()
    def orders_by_customer(self, customer_id: str, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """List the orders of a customer."""
        return query(Order)
