"""List the users of a team: the client writes a mirror of each membership into the partition of the team."""

from singletable import Page

from ..script import Script
from .model import Teams, UserOfTeam
from .rows import TEAMS


def execute(table: Teams) -> Page[UserOfTeam]:
    return table.users_of_team("9")


def show(edges: Page[UserOfTeam]) -> None:
    print("Team 9 has")
    for edge in edges:
        print(f"  user {edge.user_id} as {edge.role}")


SCRIPT = Script(Teams, TEAMS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
