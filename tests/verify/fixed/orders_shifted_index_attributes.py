"""The index uses its own key attributes."""

from dataclasses import dataclass

from singletable import GSI, Page, Table, entity, get, pattern, query


@entity(key=("ORDER#{id}", "ORDER"), gsi2=("CUSTOMER#{customer_id}", "ORDER#{placed}#{id}"))
@dataclass
class Order:
    id: str
    customer_id: str
    placed: str


class Orders(Table, entities=[Order], indexes=[GSI("gsi2", keys=("GSI2PK", "GSI2SK"))]):
    @pattern()
    def order(self, id: str) -> Order | None:
        """Get an order."""
        return get(Order)

    @pattern()
    def orders_of_customer(self, customer_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """Orders of a customer, oldest first."""
        return query(Order)
