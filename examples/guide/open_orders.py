"""Get the open orders of all users from a sparse index: only open orders have the key attributes of the index."""

from singletable import Page

from ..script import Script
from .model import Guide, Order
from .rows import ROWS


def execute(guide: Guide) -> Page[Order]:
    return guide.open_orders()


def show(orders: Page[Order]) -> None:
    print("Open orders, the longest waiting first:")
    for order in orders:
        print(f"{order.open_since} {order.id} of {order.user_id}")


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
