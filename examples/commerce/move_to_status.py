"""Ship an order with the status in its sort key: one transaction deletes the old item and puts the new one."""

from singletable import Between

from ..script import Script
from .changed_status import Change, Lists, changed, print_change
from .model import Order
from .rows import ROWS, at
from .status_in_key import CommerceByStatus, OrderByStatus

ORDERS = [OrderByStatus(**row.model_dump()) for row in ROWS if isinstance(row, Order)]
DAY = Between(at("2026-05-03T00:00:00"), at("2026-05-03T23:59:59"))


def execute(table: CommerceByStatus) -> Change:
    def lists() -> Lists:
        statuses = ("PENDING", "SHIPPED")
        return {status: [order.id for order in table.orders_in_status("42", status)] for status in statuses}

    (pending,) = table.orders_placed(DAY)
    shipped = pending.model_copy(update={"status": "SHIPPED"})
    seen = changed(table, lists, lambda: table.move(pending, shipped))
    table.move(shipped, pending)
    return seen


def show(seen: Change) -> None:
    print_change(seen, "TransactWriteItems")
    print("The alternative is set_status: one UpdateItem with GSI2. This design saves an index, but")
    print("cannot read the recent orders of a user, whatever their status, in one request.")


SCRIPT = Script(CommerceByStatus, ORDERS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
