"""P3: get the latest N orders for a user: the day is in the sort key, which is read backwards."""

from singletable import Page

from ..script import Script
from .model import Guide, Order
from .rows import ROWS


def ask(guide: Guide) -> Page[Order]:
    return guide.latest_orders("u_001", limit=10)


def tell(orders: Page[Order]) -> None:
    print("Latest orders of u_001:")
    for order in orders:
        print(f"{order.placed_on} {order.id} {order.status} {order.total}")


SCRIPT = Script(Guide, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
