"""The open orders of all users: an index that holds nothing else, since only they have its key."""

from singletable import Page

from ..script import Script
from .model import Guide, Order
from .rows import ROWS


def ask(guide: Guide) -> Page[Order]:
    return guide.open_orders()


def tell(orders: Page[Order]) -> None:
    print("Open orders, the longest waiting first:")
    for order in orders:
        print(f"{order.open_since} {order.id} of {order.user_id}")


SCRIPT = Script(Guide, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
