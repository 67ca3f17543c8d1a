"""An order is deleted by its customer, but DeleteItem needs the primary key of the order."""

from pydantic import BaseModel

from singletable import Page, Table, delete, entity, pattern, query


@entity(key=("ORDER#{id}", "METADATA"), gsi1=("CUST#{customer_id}", "ORDER#{id}"))
class Order(BaseModel):
    id: str
    customer_id: str


class Shop(Table, entities=[Order]):
    @pattern()
    def orders_of_customer(self, customer_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """Get all orders for a customer."""
        return query(Order)

    @pattern(rate=1)
    def forget_orders(self, customer_id: str) -> Order | None:
        """Delete the orders of a customer."""
        return delete(Order)
