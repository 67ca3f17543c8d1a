"""Get all orders of a customer, newest first: from an index by customer, read in descending order."""

from singletable import Page

from ..script import Script
from .model import Order, Shop
from .rows import ROWS


def execute(shop: Shop) -> Page[Order]:
    return shop.orders_of_customer("c1")


def show(orders: Page[Order]) -> None:
    print("Orders for c1:")
    for order in orders:
        print(f"{order.id} {order.status} £{order.total} {order.created_at:%Y-%m-%dT%H:%M:%SZ}")


SCRIPT = Script(Shop, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
