"""Items have no entity type, and only their keys distinguish customers from orders."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("CUSTOMER#{id}", "PROFILE"))
@dataclass
class Customer:
    id: str


@entity(key=("CUSTOMER#{customer_id}", "ORDER#{id}"))
@dataclass
class Order:
    customer_id: str
    id: str


class Customers(Table, entities=[Customer, Order], type_attribute=None):
    @pattern()
    def customer(self, id: str) -> Customer | None:
        """Get a customer's profile."""
        return get(Customer)
