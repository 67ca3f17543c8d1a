"""P2: get all addresses of a user: a prefix of the sort key selects them from the user's item collection."""

from singletable import Page

from ..script import Script
from .model import Address, Guide
from .rows import ROWS


def execute(guide: Guide) -> Page[Address]:
    return guide.addresses("u_001")


def show(addresses: Page[Address]) -> None:
    print("Addresses of u_001:")
    for address in addresses:
        print(f"{address.label}: {address.line1}, {address.city} {address.zip}")


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
