"""Get a customer's profile and every order: they share one partition, so one Query returns all of them."""

from ..script import Script
from .model import Customers, CustomerWithOrders
from .rows import CUSTOMERS


def execute(table: Customers) -> CustomerWithOrders | None:
    return table.customer_with_orders("42")


def show(whole: CustomerWithOrders | None) -> None:
    assert whole is not None
    print(f"{whole.customer.name}, plan {whole.customer.plan}, {len(whole.orders)} orders")
    for order in whole.orders:
        print(f"{order.id}  {order.status:<8} {order.total:>7.2f}")


SCRIPT = Script(Customers, CUSTOMERS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
