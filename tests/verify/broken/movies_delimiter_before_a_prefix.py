"""Two keys differ only in a delimiter before their prefix."""

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query


@entity(key=("MOVIE#{movie_id}", "DIRECTOR#{director_id}"), expected_per_partition=10)
@dataclass
class Direction:
    movie_id: str
    director_id: str


@entity(key=("ACTOR#{actor_id}", "#DIRECTOR#{director_id}"), expected_per_partition=10)
@dataclass
class Cooperation:
    actor_id: str
    director_id: str


class Movies(Table, entities=[Direction, Cooperation]):
    @pattern()
    def directors_of_movie(self, movie_id: str, *, limit: int = 10, cursor: str | None = None) -> Page[Direction]:
        """Directors of a movie."""
        return query(Direction)

    @pattern()
    def directors_of_actor(self, actor_id: str, *, limit: int = 10, cursor: str | None = None) -> Page[Cooperation]:
        """Directors of an actor."""
        return query(Cooperation)
