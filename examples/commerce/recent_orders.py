"""Get a user's most recent orders: their sort keys begin with the time, and the Query reads backwards."""

from singletable import Page

from ..script import Script
from .model import Commerce, Order
from .rows import ROWS


def ask(table: Commerce) -> Page[Order]:
    return table.recent_orders("42", limit=3)


def tell(orders: Page[Order]) -> None:
    for order in orders:
        print(
            f"{order.placed_at:%Y-%m-%d %H:%M:%S}  {order.id}  {order.status:<9} {order.total:>7.2f} {order.currency}"
        )
    if orders.cursor:
        print("... and older ones, behind the cursor of this page")


SCRIPT = Script(Commerce, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
