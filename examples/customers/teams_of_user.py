"""List the teams of a user: the edges that lie in the user's partition."""

from singletable import Page

from ..script import Script
from .model import TeamOfUser, Teams
from .rows import TEAMS


def ask(table: Teams) -> Page[TeamOfUser]:
    return table.teams_of_user("1")


def tell(edges: Page[TeamOfUser]) -> None:
    print("User 1 is in")
    for edge in edges:
        print(f"  team {edge.team_id} as {edge.role}")


SCRIPT = Script(Teams, TEAMS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
