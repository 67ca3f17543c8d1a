"""Ship an order: one UpdateItem changes GSI2PK, and DynamoDB moves the order from one status list to the other."""

from ..script import Script
from .changed_status import Change, Lists, changed, print_change
from .model import Commerce
from .rows import ROWS, at

PLACED = at("2026-05-03T20:05:30")


def execute(table: Commerce) -> Change:
    def lists() -> Lists:
        statuses = ("PENDING", "SHIPPED")
        return {status: [order.id for order in table.orders_in_status("42", status)] for status in statuses}

    seen = changed(table, lists, lambda: table.set_status("42", PLACED, "B7", "SHIPPED"))
    table.set_status("42", PLACED, "B7", "PENDING")  # leave the table unchanged for the next script
    return seen


def show(seen: Change) -> None:
    print_change(seen, "UpdateItem")


SCRIPT = Script(Commerce, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
