"""List all members of a group by join date, from a KEYS_ONLY index with the date in its sort key."""

from singletable import Page

from ..script import Script
from .model import Guide, Membership
from .rows import ROWS


def execute(guide: Guide) -> Page[Membership]:
    return guide.members_by_join_date("g_42")


def show(memberships: Page[Membership]) -> None:
    print("Members of g_42:")
    for membership in memberships:
        print(f"{membership.joined_on} {membership.user_id}")


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
