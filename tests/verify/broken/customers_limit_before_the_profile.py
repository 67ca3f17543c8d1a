"""The first five orders are read in ascending order, but PROFILE sorts after ORDER# and would be cut off."""

from dataclasses import dataclass

from singletable import Table, collection, entity, pattern


@entity(key=("CUSTOMER#{id}", "PROFILE"))
@dataclass
class Customer:
    id: str
    name: str


@entity(key=("CUSTOMER#{customer_id}", "ORDER#{id}"))
@dataclass
class Order:
    customer_id: str
    id: str


@dataclass
class CustomerWithOrders:
    customer: Customer
    orders: list[Order]


class Customers(Table, entities=[Customer, Order]):
    @pattern()
    def customer_with_first_orders(self, customer_id: str) -> CustomerWithOrders | None:
        """Get a customer and the first five orders."""
        return collection(CustomerWithOrders, limit=5)
