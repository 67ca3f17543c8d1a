"""List all customers chronologically, from eight hash shards, merged in order."""

from singletable import Page

from ..script import Script
from .sharded import CustomerByHash, ShopByHash
from .sharded_rows import customers, tell_merged


def execute(shop: ShopByHash) -> Page[CustomerByHash]:
    return shop.customers()


def show(found: Page[CustomerByHash]) -> None:
    tell_merged("All customers by signup", found, ShopByHash.customers.explain())


SCRIPT = Script(ShopByHash, customers(CustomerByHash), execute, show)

if __name__ == "__main__":
    SCRIPT.main()
