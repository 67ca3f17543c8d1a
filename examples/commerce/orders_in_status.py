"""Get a user's orders in one status, newest first: GSI2 has one partition per user and status."""

from singletable import Page

from ..script import Script
from .model import Commerce, Order
from .rows import ROWS


def execute(table: Commerce) -> Page[Order]:
    return table.orders_in_status("42", "SHIPPED")


def show(orders: Page[Order]) -> None:
    for order in orders:
        print(
            f"{order.placed_at:%Y-%m-%d %H:%M:%S}  {order.id}  {order.status:<9} {order.total:>7.2f} {order.currency}"
        )


SCRIPT = Script(Commerce, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
