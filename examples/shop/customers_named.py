"""Find the customers with a given name: the first letter determines the shard."""

from singletable import Page

from ..script import Script
from .sharded import CustomerByLetter, ShopByLetter
from .sharded_rows import customers, tell_merged


def execute(shop: ShopByLetter) -> Page[CustomerByLetter]:
    return shop.customers_named("Ada")


def show(found: Page[CustomerByLetter]) -> None:
    tell_merged("Customers called Ada", found, ShopByLetter.customers_named.explain("Ada"))


SCRIPT = Script(ShopByLetter, customers(CustomerByLetter), execute, show)

if __name__ == "__main__":
    SCRIPT.main()
