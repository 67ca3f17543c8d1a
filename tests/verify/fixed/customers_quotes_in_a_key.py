"""The literal text has no quotes."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("CUST#{id}", "PROFILE"))
@dataclass
class Customer:
    id: str


class Customers(Table, entities=[Customer]):
    @pattern()
    def customer(self, id: str) -> Customer | None:
        """Get a customer."""
        return get(Customer)
