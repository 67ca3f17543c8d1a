"""List all customers chronologically, from shards that your own function chooses, merged in order."""

from singletable import Page

from ..script import Script
from .sharded import CustomerByFunction, ShopByFunction
from .sharded_rows import customers, tell_merged


def execute(shop: ShopByFunction) -> Page[CustomerByFunction]:
    return shop.customers()


def show(found: Page[CustomerByFunction]) -> None:
    tell_merged("All customers by signup", found, ShopByFunction.customers.explain())


SCRIPT = Script(ShopByFunction, customers(CustomerByFunction), execute, show)

if __name__ == "__main__":
    SCRIPT.main()
