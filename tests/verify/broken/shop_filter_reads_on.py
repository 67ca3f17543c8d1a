"""A page of 50 open orders, but only one order in ten is open: the client sends five requests to fill the page."""

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query


@entity(key=("CUST#{customer_id}", "ORDER#{id}"), expected_per_partition=2_000, expected_bytes=400)
@dataclass
class Order:
    customer_id: str
    id: str
    status: str


class Shop(Table, entities=[Order]):
    @pattern(expected_items=200, expected_examined=2_000)
    def open_orders(self, customer_id: str, *, limit: int = 50, cursor: str | None = None) -> Page[Order]:
        """List the open orders of a customer."""
        return query(Order, filter=lambda order: order.status == "OPEN")

    @pattern()
    def paid_orders(self, customer_id: str, *, limit: int = 50, cursor: str | None = None) -> Page[Order]:
        """List the paid orders of a customer; the share of paid orders is not declared."""
        return query(Order, filter=lambda order: order.status == "PAID")
