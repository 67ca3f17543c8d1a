"""The replies of a user are sorted by time."""

from dataclasses import dataclass

from singletable import Page, Table, entity, get, pattern, query


@entity(
    key=("REPLY#{id}", "REPLY"),
    gsi1=("USER#{posted_by}", "{posted_at}#{id}"),
    expected_per_partition={"key": 1, "gsi1": 100},
)
@dataclass
class Reply:
    id: str
    posted_by: str
    posted_at: str
    message: str


class Forum(Table, entities=[Reply]):
    @pattern()
    def reply(self, id: str) -> Reply | None:
        """Get a reply."""
        return get(Reply)

    @pattern()
    def replies_by_user(self, posted_by: str, *, limit: int = 20, cursor: str | None = None) -> Page[Reply]:
        """Replies by user."""
        return query(Reply)
