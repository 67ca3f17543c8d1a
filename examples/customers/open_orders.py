"""Find all open orders, by date: what the table's own keys cannot answer, GSI1 does with STATUS#OPEN."""

from singletable import Page

from ..script import Script
from .model import Orders, StatusOrder
from .rows import ORDERS


def ask(table: Orders) -> Page[StatusOrder]:
    return table.open_orders()


def tell(orders: Page[StatusOrder]) -> None:
    for order in orders:
        print(f"{order.placed_on}  order {order.id}  {order.total:>7.2f}")


SCRIPT = Script(Orders, ORDERS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
