"""P4: list all groups of a user, from the memberships in the user's partition."""

from singletable import Page

from ..script import Script
from .model import Guide, Membership
from .rows import ROWS


def execute(guide: Guide) -> Page[Membership]:
    return guide.groups_of_user("u_001")


def show(memberships: Page[Membership]) -> None:
    print("Groups of u_001:", ", ".join(membership.group_id for membership in memberships))


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
