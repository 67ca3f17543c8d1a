"""Get a user with all addresses, orders and groups: the whole item collection in one Query."""

from ..script import Script
from .model import Guide, WholeUser
from .rows import ROWS


def execute(guide: Guide) -> WholeUser | None:
    return guide.whole_user("u_001")


def show(whole: WholeUser | None) -> None:
    assert whole is not None
    print(f"{whole.user.name}, u_001:")
    print("addresses", ", ".join(address.label for address in whole.addresses))
    print("orders   ", ", ".join(order.id for order in whole.orders))
    print("groups   ", ", ".join(membership.group_id for membership in whole.memberships))


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
