"""List all customers by name, from a shard for each first letter, merged in order."""

from singletable import Page

from ..script import Script
from .sharded import CustomerByLetter, ShopByLetter
from .sharded_rows import customers, tell_merged


def ask(shop: ShopByLetter) -> Page[CustomerByLetter]:
    return shop.customers()


def tell(found: Page[CustomerByLetter]) -> None:
    tell_merged("All customers by name", found, ShopByLetter.customers.explain())


SCRIPT = Script(ShopByLetter, customers(CustomerByLetter), ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
