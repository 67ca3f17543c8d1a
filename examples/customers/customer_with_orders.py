"""Get a customer's profile and every order: they lie in one partition, so one Query hands back all of it."""

from ..script import Script
from .model import Customers, CustomerWithOrders
from .rows import CUSTOMERS


def ask(table: Customers) -> CustomerWithOrders | None:
    return table.customer_with_orders("42")


def tell(whole: CustomerWithOrders | None) -> None:
    assert whole is not None
    print(f"{whole.customer.name}, plan {whole.customer.plan}, {len(whole.orders)} orders")
    for order in whole.orders:
        print(f"{order.id}  {order.status:<8} {order.total:>7.2f}")


SCRIPT = Script(Customers, CUSTOMERS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
