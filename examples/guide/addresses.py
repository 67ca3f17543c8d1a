"""P2: get all addresses for a user: a part of the item collection, by the prefix of the sort key."""

from singletable import Page

from ..script import Script
from .model import Address, Guide
from .rows import ROWS


def ask(guide: Guide) -> Page[Address]:
    return guide.addresses("u_001")


def tell(addresses: Page[Address]) -> None:
    print("Addresses of u_001:")
    for address in addresses:
        print(f"{address.label}: {address.line1}, {address.city} {address.zip}")


SCRIPT = Script(Guide, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
