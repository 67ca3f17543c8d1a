"""List all customers chronologically, from one shard per region, merged in order."""

from singletable import Page

from ..script import Script
from .sharded import CustomerByRegion, ShopByRegion
from .sharded_rows import customers, tell_merged


def execute(shop: ShopByRegion) -> Page[CustomerByRegion]:
    return shop.customers()


def show(found: Page[CustomerByRegion]) -> None:
    tell_merged("All customers by signup", found, ShopByRegion.customers.explain())


SCRIPT = Script(ShopByRegion, customers(CustomerByRegion), execute, show)

if __name__ == "__main__":
    SCRIPT.main()
