"""Find all open orders, by date: no key of the table serves this pattern, but GSI1 has a partition STATUS#OPEN."""

from singletable import Page

from ..script import Script
from .model import Orders, StatusOrder
from .rows import ORDERS


def execute(table: Orders) -> Page[StatusOrder]:
    return table.open_orders()


def show(orders: Page[StatusOrder]) -> None:
    for order in orders:
        print(f"{order.placed_on}  order {order.id}  {order.total:>7.2f}")


SCRIPT = Script(Orders, ORDERS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
