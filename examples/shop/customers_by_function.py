"""List all customers chronologically, from shards by a function of one's own, merged in order."""

from singletable import Page

from ..script import Script
from .sharded import CustomerByFunction, ShopByFunction
from .sharded_rows import customers, tell_merged


def ask(shop: ShopByFunction) -> Page[CustomerByFunction]:
    return shop.customers()


def tell(found: Page[CustomerByFunction]) -> None:
    tell_merged("All customers by signup", found, ShopByFunction.customers.explain())


SCRIPT = Script(ShopByFunction, customers(CustomerByFunction), ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
