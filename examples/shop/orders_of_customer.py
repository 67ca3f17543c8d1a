"""Get all orders for a customer, newest first: the index keeps them by customer, and is read backwards."""

from singletable import Page

from ..script import Script
from .model import Order, Shop
from .rows import ROWS


def ask(shop: Shop) -> Page[Order]:
    return shop.orders_of_customer("c1")


def tell(orders: Page[Order]) -> None:
    print("Orders for c1:")
    for order in orders:
        print(f"{order.id} {order.status} £{order.total} {order.created_at:%Y-%m-%dT%H:%M:%SZ}")


SCRIPT = Script(Shop, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
