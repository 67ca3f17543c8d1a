"""Let a user join and leave a team: you write one membership, and one transaction also writes its mirror."""

from dataclasses import dataclass

from ..script import Script
from .model import TeamOfUser, Teams
from .rows import TEAMS


@dataclass
class Sides:
    """The teams of the user, and the users of the team."""

    when: str
    teams_of_user_2: list[str]
    users_of_team_4: list[str]


def execute(table: Teams) -> list[Sides]:
    def look(when: str) -> Sides:
        teams = [edge.team_id for edge in table.teams_of_user("2")]
        return Sides(when, teams, [edge.user_id for edge in table.users_of_team("4")])

    seen = [look("before")]
    table.join(TeamOfUser("2", "4"))
    seen.append(look("joined"))
    table.leave("2", "4")
    seen.append(look("left"))
    return seen


def show(seen: list[Sides]) -> None:
    for sides in seen:
        teams, users = ", ".join(sides.teams_of_user_2), ", ".join(sides.users_of_team_4)
        print(f"{sides.when + ':':<8} user 2 is in teams {teams:<5} team 4 has users {users}")


SCRIPT = Script(Teams, TEAMS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
