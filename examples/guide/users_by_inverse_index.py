"""P4 and P5 by an inverse index: the keys of the table themselves, swapped, and nothing written twice."""

from singletable import Page

from ..script import Script
from .groups import Edge, Groups
from .model import Membership
from .rows import GROUPS


def ask(groups: Groups) -> tuple[Page[Edge], Page[Edge]]:
    return groups.groups_of_user("u_001"), groups.users_in_group("g_42")


def tell(found: tuple[Page[Edge], Page[Edge]]) -> None:
    of_user, in_group = found
    print("Groups of u_001:", ", ".join(edge.group_id for edge in of_user))
    print("Users in g_42:", ", ".join(edge.user_id for edge in in_group))


SCRIPT = Script(Groups, [Edge(**row.model_dump()) for row in GROUPS if isinstance(row, Membership)], ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
