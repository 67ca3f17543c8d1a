"""List all customers chronologically, from eight shards by hash, merged in order."""

from singletable import Page

from ..script import Script
from .sharded import CustomerByHash, ShopByHash
from .sharded_rows import customers, tell_merged


def ask(shop: ShopByHash) -> Page[CustomerByHash]:
    return shop.customers()


def tell(found: Page[CustomerByHash]) -> None:
    tell_merged("All customers by signup", found, ShopByHash.customers.explain())


SCRIPT = Script(ShopByHash, customers(CustomerByHash), ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
