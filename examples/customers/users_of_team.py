"""List the users of a team: the same edges from the other side, though only the first side was ever put."""

from singletable import Page

from ..script import Script
from .model import Teams, UserOfTeam
from .rows import TEAMS


def ask(table: Teams) -> Page[UserOfTeam]:
    return table.users_of_team("9")


def tell(edges: Page[UserOfTeam]) -> None:
    print("Team 9 has")
    for edge in edges:
        print(f"  user {edge.user_id} as {edge.role}")


SCRIPT = Script(Teams, TEAMS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
