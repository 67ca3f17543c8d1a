"""The shop with a seventh pattern, orders by status in the last 30 days, and the second index that it needs."""

from datetime import datetime

from singletable import Page, Since, Table, entity, pattern, query

from .model import Customer, Order, OrderItem, Product


@entity(
    key=("ORDER#{id}", "METADATA"),
    gsi1=("CUST#{customer_id}", "ORDER#{created_at:seconds}#{id}"),
    gsi2=("STATUS#{status}", "{created_at:seconds}#{id}"),
    name="Order",
    expected_per_partition={"gsi1": 30, "gsi2": 500},
    cardinality={"status": 5},
)
class OrderByStatus(Order):
    """The order header with one more index."""


class ShopByStatus(Table, entities=[Customer, OrderByStatus, OrderItem, Product]):
    """The shop with the seventh pattern, after a backfill of the second index."""

    @pattern(frequency="high", budget_ms=30)
    def orders_of_customer(
        self, customer_id: str, *, limit: int = 20, cursor: str | None = None
    ) -> Page[OrderByStatus]:
        """Get all orders for a customer, newest first."""
        return query(OrderByStatus, newest_first=True)

    @pattern(frequency="low", budget_ms=100)
    def orders_in_status(self, status: str, created_at: Since[datetime]) -> Page[OrderByStatus]:
        """Get orders by status in the last 30 days."""
        return query(OrderByStatus, newest_first=True)
