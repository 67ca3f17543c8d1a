"""Every order containing a SKU: the same index, whose partitions are products for the lines of orders."""

from singletable import Page

from ..script import Script
from .model import OrderItem, Shop
from .rows import ROWS


def ask(shop: Shop) -> Page[OrderItem]:
    return shop.orders_with_sku("AVON-TORTOISE")


def tell(items: Page[OrderItem]) -> None:
    print("Orders with AVON-TORTOISE:")
    for item in items:
        print(f"{item.order_id} {item.quantity} x {item.sku} @ £{item.price}")


SCRIPT = Script(Shop, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
