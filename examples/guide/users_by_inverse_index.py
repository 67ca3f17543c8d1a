"""P4 and P5 with an inverse index: the index swaps the keys of the table, so items need no additional attributes."""

from singletable import Page

from ..script import Script
from .groups import Edge, Groups
from .model import Membership
from .rows import GROUPS


def execute(groups: Groups) -> tuple[Page[Edge], Page[Edge]]:
    return groups.groups_of_user("u_001"), groups.users_in_group("g_42")


def show(found: tuple[Page[Edge], Page[Edge]]) -> None:
    of_user, in_group = found
    print("Groups of u_001:", ", ".join(edge.group_id for edge in of_user))
    print("Users in g_42:", ", ".join(edge.user_id for edge in in_group))


SCRIPT = Script(Groups, [Edge(**row.model_dump()) for row in GROUPS if isinstance(row, Membership)], execute, show)

if __name__ == "__main__":
    SCRIPT.main()
