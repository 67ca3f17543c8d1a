"""Check the seventh pattern without its index: `check` rejects the pattern, with a reason and a remedy."""

from datetime import datetime

from singletable import Page, Since, pattern, query
from singletable.verify.design_check import check
from singletable.verify.findings import Finding

from ..script import Script
from .model import Customer, Order, OrderItem, Product, Shop


class ShopWithoutIndex(Shop, entities=[Customer, Order, OrderItem, Product]):
    """The current shop, without a key that begins with the status."""

    @pattern(frequency="low", budget_ms=100)
    def orders_in_status(self, status: str, created_at: Since[datetime]) -> Page[Order]:
        """Get orders by status in the last 30 days."""
        return query(Order, newest_first=True)


def execute(_: ShopWithoutIndex) -> list[Finding]:
    """Return the findings of `singletable check`, which needs no table."""
    return [finding for finding in check(ShopWithoutIndex.design).findings if finding.severity == "error"]


def show(findings: list[Finding]) -> None:
    for finding in findings:
        print(finding)


SCRIPT = Script(ShopWithoutIndex, (), execute, show)

if __name__ == "__main__":
    SCRIPT.main()
