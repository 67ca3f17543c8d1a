"""List all customers chronologically, from one index partition, which is enough for a medium-sized shop.

For larger shops, `sharded.py` shows several ways to shard the list, with a script for each.
"""

from singletable import Page

from ..script import Script
from .model import Customer, Shop
from .rows import ROWS


def execute(shop: Shop) -> Page[Customer]:
    return shop.customers_by_signup()


def show(customers: Page[Customer]) -> None:
    print("Customers by signup:")
    for customer in customers:
        print(f"{customer.created_at:%Y-%m-%dT%H:%M:%SZ} {customer.id} {customer.name}")


SCRIPT = Script(Shop, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
