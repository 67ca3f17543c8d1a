"""Each friend of a player is an item of its own."""

from dataclasses import dataclass

from singletable import Page, Table, entity, get, pattern, query


@entity(key=("PLAYER#{id}", "PROFILE"))
@dataclass
class Player:
    id: str
    name: str


@entity(key=("PLAYER#{player_id}", "FRIEND#{friend_id}"), expected_per_partition=200)
@dataclass
class Friend:
    player_id: str
    friend_id: str


class Game(Table, entities=[Player, Friend]):
    @pattern()
    def player(self, id: str) -> Player | None:
        """Get a player."""
        return get(Player)

    @pattern()
    def friends(self, player_id: str, *, limit: int = 50, cursor: str | None = None) -> Page[Friend]:
        """Friends of a player."""
        return query(Friend)
