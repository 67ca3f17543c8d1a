"""List the customers of one region: each region is one shard, so the list needs one Query."""

from singletable import Page

from ..script import Script
from .sharded import CustomerByRegion, Region, ShopByRegion
from .sharded_rows import customers, tell_merged


def execute(shop: ShopByRegion) -> Page[CustomerByRegion]:
    return shop.customers_in(Region.AMERICAS)


def show(found: Page[CustomerByRegion]) -> None:
    tell_merged("Customers in the Americas", found, ShopByRegion.customers_in.explain(Region.AMERICAS))


SCRIPT = Script(ShopByRegion, customers(CustomerByRegion), execute, show)

if __name__ == "__main__":
    SCRIPT.main()
