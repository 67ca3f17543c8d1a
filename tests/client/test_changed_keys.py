"""Clearing a field removes it from unique values, copies and indexes."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any

import pytest

from singletable import Page, Table, copy, entity, field, get, key, pattern, query, upgrade
from singletable.engine.engine import Engine


@entity(key=("U#{id}", "U"), gsi1=("E#{email}", "{id}"), unique=["email"])
@dataclass
class User:
    """A user whose tags can be None, and whose email is the key of an index."""

    id: str
    email: str | None = None
    tags: set[str] | None = None


@entity(key=("U#{user_id}", "P#{id}"), copies=[copy(User, by={"id": "user_id"}, fields={"email": "user_email"})])
@dataclass
class Post:
    """A post with its author's email."""

    id: str
    user_id: str
    user_email: str | None = None


class Users(Table, entities=[User, Post]):
    """Users with posts."""

    @pattern()
    def by_email(self, email: str) -> Page[User]:
        """Who has an email."""
        return query(User)

    @pattern()
    def post(self, user_id: str, id: str) -> Post | None:
        """A post."""
        return get(Post)


@pytest.mark.parametrize("tags", [set(), None, {"a"}], ids=str)
def test_index_key_changes_of_a_cleared_field_leave_the_index_and_free_its_unique_value(tags: set[str] | None) -> None:
    with Users.open("memory:") as table:
        table.create(User("a", "x@y", tags))
        table.create(Post("p", "a", "x@y"))
        cleared = table.update(key(User, id="a"), field(User, lambda user: user.email).set(None))
        assert cleared == User("a", None, tags)
        assert list(table.by_email("x@y")) == []
        assert table.post("a", "p") == Post("p", "a", None)
        table.create(User("b", "x@y"))
        assert list(table.by_email("x@y")) == [User("b", "x@y")]


@entity(key=("M#{id}", "M"), gsi1=("S#{status}", "O#{owner}"))
@dataclass
class Mistyped:
    """A class with a default that its type does not allow, as people often write it."""

    id: str
    owner: str
    status: str = None  # type: ignore[assignment]  # on purpose


@entity(key=("L#{id}", "L"), gsi1=("Z#{zone}", "R#{rank:03d}"), unique=["name"])
@dataclass
class Place:
    """An entity with an index that was declared later."""

    id: str
    zone: str
    rank: int
    name: str
    anything: Any = 5


class Places(Table, entities=[Mistyped, Place]):
    """Both."""

    @pattern()
    def in_status(self, status: str) -> Page[Mistyped]:
        """By status."""
        return query(Mistyped)

    @pattern()
    def in_zone(self, zone: str) -> Page[Place]:
        """By zone."""
        return query(Place)


def test_index_key_changes_add_all_keys_of_an_index_when_its_last_field_is_set() -> None:
    with Places.open("memory:") as table:
        table.put(Mistyped("a", "o"))
        table.update(key(Mistyped, id="a"), field(Mistyped, lambda each: each.status).set("X"))
        assert list(table.in_status("X")) == [Mistyped("a", "o", "X")]


def test_index_key_changes_of_an_update_that_reads_add_an_older_item_to_a_new_index() -> None:
    with Engine("memory:") as engine:
        table = Places.open(engine, create=True)
        table.create(Place("a", "z", 7, "first"))
        names = {"PK": {"S": "L#a"}, "SK": {"S": "L"}}
        engine.call("UpdateItem", {"TableName": "Places", "Key": names, "UpdateExpression": "REMOVE GSI1PK, GSI1SK"})
        assert list(table.in_zone("z")) == []
        changes = (field(Place, lambda each: each.zone).set("z2"), field(Place, lambda each: each.name).set("second"))
        table.update(key(Place, id="a"), *changes)
        assert list(table.in_zone("z2")) == [Place("a", "z2", 7, "second")]


def test_field_changes_set_none_where_anything_is_allowed() -> None:
    with Places.open("memory:") as table:
        table.create(Place("a", "z", 7, "first"))
        changed = table.update(key(Place, id="a"), field(Place, lambda each: each.anything).set(None))
        assert changed.anything is None


@entity(key=("V#{id}", "V"), schema_version=3)
@dataclass
class Versioned:
    """An entity of the third version."""

    id: str
    nick: str = "nn"
    tags: set[str] = dataclass_field(default_factory=lambda: {"default"})


@upgrade(Versioned, from_version=1)
def _to_second(stored: dict[str, Any]) -> dict[str, Any]:
    return {**stored, "nick": None, "labels": set()}


@upgrade(Versioned, from_version=2)
def _to_third(stored: dict[str, Any]) -> dict[str, Any]:
    given = dict(stored)
    given.pop("labels", None)
    return {**given, "nick": given.get("nick") or "made", "tags": given.get("tags", set()) | {"new"}}


class Versions(Table, entities=[Versioned]):
    """One entity, three versions."""

    @pattern()
    def one(self, id: str) -> Versioned | None:
        """By id."""
        return get(Versioned)


@pytest.mark.parametrize(
    ("tags", "read"),
    [(None, {"new"}), ({"L": []}, {"new"}), ({"SS": ["a"]}, {"a", "new"})],
    ids=["none", "empty", "one"],
)
def test_upgrader_accepts_upgrades_that_return_none_and_omit_fields(
    tags: dict[str, Any] | None, read: set[str]
) -> None:
    with Engine("memory:") as engine:
        table = Versions.open(engine, create=True)
        item = {"PK": {"S": "V#a"}, "SK": {"S": "V"}, "entity_type": {"S": "Versioned"}, "id": {"S": "a"}}
        item |= {"schema_v": {"N": "1"}} | ({"tags": tags} if tags is not None else {})
        engine.call("PutItem", {"TableName": "Versions", "Item": item})
        assert table.one("a") == Versioned("a", "made", read)
