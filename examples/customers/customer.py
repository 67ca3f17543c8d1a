"""Get a customer's profile: the one item of the partition whose sort key is PROFILE."""

from ..script import Script
from .model import Customer, Customers
from .rows import CUSTOMERS


def ask(table: Customers) -> Customer | None:
    return table.customer("42")


def tell(customer: Customer | None) -> None:
    assert customer is not None
    print(f"Customer {customer.id}: {customer.name} <{customer.email}>, plan {customer.plan}")


SCRIPT = Script(Customers, CUSTOMERS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
