"""Derived data: unique values, counters, copies and mirrors are updated in the transaction of the write."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from singletable import (
    AlreadyExists,
    ArgumentRefused,
    ConditionFailed,
    NotFound,
    NotUnique,
    Table,
    VersionConflict,
    entity,
    field,
    key,
)
from singletable.client.request_steps import Call
from tests.client.places import Place
from tests.client.social import START, Follow, Follower, Post, Social, Tag, User, user

name = field(User, lambda u: u.name)
email = field(User, lambda u: u.email)


@pytest.fixture
def social(place: Place) -> Iterator[Social]:
    with place.open(Social) as opened:
        yield opened


def markers(social: Social) -> list[str]:
    """Return the markers in the table."""
    opened = social._opened()
    body = opened.session.send(Call("Scan", {"TableName": opened.reader.name, "ConsistentRead": True}))
    items: list[dict[str, Any]] = msgspec.json.decode(body)["Items"]
    return sorted(item["PK"]["S"] for item in items if item["SK"]["S"] == "UNIQUE")


def test_derived_actions_claim_move_and_release_a_unique_value(social: Social) -> None:
    social.create(user(1))
    with pytest.raises(NotUnique, match=r"another User has email='u1@example.org'") as failed:
        social.create(user(2, email="u1@example.org"))
    assert failed.value.fields == ("email",)
    assert isinstance(failed.value, AlreadyExists)
    assert social.user("u2") is None
    social.create(user(2))
    with pytest.raises(NotUnique):
        social.update(key(User, id="u2"), email.set("u1@example.org"))
    changed = social.update(key(User, id="u1"), email.set("new@example.org"))
    assert changed.email == "new@example.org"
    assert social.user_by_mail("new@example.org") == changed
    assert social.update(key(User, id="u2"), email.set("u1@example.org")).email == "u1@example.org"
    assert markers(social) == ["UNIQUE#User#email#new@example.org", "UNIQUE#User#email#u1@example.org"]
    assert social.delete(key(User, id="u2")) == user(2, email="u1@example.org")
    social.put(user(3, email="u1@example.org"))
    social.put(user(3, email=None))
    assert markers(social) == ["UNIQUE#User#email#new@example.org"]


@entity(key=("THING#{id}", "THING"), unique=("code",), name="{odd} type #1 100%")
@dataclass
class Odd:
    id: str
    code: str


@entity(key=("OTHER#{id}", "THING"), unique=("code",), name="{odd}%20type")
@dataclass
class Odder:
    id: str
    code: str


class Odds(Table, entities=[Odd, Odder]):
    """Entities whose stored names contain characters that no template can contain."""


def test_unique_markers_support_any_text_as_the_stored_name_of_an_entity(place: Place) -> None:
    with place.open(Odds) as odds:
        odds.create(Odd("1", "x"))
        odds.create(Odder("1", "x"))
        with pytest.raises(NotUnique, match="another Odd has code='x'"):
            odds.create(Odd("2", "x"))
        odds.delete(key(Odd, id="1"))
        odds.create(Odd("2", "x"))


def test_unique_markers_make_several_fields_unique_together(social: Social) -> None:
    social.create(user(1, tax_id=7))
    social.create(user(2, tax_id=7, country="fr"))
    with pytest.raises(NotUnique, match=r"country='de', tax_id=7"):
        social.upsert(user(3, tax_id=7))
    social.upsert(user(2, tax_id=8))
    social.upsert(user(3, tax_id=7, country="fr"))


def test_unique_markers_support_any_text_as_a_unique_value(social: Social) -> None:
    for number, value in enumerate(["a#b", "a%23b", "a b", "a", "a#", "", "🙂", "UNIQUE"]):
        social.create(user(number, email=value))
    with pytest.raises(NotUnique):
        social.create(user(99, email="a#b"))


def test_a_create_with_derived_actions_raises_already_exists_the_second_time(social: Social) -> None:
    social.create(user(1))
    with pytest.raises(AlreadyExists, match="User with id='u1' already exists") as failed:
        social.create(user(1, email="other@example.org"))
    assert not isinstance(failed.value, NotUnique)
    assert markers(social) == ["UNIQUE#User#email#u1@example.org"]


def test_derived_actions_of_write_patterns_keep_derived_data_in_sync(social: Social) -> None:
    social.sign_up(user(1))
    with pytest.raises(NotUnique):
        social.sign_up(user(2, email="u1@example.org"))
    social.create(Post("p1", "u1", "hello"))
    assert social.rename("u1", "ada").name == "ada"
    assert [post.author_name for post in social.posts_of("u1")] == ["ada"]
    with pytest.raises(ConditionFailed, match="posts = 1: it still counts other items"):
        social.leave("u1")
    social.delete(key(Post, id="p1"))
    social.leave("u1")
    assert markers(social) == []


def test_derived_actions_count_the_items_of_an_owner(social: Social) -> None:
    social.create(user(1))
    social.create(user(2))
    first = social.create(Post("p1", "u1", "hello"))
    social.put(Post("p2", "u1", "again"))
    assert _posts(social) == (2, 0)
    social.put(replace(first, title="changed"))
    assert _posts(social) == (2, 0)
    social.update(key(Post, id="p1"), field(Post, lambda p: p.author).set("u2"))
    assert _posts(social) == (1, 1)
    assert social.post("p1") == Post("p1", "u2", "changed", "user 2", 3)
    social.delete(key(Post, id="p2"))
    assert _posts(social) == (0, 1)
    assert social.delete(key(Post, id="p2")) is None
    with pytest.raises(NotFound, match="User with id='u9'"):
        social.create(Post("p3", "u9", "of nobody"))
    with pytest.raises(NotFound):
        social.update(key(Post, id="p1"), field(Post, lambda p: p.author).set("u9"))
    assert _posts(social) == (0, 1)


def test_derived_actions_let_only_counted_items_change_a_counter(social: Social) -> None:
    created = social.create(user(1, posts=5))
    assert created.posts == 0
    social.create(Post("p1", "u1", "hello"))
    assert social.put(created).posts == 1
    assert social.upsert(user(1, name="x", posts=77)).posts == 1
    with pytest.raises(ArgumentRefused, match="User counts other items in posts"):
        social.update(created, field(User, lambda u: u.posts).set(9))
    with pytest.raises(ConditionFailed):
        social.delete(created)
    assert social.delete(key(Post, id="p1")) == Post("p1", "u1", "hello", "x", 1)
    assert social.delete(created) == user(1, name="x")


def test_update_copies_makes_each_copy_equal_its_source(social: Social) -> None:
    social.create(user(1))
    assert social.create(Post("p1", "u1", "hello", author_name="wrong")).author_name == "user 1"
    social.create(Tag("p1", "b"))
    social.put(Tag("p1", "a", "wrong"))
    social.update(key(User, id="u1"), name.set("ada"))
    assert social.post("p1") == Post("p1", "u1", "hello", "ada", 1)
    social.put(user(1, name="grace"))
    assert social.post("p1") == Post("p1", "u1", "hello", "grace", 1)
    social.update(key(Post, id="p1"), field(Post, lambda p: p.title).set("bye"))
    assert [tag.title for tag in social.tags_of("p1")] == ["bye", "bye"]
    assert [tag.title for tag in social.tagged("a")] == ["bye"]
    with pytest.raises(ArgumentRefused, match=r"Post.author_name is a copy of User.name; change the source"):
        social.update(key(Post, id="p1"), field(Post, lambda p: p.author_name).set("me"))
    with pytest.raises(NotFound, match="Post with id='p9' does not exist, but Tag copies its title"):
        social.create(Tag("p9", "a"))


def test_update_copies_leaves_copies_of_a_deleted_source_unchanged(social: Social) -> None:
    social.create(User(id="u", name="Ada"))
    social.create(Post("p", "u", "first"))
    social.create(Tag("p", "maths"))
    social.delete(key(Post, id="p"))  # nothing counts its tags
    assert social.get(key(Tag, post="p", tag="maths")) == Tag("p", "maths", "first")
    with pytest.raises(NotFound, match="Post with id='p' does not exist, but Tag copies its title"):
        social.put(Tag("p", "maths"))
    social.create(Post("q", "u", "second"))
    with pytest.raises(ConditionFailed, match="has posts = 1: it still counts other items"):
        social.delete(key(User, id="u"))


def test_update_copies_supports_more_copies_than_a_transaction_holds(social: Social) -> None:
    social.create(user(1))
    social.create(Post("p1", "u1", "hello"))
    for number in range(120):
        social.create(Tag("p1", f"t{number:03}"))
    social.update(key(Post, id="p1"), field(Post, lambda p: p.title).set("new"))
    assert {tag.title for tag in social.tags_of.all("p1")} == {"new"}
    assert [tag.title for tag in social.tagged("t117")] == ["new"]
    for number in range(101):
        social.create(Post(f"q{number:03}", "u1", "x"))
    with pytest.raises(ArgumentRefused, match="would write 103 items, but the limit is 100"):
        social.update(key(User, id="u1"), name.set("ada"))
    assert social.user("u1") == user(1, posts=102)


def test_derived_actions_write_a_mirror_with_its_edge(social: Social) -> None:
    edge = social.create(Follow("u1", "u2"))
    assert list(social.followers("u2")) == [Follower("u1", "u2")]
    later = START + timedelta(days=1)
    social.update(edge, field(Follow, lambda f: f.since).set(later))
    assert list(social.followers("u2")) == [Follower("u1", "u2", later)]
    social.metrics.reset()
    social.update(edge, field(Follow, lambda f: f.muted).set(True))
    assert social.metrics.total.requests == 1
    with pytest.raises(ArgumentRefused, match="Follower mirrors Follow"):
        social.put(Follower("u1", "u2"))
    with pytest.raises(ArgumentRefused, match="write the Follow"):
        social.delete(Follower("u1", "u2"))
    social.delete(edge)
    assert list(social.followers("u2")) == []
    assert list(social.follows("u1")) == []


def test_derived_actions_of_a_move_update_all_derived_data(social: Social) -> None:
    social.create(user(1))
    first = social.create(Post("p1", "u1", "hello"))
    moved = social.move(first, replace(first, id="p2", title="moved"))
    assert social.post("p1") is None
    assert social.post("p2") == moved == Post("p2", "u1", "moved", "user 1", 1)
    assert _posts(social, 1) == (1,)
    with pytest.raises(NotFound):
        social.move(first, replace(first, id="p3"))
    with pytest.raises(ArgumentRefused, match="have the same key"):
        social.move(moved, moved)
    with pytest.raises(ConditionFailed, match="another writer changed Post with id='p2' after it was read"):
        social.move(replace(moved, title="stale"), replace(moved, id="p4"))
    first_user = social.user("u1")
    assert first_user is not None
    with pytest.raises(ConditionFailed):
        social.move(first_user, user(7, email="u1@example.org"))
    social.delete(moved)
    assert social.move(first_user, user(7, email="u1@example.org")).id == "u7"
    assert markers(social) == ["UNIQUE#User#email#u1@example.org"]


def test_table_writer_retries_an_edit_when_another_writer_is_faster(social: Social) -> None:
    social.create(user(1))
    social.create(Post("p1", "u1", "0"))

    async def race() -> None:
        async def one() -> None:
            for _ in range(5):
                await social.aio.edit(
                    key(Post, id="p1"), lambda p: replace(p, title=str(int(p.title) + 1)), attempts=99
                )

        await asyncio.gather(*(one() for _ in range(8)))

    asyncio.run(race())
    assert social.post("p1") == Post("p1", "u1", "40", "user 1", 41)
    with pytest.raises(ArgumentRefused, match="User has no version"):
        social.edit(key(User, id="u1"), lambda u: u)
    with pytest.raises(NotFound):
        social.edit(key(Post, id="p9"), lambda p: p)
    calls = 0

    def slow(post: Post) -> Post:
        nonlocal calls
        calls += 1
        social.update(key(Post, id="p1"), field(Post, lambda p: p.title).set("quicker"))
        return post

    with pytest.raises(VersionConflict):
        social.edit(key(Post, id="p1"), slow, attempts=3)
    assert calls == 3


def _posts(social: Social, users: int = 2) -> tuple[int, ...]:
    found = [social.user(f"u{number}") for number in range(1, users + 1)]
    return tuple(each.posts for each in found if each is not None)


def test_a_table_scan_skips_unique_markers_and_a_mirror_cannot_be_deleted_directly(social: Social) -> None:
    social.create(user(1))
    social.create(Follow("u1", "u2"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = {type(each) for each in social.scan(reason="a test")}
    assert found == {User, Follow, Follower}
    result = social.delete_many([key(Follower, follower="u1", followed="u2", since=START)])
    assert "Follower mirrors Follow" in str(result.failed[0].reason)
