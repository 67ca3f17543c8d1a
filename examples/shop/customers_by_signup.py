"""List all customers chronologically: one partition of the index holds them all, which does up to a middling size.

What to do beyond it is in `sharded.py`, with a script for each way.
"""

from singletable import Page

from ..script import Script
from .model import Customer, Shop
from .rows import ROWS


def ask(shop: Shop) -> Page[Customer]:
    return shop.customers_by_signup()


def tell(customers: Page[Customer]) -> None:
    print("Customers by signup:")
    for customer in customers:
        print(f"{customer.created_at:%Y-%m-%dT%H:%M:%SZ} {customer.id} {customer.name}")


SCRIPT = Script(Shop, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
