"""The orders of a customer are read with strong consistency, which a global secondary index does not support."""

from pydantic import BaseModel

from singletable import Page, Table, entity, pattern, query


@entity(key=("ORDER#{id}", "METADATA"), gsi1=("CUST#{customer_id}", "ORDER#{id}"))
class Order(BaseModel):
    id: str
    customer_id: str


class Shop(Table, entities=[Order]):
    @pattern(expected_items=20)
    def orders_of_customer(self, customer_id: str) -> Page[Order]:
        """Get all orders for a customer."""
        return query(Order, consistent=True)
