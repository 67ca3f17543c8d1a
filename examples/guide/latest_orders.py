"""P3: get the latest N orders of a user: the sort key contains the day and is read in descending order."""

from singletable import Page

from ..script import Script
from .model import Guide, Order
from .rows import ROWS


def execute(guide: Guide) -> Page[Order]:
    return guide.latest_orders("u_001", limit=10)


def show(orders: Page[Order]) -> None:
    print("Latest orders of u_001:")
    for order in orders:
        print(f"{order.placed_on} {order.id} {order.status} {order.total}")


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
