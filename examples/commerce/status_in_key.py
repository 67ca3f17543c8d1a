"""Another design for orders by status: the sort key contains the status, so every status change moves the item."""

from datetime import datetime
from decimal import Decimal

from pydantic import BaseModel

from singletable import Between, Page, Table, entity, pattern, query


@entity(
    key=("USER#{user_id}", "ORDER#{status}#{placed_at:seconds}#{id}"),
    gsi1=("ORDER_BY_DATE", "{placed_at:seconds}#{id}"),
    name="Order",
    schema_version=1,
    expected_per_partition=60,
    accept={"ST122": "a small shop: far fewer than 1,000 orders per second"},
)
class OrderByStatus(BaseModel):
    """An order that is not in GSI2; the status is part of its sort key."""

    user_id: str
    id: str
    placed_at: datetime
    total: Decimal
    currency: str
    status: str


class CommerceByStatus(Table, entities=[OrderByStatus]):
    """The orders of a user by status, from the table itself."""

    @pattern(frequency="medium", budget_ms=30)
    def orders_in_status(
        self, user_id: str, status: str, *, limit: int = 20, cursor: str | None = None
    ) -> Page[OrderByStatus]:
        """Get a user's order history in one status."""
        return query(OrderByStatus, newest_first=True)

    @pattern(frequency="low", budget_ms=200)
    def orders_placed(
        self, placed_at: Between[datetime], *, limit: int = 100, cursor: str | None = None
    ) -> Page[OrderByStatus]:
        """Get all orders placed in a period, across all users."""
        return query(OrderByStatus)
