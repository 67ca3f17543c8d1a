"""List a customer's orders, newest first: begins_with leaves the profile out, and the Query reads backwards."""

from singletable import Page

from ..script import Script
from .model import Customers, Order
from .rows import CUSTOMERS


def ask(table: Customers) -> Page[Order]:
    return table.orders_of_customer("42")


def tell(orders: Page[Order]) -> None:
    for order in orders:
        print(f"{order.id}  {order.status:<8} {order.total:>7.2f}")


SCRIPT = Script(Customers, CUSTOMERS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
