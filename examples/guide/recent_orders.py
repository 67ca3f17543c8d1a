"""Get a user's last 10 orders of the last 30 days, newest first: the second row of the worksheet."""

from datetime import date, timedelta

from singletable import Page, Since

from ..script import Script
from .model import Guide, Order
from .rows import ROWS

TODAY = date(2026, 4, 26)


def execute(guide: Guide) -> Page[Order]:
    return guide.recent_orders("u_002", Since(TODAY - timedelta(days=30)), limit=10)


def show(orders: Page[Order]) -> None:
    print(f"Orders of u_002 in the 30 days before {TODAY}:")
    for order in orders:
        print(f"{order.placed_on} {order.id} {order.status} {order.total}")


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
