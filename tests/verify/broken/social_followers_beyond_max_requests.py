"""Patterns declare a maximum number of requests, but their results are larger, or unbounded."""

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query, shard


@entity(key=("USER#{user_id}", "FOLLOWER#{follower_id}"), expected_per_partition=40_000, expected_bytes=100)
@dataclass
class Follower:
    user_id: str
    follower_id: str


@entity(key=("USER#{user_id}", "POST#{id}"))
@dataclass
class Post:
    user_id: str
    id: str


@entity(
    key=("EVENT#{id}", "EVENT"),
    gsi1=("EVENTS#{shard}", "{id}"),
    derived={"shard": shard("id", of=4)},
    expected_per_partition={"gsi1": 100},
)
@dataclass
class Event:
    id: str


class Social(Table, entities=[Follower, Post, Event]):
    @pattern(max_requests=2)
    def followers(self, user_id: str) -> Page[Follower]:
        """List the followers of a user: four pages."""
        return query(Follower)

    @pattern(max_requests=4, budget_ms=50)
    def followers_as_declared(self, user_id: str) -> Page[Follower]:
        """List the followers of a user in at most four requests."""
        return query(Follower)

    @pattern(max_requests=1)
    def posts(self, user_id: str) -> Page[Post]:
        """List the posts of a user; nothing bounds their number."""
        return query(Post)

    @pattern(fanout=4, max_requests=3)
    def events(self) -> Page[Event]:
        """List all events, one Query per shard."""
        return query(Event)
