"""The read returns the newest order first."""

from dataclasses import dataclass
from datetime import datetime

from singletable import Page, Table, entity, pattern, query


@entity(key=("CUST#{customer_id}", "ORDER#{placed_at}#{id}"))
@dataclass
class Order:
    customer_id: str
    id: str
    placed_at: datetime


class Shop(Table, entities=[Order]):
    @pattern()
    def latest_order(self, customer_id: str) -> Page[Order]:
        """Get the latest order of a customer."""
        return query(Order, newest_first=True, limit=1)
