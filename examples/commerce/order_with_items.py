"""Get an order and all its items: the partition of the order contains everything that its page shows."""

from ..script import Script
from .model import Commerce, OrderWithItems
from .rows import ROWS


def execute(table: Commerce) -> OrderWithItems | None:
    return table.order_with_items("A1")


def show(order: OrderWithItems | None) -> None:
    assert order is not None
    print(f"Order {order.details.id} to {order.details.shipping_address}, paid by {order.details.payment_method}")
    for item in order.items:
        print(f"  {item.line:03d}  {item.quantity} x {item.product_id} @ {item.price:.2f}")


SCRIPT = Script(Commerce, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
