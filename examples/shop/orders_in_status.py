"""Get orders by status in the last 30 days: the seventh pattern of the shop, with the index that it needs."""

from datetime import UTC, datetime, timedelta

from singletable import Page, Since

from ..script import Script
from .model import Order
from .rows import ROWS
from .seventh import OrderByStatus, ShopByStatus

NOW = datetime(2026, 4, 26, tzinfo=UTC)


def execute(shop: ShopByStatus) -> Page[OrderByStatus]:
    return shop.orders_in_status("SHIPPED", Since(NOW - timedelta(days=30)))


def show(orders: Page[OrderByStatus]) -> None:
    print("SHIPPED in the 30 days before 2026-04-26:")
    for order in orders:
        print(f"{order.id} of {order.customer_id}, £{order.total} {order.created_at:%Y-%m-%dT%H:%M:%SZ}")


SCRIPT = Script(
    ShopByStatus,
    [OrderByStatus(**row.model_dump()) if isinstance(row, Order) else row for row in ROWS],
    execute,
    show,
)

if __name__ == "__main__":
    SCRIPT.main()
