"""Get a user and the last five orders: PROFILE sorts after every ORDER#, so they are the last six items."""

from ..script import Script
from .model import Commerce, UserWithRecentOrders
from .rows import ROWS


def execute(table: Commerce) -> UserWithRecentOrders | None:
    return table.user_with_recent_orders("42")


def show(page: UserWithRecentOrders | None) -> None:
    assert page is not None
    print(f"{page.user.name} <{page.user.email}>")
    for order in page.orders:
        print(f"  {order.placed_at:%Y-%m-%d}  {order.id}  {order.status:<9} {order.total:>7.2f} {order.currency}")


SCRIPT = Script(Commerce, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
