"""List a customer's orders, newest first: begins_with excludes the profile, and the Query reads in descending order."""

from singletable import Page

from ..script import Script
from .model import Customers, Order
from .rows import CUSTOMERS


def execute(table: Customers) -> Page[Order]:
    return table.orders_of_customer("42")


def show(orders: Page[Order]) -> None:
    for order in orders:
        print(f"{order.id}  {order.status:<8} {order.total:>7.2f}")


SCRIPT = Script(Customers, CUSTOMERS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
