"""List the teams of a user: their memberships are in the user's partition."""

from singletable import Page

from ..script import Script
from .model import TeamOfUser, Teams
from .rows import TEAMS


def execute(table: Teams) -> Page[TeamOfUser]:
    return table.teams_of_user("1")


def show(edges: Page[TeamOfUser]) -> None:
    print("User 1 is in")
    for edge in edges:
        print(f"  team {edge.team_id} as {edge.role}")


SCRIPT = Script(Teams, TEAMS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
