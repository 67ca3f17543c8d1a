"""The player is part of the key after the score."""

from dataclasses import dataclass

from singletable import Page, Table, entity, native, pattern, query


@entity(key=(native("game_id"), "{score:number}#{player_id}"))
@dataclass
class LeaderboardEntry:
    game_id: str
    score: int
    player_id: str


class Leaderboard(Table, entities=[LeaderboardEntry], keys=("game_id", "score_key")):
    @pattern()
    def scores_of_game(self, game_id: str, *, limit: int = 10, cursor: str | None = None) -> Page[LeaderboardEntry]:
        """List the scores of a game."""
        return query(LeaderboardEntry)
