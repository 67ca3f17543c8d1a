"""Get all orders of a day, across all users: GSI1 contains the orders by time, and no profiles."""

from singletable import Between, Page

from ..script import Script
from .model import Commerce, Order
from .rows import ROWS, at

TODAY = Between(at("2026-05-10T00:00:00"), at("2026-05-10T23:59:59"))


def execute(table: Commerce) -> Page[Order]:
    return table.orders_placed(TODAY)


def show(orders: Page[Order]) -> None:
    for order in orders:
        price = f"{order.total:>6.2f} {order.currency}"
        print(f"{order.placed_at:%Y-%m-%d %H:%M:%S}  {order.id}  user {order.user_id:<3} {price}")


SCRIPT = Script(Commerce, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
