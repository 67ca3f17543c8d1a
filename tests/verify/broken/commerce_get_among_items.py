"""An order is read by its id from GSI1, but a Query for two items may find line items instead."""

from datetime import datetime

from pydantic import BaseModel

from singletable import Page, Table, entity, get, pattern, query


@entity(
    key=("USER#{user_id}", "ORDER#{id}"), gsi1=("ORDER#{id}", "{placed_at:seconds}"), expected_per_partition={"gsi1": 1}
)
class Order(BaseModel):
    user_id: str
    id: str
    placed_at: datetime


@entity(
    key=("ORDER#{order_id}", "ITEM#{sku}"),
    gsi1=("ORDER#{order_id}", "{added_at:seconds}"),
    expected_per_partition={"gsi1": 9},
)
class OrderItem(BaseModel):
    order_id: str
    sku: str
    added_at: datetime


class Commerce(Table, entities=[Order, OrderItem]):
    @pattern()
    def order(self, id: str) -> Order | None:
        """Get an order by its id alone."""
        return get(Order)

    @pattern()
    def items_as_added(self, order_id: str) -> Page[OrderItem]:
        """Get an order's items in the order in which they were added."""
        return query(OrderItem, newest_first=True)
