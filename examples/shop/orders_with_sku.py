"""Get every order that contains a SKU: in GSI1, the partition key of a line item is its product."""

from singletable import Page

from ..script import Script
from .model import OrderItem, Shop
from .rows import ROWS


def execute(shop: Shop) -> Page[OrderItem]:
    return shop.orders_with_sku("AVON-TORTOISE")


def show(items: Page[OrderItem]) -> None:
    print("Orders with AVON-TORTOISE:")
    for item in items:
        print(f"{item.order_id} {item.quantity} x {item.sku} @ £{item.price}")


SCRIPT = Script(Shop, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
