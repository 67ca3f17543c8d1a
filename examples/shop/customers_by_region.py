"""List all customers chronologically, from a shard for each region, merged in order."""

from singletable import Page

from ..script import Script
from .sharded import CustomerByRegion, ShopByRegion
from .sharded_rows import customers, tell_merged


def ask(shop: ShopByRegion) -> Page[CustomerByRegion]:
    return shop.customers()


def tell(found: Page[CustomerByRegion]) -> None:
    tell_merged("All customers by signup", found, ShopByRegion.customers.explain())


SCRIPT = Script(ShopByRegion, customers(CustomerByRegion), ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
