"""Find the orders in one status, newest first: the same partitions of GSI1, any of them, read backwards."""

from singletable import Page

from ..script import Script
from .model import Orders, StatusOrder
from .rows import ORDERS


def ask(table: Orders) -> Page[StatusOrder]:
    return table.orders_by_status("SHIPPED")


def tell(orders: Page[StatusOrder]) -> None:
    for order in orders:
        print(f"{order.placed_on}  order {order.id}  {order.total:>7.2f}")


SCRIPT = Script(Orders, ORDERS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
