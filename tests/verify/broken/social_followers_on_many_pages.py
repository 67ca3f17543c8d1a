"""A query lists three billion followers without a limit; another reads with a limit far above one page."""

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query


@entity(key=("USER#{user_id}", "FOLLOWER#{follower_id}"), expected_per_partition=3_000_000_000, expected_bytes=99)
@dataclass
class Follower:
    user_id: str
    follower_id: str


class Social(Table, entities=[Follower]):
    @pattern()
    def followers(self, user_id: str) -> Page[Follower]:
        """List the followers of a user."""
        return query(Follower)

    @pattern()
    def many_followers(self, user_id: str, *, limit: int = 50_000, cursor: str | None = None) -> Page[Follower]:
        """List the followers of a user, 50,000 at a time."""
        return query(Follower)
