"""Orders that are found by their ID, and by their customer."""

from dataclasses import dataclass

from singletable import Page, Table, entity, get, pattern, query


@entity(
    key=("ORDER#{id}", "METADATA"),
    by_customer=("CUST#{customer}", "{id}"),
)
@dataclass
class Order:
    id: str
    customer: str
    status: str


class Orders(Table, entities=[Order]):
    """The orders of a shop."""

    @pattern()
    def order(self, id: str) -> Order | None:
        """Get an order by ID."""
        return get(Order)

    @pattern(expected_items=20)
    def orders_of_customer(self, customer: str) -> Page[Order]:
        """Get the orders of a customer."""
        return query(Order)
