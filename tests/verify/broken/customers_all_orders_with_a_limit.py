"""All orders are promised, but only twenty are returned."""

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query


@entity(key=("CUST#{customer_id}", "ORDER#{id}"))
@dataclass
class Order:
    customer_id: str
    id: str


class Customers(Table, entities=[Order]):
    @pattern()
    def all_orders(self, customer_id: str) -> Page[Order]:
        """Get all orders of a customer."""
        return query(Order, limit=20)
