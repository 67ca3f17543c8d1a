"""A customer's orders are asked for with a strong read, which DynamoDB refuses on a global index."""

from pydantic import BaseModel

from singletable import Page, Table, entity, pattern, query


@entity(key=("ORDER#{id}", "METADATA"), gsi1=("CUST#{customer_id}", "ORDER#{id}"))
class Order(BaseModel):
    id: str
    customer_id: str


class Shop(Table, entities=[Order]):
    @pattern()
    def orders_of_customer(self, customer_id: str) -> Page[Order]:
        """Get all orders for a customer."""
        return query(Order, consistent=True)
