"""The top scores are read from unpadded numbers, where 10 sorts before 9."""

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query


@entity(key=("GAME#{game_id}", "{points}#{player_id}"))
@dataclass
class Score:
    game_id: str
    player_id: str
    points: int


class Leaderboard(Table, entities=[Score]):
    @pattern()
    def top_scores(self, game_id: str, *, limit: int = 10, cursor: str | None = None) -> Page[Score]:
        """Get the players with the most points in a game."""
        return query(Score)
