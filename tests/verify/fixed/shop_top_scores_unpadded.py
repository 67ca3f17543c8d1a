"""The number sorts by value, and the read is descending."""

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query


@entity(key=("GAME#{game_id}", "{points:number}#{player_id}"))
@dataclass
class Score:
    game_id: str
    player_id: str
    points: int


class Leaderboard(Table, entities=[Score]):
    @pattern()
    def top_scores(self, game_id: str, *, limit: int = 10, cursor: str | None = None) -> Page[Score]:
        """Get the players with the most points in a game."""
        return query(Score, order_by=lambda item: item.points, descending=True)
