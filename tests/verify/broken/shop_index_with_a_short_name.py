"""An index name has two letters, but DynamoDB requires at least three."""

from pydantic import BaseModel

from singletable import Page, Table, entity, pattern, query


@entity(key=("ORDER#{id}", "METADATA"), by=("CUST#{customer_id}", "ORDER#{id}"))
class Order(BaseModel):
    id: str
    customer_id: str


class Shop(Table, entities=[Order]):
    @pattern()
    def orders_of_customer(self, customer_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """Get all orders for a customer."""
        return query(Order)
