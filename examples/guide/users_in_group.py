"""P5: list all users in a group, from an index with the group as the partition key."""

from singletable import Page

from ..script import Script
from .model import Guide, Membership
from .rows import ROWS


def execute(guide: Guide) -> Page[Membership]:
    return guide.users_in_group("g_42")


def show(memberships: Page[Membership]) -> None:
    print("Users in g_42:", ", ".join(membership.user_id for membership in memberships))


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
