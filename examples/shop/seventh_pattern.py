"""The seventh pattern on the shop as it is: refused before any data exists, with the reason and the way out."""

from singletable.verify.check import check
from singletable.verify.finding import Finding

from ..script import Script
from .seventh import ShopWithoutIndex


def ask(_: ShopWithoutIndex) -> list[Finding]:
    """What `singletable check` finds, which needs no table."""
    return [finding for finding in check(ShopWithoutIndex.design).findings if finding.severity == "error"]


def tell(findings: list[Finding]) -> None:
    for finding in findings:
        print(finding)


SCRIPT = Script(ShopWithoutIndex, (), ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
