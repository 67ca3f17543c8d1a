"""A user can vote twice."""

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query


@entity(key=("POLL#{poll_id}", "VOTE#{vote_id}"), identity=("poll_id", "vote_id"), expected_per_partition=500)
@dataclass
class Vote:
    poll_id: str
    vote_id: str
    user_id: str
    choice: str


class Polls(Table, entities=[Vote]):
    @pattern()
    def votes_of_poll(self, poll_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Vote]:
        """Votes of a poll."""
        return query(Vote)
