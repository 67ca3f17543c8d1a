"""Find the orders in one status, newest first: GSI1 has one partition per status, read in descending order."""

from singletable import Page

from ..script import Script
from .model import Orders, StatusOrder
from .rows import ORDERS


def execute(table: Orders) -> Page[StatusOrder]:
    return table.orders_by_status("SHIPPED")


def show(orders: Page[StatusOrder]) -> None:
    for order in orders:
        print(f"{order.placed_on}  order {order.id}  {order.total:>7.2f}")


SCRIPT = Script(Orders, ORDERS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
