"""Place an order: one write adds the order to the list of the user, the list of the day and the status list."""

from dataclasses import dataclass
from decimal import Decimal

from singletable import Between

from ..script import Script
from .model import Commerce, Order
from .rows import ROWS, at

NOON = at("2026-05-11T12:00:00")
NEW = Order(user_id="42", id="H6", placed_at=NOON, total=Decimal("5.00"), currency="EUR", status="PENDING")


@dataclass
class Views:
    """The three lists that contain the order."""

    recent: list[str]
    placed_that_day: list[str]
    pending: list[str]


def execute(table: Commerce) -> Views:
    table.place_order(NEW)
    day = Between(at("2026-05-11T00:00:00"), at("2026-05-11T23:59:59"))
    seen = Views(
        recent=[order.id for order in table.recent_orders("42", limit=3)],
        placed_that_day=[order.id for order in table.orders_placed(day)],
        pending=[order.id for order in table.orders_in_status("42", "PENDING")],
    )
    table.delete(NEW)  # leave the table unchanged for the next script
    return seen


def show(seen: Views) -> None:
    print(f"Placed {NEW.id}")
    print(f"  the user's latest orders:  {', '.join(seen.recent)}   (the table)")
    print(f"  all orders of that day:    {', '.join(seen.placed_that_day)}           (GSI1)")
    print(f"  the user's pending orders: {', '.join(seen.pending)}   (GSI2)")


SCRIPT = Script(Commerce, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
