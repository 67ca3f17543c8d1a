"""GSI1 stores every order a second time, but no pattern reads it."""

from pydantic import BaseModel

from singletable import Table, entity, get, pattern


@entity(key=("ORDER#{id}", "METADATA"), gsi1=("CUST#{customer_id}", "ORDER#{id}"))
class Order(BaseModel):
    id: str
    customer_id: str


class Shop(Table, entities=[Order]):
    @pattern()
    def order(self, id: str) -> Order | None:
        """Get an order."""
        return get(Order)
