"""Orders have no key yet, although two patterns read them."""

from dataclasses import dataclass
from datetime import datetime

from singletable import Page, Table, create, entity, get, pattern, query


@entity(key=("CUSTOMER#{id}", "METADATA"))
@dataclass
class Customer:
    id: str
    name: str


@entity()
@dataclass
class Order:
    id: str
    customer_id: str
    placed_at: datetime


class Shop(Table, entities=[Customer, Order]):
    @pattern()
    def customer(self, id: str) -> Customer | None:
        """Get a customer."""
        return get(Customer)

    @pattern()
    def orders_of_customer(self, customer_id: str, *, limit: int = 20) -> Page[Order]:
        """List the orders of a customer, newest first."""
        return query(Order, newest_first=True)

    @pattern(rate=5)
    def place(self, order: Order) -> Order:
        """Place an order."""
        return create(Order)
