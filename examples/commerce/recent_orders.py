"""Get a user's most recent orders: the sort keys start with the time, and the Query reads in descending order."""

from singletable import Page

from ..script import Script
from .model import Commerce, Order
from .rows import ROWS


def execute(table: Commerce) -> Page[Order]:
    return table.recent_orders("42", limit=3)


def show(orders: Page[Order]) -> None:
    for order in orders:
        print(
            f"{order.placed_at:%Y-%m-%d %H:%M:%S}  {order.id}  {order.status:<9} {order.total:>7.2f} {order.currency}"
        )
    if orders.cursor:
        print("... and older orders after this page")


SCRIPT = Script(Commerce, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
