"""Get an order with all line items: the order and its lines share one partition."""

from ..script import Script
from .model import Shop, WholeOrder
from .rows import ROWS


def execute(shop: Shop) -> WholeOrder | None:
    return shop.whole_order("o101")


def show(whole: WholeOrder | None) -> None:
    assert whole is not None
    order = whole.order
    print(f"Order {order.id} for {order.customer_id} ({order.status}, £{order.total})")
    for item in whole.items:
        print(f"{item.quantity} x {item.sku} @ £{item.price}")


SCRIPT = Script(Shop, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
