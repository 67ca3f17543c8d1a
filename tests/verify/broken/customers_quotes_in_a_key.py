"""The literal text of a key has the quotes of another notation."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("CUST#{id}", "'PROFILE'"))
@dataclass
class Customer:
    id: str


class Customers(Table, entities=[Customer]):
    @pattern()
    def customer(self, id: str) -> Customer | None:
        """Get a customer."""
        return get(Customer)
