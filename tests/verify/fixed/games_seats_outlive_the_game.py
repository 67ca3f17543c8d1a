"""The seats expire with their game."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("GAME#{id}", "GAME"), ttl="ends", expected_per_partition=1)
@dataclass
class Game:
    id: str
    ends: int


@entity(key=("GAME#{id}", "SEAT#{number:02d}"), identity=("id", "number"), ttl="ends", expected_per_partition=8)
@dataclass
class Seat:
    id: str
    number: int
    ends: int


class Games(Table, entities=[Game, Seat]):
    @pattern()
    def game(self, id: str) -> Game | None:
        """Get a game."""
        return get(Game)
