"""The seventh pattern on the shop as it is: refused before any data exists, with the reason and the way out."""

from datetime import datetime

from singletable import Page, Since, pattern, query
from singletable.verify.check import check
from singletable.verify.finding import Finding

from ..script import Script
from .model import Customer, Order, OrderItem, Product, Shop


class ShopWithoutIndex(Shop, entities=[Customer, Order, OrderItem, Product]):
    """The shop as it is: no key begins with a status."""

    @pattern(frequency="low", budget_ms=100)
    def orders_in_status(self, status: str, created_at: Since[datetime]) -> Page[Order]:
        """Orders by status in the last 30 days."""
        return query(Order, newest_first=True)


def ask(_: ShopWithoutIndex) -> list[Finding]:
    """What `singletable check` finds, which needs no table."""
    return [finding for finding in check(ShopWithoutIndex.design).findings if finding.severity == "error"]


def tell(findings: list[Finding]) -> None:
    for finding in findings:
        print(finding)


SCRIPT = Script(ShopWithoutIndex, (), ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
