"""All orders of a customer have the same sort key."""

from dataclasses import dataclass

from singletable import Page, Table, entity, get, pattern, query


@entity(key=("ORDER#{id}", "ORDER"), gsi1=("CUSTOMER#{customer_id}", "ORDER"))
@dataclass
class Order:
    id: str
    customer_id: str
    placed: str


class Orders(Table, entities=[Order]):
    @pattern()
    def order(self, id: str) -> Order | None:
        """Get an order."""
        return get(Order)

    @pattern()
    def orders_of_customer(self, customer_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """Orders of a customer."""
        return query(Order)
