"""Find the customers of one name: their first letter says in which shard."""

from singletable import Page

from ..script import Script
from .sharded import CustomerByLetter, ShopByLetter
from .sharded_rows import customers, tell_merged


def ask(shop: ShopByLetter) -> Page[CustomerByLetter]:
    return shop.customers_named("Ada")


def tell(found: Page[CustomerByLetter]) -> None:
    tell_merged("Customers called Ada", found, ShopByLetter.customers_named.explain("Ada"))


SCRIPT = Script(ShopByLetter, customers(CustomerByLetter), ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
