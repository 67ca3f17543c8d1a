"""List all customers by name, from one shard per first letter, merged in order."""

from singletable import Page

from ..script import Script
from .sharded import CustomerByLetter, ShopByLetter
from .sharded_rows import customers, tell_merged


def execute(shop: ShopByLetter) -> Page[CustomerByLetter]:
    return shop.customers()


def show(found: Page[CustomerByLetter]) -> None:
    tell_merged("All customers by name", found, ShopByLetter.customers.explain())


SCRIPT = Script(ShopByLetter, customers(CustomerByLetter), execute, show)

if __name__ == "__main__":
    SCRIPT.main()
