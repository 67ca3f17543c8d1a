"""All members of a group by join date: the day is in the sort key of an index with keys alone."""

from singletable import Page

from ..script import Script
from .model import Guide, Membership
from .rows import ROWS


def ask(guide: Guide) -> Page[Membership]:
    return guide.members_by_join_date("g_42")


def tell(memberships: Page[Membership]) -> None:
    print("Members of g_42:")
    for membership in memberships:
        print(f"{membership.joined_on} {membership.user_id}")


SCRIPT = Script(Guide, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
