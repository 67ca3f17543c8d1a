"""Get a customer's profile: the item with the sort key PROFILE in the customer's partition."""

from ..script import Script
from .model import Customer, Customers
from .rows import CUSTOMERS


def execute(table: Customers) -> Customer | None:
    return table.customer("42")


def show(customer: Customer | None) -> None:
    assert customer is not None
    print(f"Customer {customer.id}: {customer.name} <{customer.email}>, plan {customer.plan}")


SCRIPT = Script(Customers, CUSTOMERS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
