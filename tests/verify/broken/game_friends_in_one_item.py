"""A player has all friends in one item."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("PLAYER#{id}", "PROFILE"))
@dataclass
class Player:
    id: str
    name: str
    friends: list[str]


class Game(Table, entities=[Player]):
    @pattern()
    def player(self, id: str) -> Player | None:
        """Get a player."""
        return get(Player)
