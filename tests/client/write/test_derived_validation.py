"""Validation of derived data: a write whose copies, counters or mirrored items would be invalid is rejected."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pydantic
import pytest

from singletable import DesignError, InvalidValue, Page, Table, copy, count, entity, field, key, pattern, query
from singletable.verify.design_check import check


@entity(key=("AUTHOR#{id}", "META"))
class Author(pydantic.BaseModel):
    id: str
    name: str
    posts: int = pydantic.Field(default=0, le=1)


@entity(
    key=("POST#{id}", "META"),
    gsi1=("AUTHOR#{author}", "POST#{id}"),
    copies=[copy(Author, by={"id": "author"}, fields={"name": "author_name"})],
    counted=[count(Author, by={"id": "author"}, field="posts")],
)
class Post(pydantic.BaseModel):
    id: str
    author: str
    author_name: str = pydantic.Field(default="", max_length=4)


@entity(key=("AUTHOR#{follower}", "FOLLOWS#{followed}"))
class Follow(pydantic.BaseModel):
    follower: str
    followed: str
    note: str = ""


@entity(key=("AUTHOR#{followed}", "FOLLOWED_BY#{follower}"), mirror_of=Follow)
class Follower(pydantic.BaseModel):
    follower: str
    followed: str
    note: str = pydantic.Field(default="", max_length=4)


class Blog(Table, entities=[Author, Post, Follow, Follower], name="blog"):
    @pattern()
    def posts_of(self, author: str) -> Page[Post]:
        return query(Post)


@pytest.fixture
def blog() -> Iterator[Blog]:
    with Blog.open("memory:", create=True) as opened:
        opened.put(Author(id="a", name="Ada"))
        yield opened


def test_derived_actions_validate_an_object_with_its_copied_values(blog: Blog) -> None:
    blog.put(Author(id="b", name="Benjamin"))
    with pytest.raises(InvalidValue, match=r"Post.author_name: 'Benjamin' is invalid"):
        blog.create(Post(id="p", author="b"))
    assert blog.get(key(Post, id="p")) is None


def test_update_copies_rejects_a_change_that_makes_a_copy_invalid(blog: Blog) -> None:
    blog.create(Post(id="p", author="a"))
    with pytest.raises(InvalidValue):
        blog.update(key(Author, id="a"), field(Author, lambda a: a.name).set("Augusta Ada"))
    assert blog.get(key(Post, id="p")) == Post(id="p", author="a", author_name="Ada")


def test_derived_actions_reject_a_write_that_makes_a_counter_invalid(blog: Blog) -> None:
    blog.create(Post(id="p", author="a"))
    with pytest.raises(InvalidValue):
        blog.create(Post(id="q", author="a"))
    assert blog.get(key(Author, id="a")) == Author(id="a", name="Ada", posts=1)


def test_derived_actions_reject_a_counter_beyond_its_bound_in_the_transaction_of_its_owner(blog: Blog) -> None:
    def create_author_with_two_posts() -> None:
        with blog.transaction() as tx:
            tx.create(Author(id="c", name="Cy"))
            tx.create(Post(id="p", author="c"))
            tx.create(Post(id="q", author="c"))

    with pytest.raises(InvalidValue, match=r"Author.posts: 2 is invalid"):
        create_author_with_two_posts()
    assert blog.get(key(Author, id="c")) is None


def test_derived_actions_let_bulk_writes_fail_for_items_that_exceed_the_bound_of_their_counter(blog: Blog) -> None:
    result = blog.create_many([Post(id=each, author="a") for each in "pqr"])
    assert (result.written, [type(each.reason) for each in result.failed]) == (1, [InvalidValue] * 2)
    assert blog.get(key(Author, id="a")) == Author(id="a", name="Ada", posts=1)


def test_update_copies_rejects_a_copy_that_validation_changes() -> None:
    @entity(
        key=("LINE#{id}", "META"),
        gsi1=("AUTHOR#{author}", "LINE#{id}"),
        copies=[copy(Author, by={"id": "author"}, fields={"name": "author_name"})],
    )
    class Line(pydantic.BaseModel):
        id: str
        author: str
        author_name: str = pydantic.Field(default="", max_length=9)

        @pydantic.field_validator("author_name")
        @classmethod
        def upper(cls, value: str) -> str:
            return value.upper()

    class Lines(Table, entities=[Author, Line], name="lines"):
        pass

    with Lines.open("memory:", create=True) as lines:
        lines.put(Author(id="a", name="ADA"))
        lines.put(Author(id="b", name="Ben"))
        lines.create(Line(id="l", author="a"))
        with pytest.raises(InvalidValue, match=r"Line.author_name: 'Ada' is invalid: validation changes the value"):
            lines.update(key(Author, id="a"), field(Author, lambda a: a.name).set("Ada"))
        with pytest.raises(InvalidValue, match=r"Line.author_name: 'Ben' is invalid: validation changes the value"):
            lines.create(Line(id="m", author="b"))


class Bounded(pydantic.BaseModel):
    id: str
    items: int = 0
    most: int = 1

    @pydantic.model_validator(mode="after")
    def in_order(self) -> Bounded:
        if self.items > self.most:
            raise ValueError("too many")
        return self


@pytest.mark.parametrize("validate", ["whole", "fields"])
def test_derived_data_checks_require_a_counter_to_waive_rules_about_several_fields(validate: Any) -> None:
    owner = entity(key=("BOX#{id}", "META"))(type("Box", (Bounded,), {}))

    @entity(key=("BOX#{box}", "THING#{id}"), counted=[count(owner, by={"id": "box"}, field="items", validate=validate)])
    @dataclass
    class Thing:
        box: str
        id: str

    if validate == "whole":
        with pytest.raises(DesignError, match=r'model_validator.*skip the rule with count\(..., validate="fields"\)'):
            type("Boxes", (Table,), {}, entities=[owner, Thing])
        return
    table: Any = type("Boxes", (Table,), {}, entities=[owner, Thing])
    (found,) = [each for each in check(table.design).findings if each.code == "ST118"]
    assert (found.subject, found.accepted) == ("Thing", 'validate="fields"')


def test_derived_actions_reject_a_write_that_makes_a_mirrored_item_invalid(blog: Blog) -> None:
    with pytest.raises(InvalidValue):
        blog.put(Follow(follower="a", followed="b", note="too long"))
    assert blog.get(key(Follow, follower="a", followed="b")) is None
