"""A small social network with unique markers, counters, copies and mirrors."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec
from pydantic import BaseModel

from singletable import Page, Table, copy, count, create, delete, entity, get, pattern, query, update
from singletable import field as of

START = datetime(2026, 1, 1, tzinfo=UTC)


def is_starred(author_name: str, title: str) -> bool:
    """The condition of a counter. It reads a copy and a field of the item itself."""
    return (author_name == "grace") | (title == "x#y")


@entity(key=("USER#{id}", "PROFILE"), unique=("email", ("country", "tax_id")), gsi1=("MAIL#{email}", "USER"))
class User(BaseModel):
    id: str
    name: str
    email: str | None = None
    country: str = "de"
    tax_id: int | None = None
    posts: int = 0
    starred_posts: int = 0


@entity(
    key=("POST#{id}", "POST"),
    gsi1=("USER#{author}", "POST#{id}"),
    copies=[copy(User, by={"id": "author"}, fields={"name": "author_name"})],
    counted=[
        count(User, by={"id": "author"}, field="posts"),
        count(User, by={"id": "author"}, field="starred_posts", where=lambda p: is_starred(p.author_name, p.title)),
    ],
    version="version",
)
@dataclass
class Post:
    id: str
    author: str
    title: str
    author_name: str = ""
    version: int = 0


@entity(
    key=("POST#{post}", "TAG#{tag}"),
    gsi1=("TAG#{tag}", "POST#{title}#{post}"),
    copies=[copy(Post, by={"id": "post"}, fields=["title"], in_parts=True)],
)
class Tag(msgspec.Struct):
    post: str
    tag: str
    title: str = ""


@entity(key=("USER#{follower}", "FOLLOWS#{followed}"))
@dataclass
class Follow:
    follower: str
    followed: str
    since: datetime = START
    muted: bool = False


@entity(key=("USER#{followed}", "FOLLOWED_BY#{since:seconds}#{follower}"), mirror_of=Follow)
@dataclass
class Follower:
    follower: str
    followed: str
    since: datetime = START


class Social(Table, entities=[User, Post, Tag, Follow, Follower], accept={"ST101": "names of tests"}):
    @pattern()
    def user(self, id: str) -> User | None:
        return get(User)

    @pattern()
    def user_by_mail(self, email: str) -> User | None:
        return get(User)

    @pattern()
    def post(self, id: str) -> Post | None:
        return get(Post)

    @pattern()
    def posts_of(self, author: str) -> Page[Post]:
        return query(Post)

    @pattern()
    def tagged(self, tag: str) -> Page[Tag]:
        return query(Tag)

    @pattern()
    def tags_of(self, post: str) -> Page[Tag]:
        return query(Tag)

    @pattern()
    def follows(self, follower: str) -> Page[Follow]:
        return query(Follow)

    @pattern()
    def followers(self, followed: str) -> Page[Follower]:
        return query(Follower)

    @pattern(rate=1)
    def sign_up(self, user: User) -> User:
        return create(User)

    @pattern(rate=1)
    def rename(self, id: str, name: str) -> User:
        return update(User, of(User, lambda u: u.name).set(name))

    @pattern(rate=1)
    def leave(self, id: str) -> User | None:
        return delete(User)


def user(number: int, **more: object) -> User:
    return User.model_validate(
        {"id": f"u{number}", "name": f"user {number}", "email": f"u{number}@example.org", **more}
    )
