"""List the customers who signed up in a period, newest first, from one shard per month."""

from datetime import UTC, datetime

from singletable import Between, Page

from ..script import Script
from .sharded import CustomerByMonth, ShopByMonth
from .sharded_rows import customers, tell_merged

SPRING = Between(datetime(2026, 2, 10, tzinfo=UTC), datetime(2026, 4, 10, tzinfo=UTC))


def execute(shop: ShopByMonth) -> Page[CustomerByMonth]:
    return shop.customers_since(SPRING)


def show(found: Page[CustomerByMonth]) -> None:
    tell_merged("Who signed up from 10 February to 10 April", found, ShopByMonth.customers_since.explain(SPRING))


SCRIPT = Script(ShopByMonth, customers(CustomerByMonth), execute, show)

if __name__ == "__main__":
    SCRIPT.main()
