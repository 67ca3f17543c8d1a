"""What a write costs with the items that it keeps right."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from singletable import Page, Table, copy, entity, field, pattern, query, update
from singletable.planner.estimate import estimate
from singletable.planner.plan import Plan
from singletable.planner.planner import plan_all
from tests.heat.models import Magazine, SpreadMagazine


def test_copies_in_shards_are_all_counted() -> None:
    (whole, _), (spread,) = plan_all(Magazine.design), plan_all(SpreadMagazine.design)
    assert isinstance(whole, Plan)
    assert isinstance(spread, Plan)
    assert estimate(Magazine.design, whole).items == 901
    assert estimate(SpreadMagazine.design, spread).items == 901  # a hundred in each of nine shards


def test_copies_in_shards_are_found_by_a_query_of_each() -> None:
    (spread,) = plan_all(SpreadMagazine.design)
    assert isinstance(spread, Plan)
    of_items, of_keys = 3 * 900 * 0.5, 3 * 9 * 1.5  # once more, since they follow in parts
    assert estimate(SpreadMagazine.design, spread).reads == of_items + of_keys + 1  # itself, before


@entity(key=("USER#{id}", "USER"), expected_bytes=60)
@dataclass
class User:
    id: str
    name: str


@entity(
    key=("POST#{id}", "POST"),
    gsi1=("USER#{author}", "{id}"),
    copies=[copy(User, by={"id": "author"}, fields={"name": "author_name"}, in_parts=True)],
    expected_bytes=120,
    expected_per_partition={"gsi1": 100},
)
@dataclass
class Post:
    id: str
    author: str
    author_name: str = ""


class Blog(Table, entities=[User, Post]):
    """Posts that carry the name of their author."""

    @pattern()
    def posts_of(self, author: str) -> Page[Post]:
        """What somebody wrote."""
        return query(Post)

    @pattern(rate=1, fanout=100)
    def rename(self, id: str, name: str) -> User:
        """Change a name, and with it all posts."""
        return update(User, field(User, lambda user: user.name).set(name))


@pytest.mark.parametrize("posts", [3, 99, 100, 198, 250])
def test_copies_that_follow_in_parts_cost_what_the_engine_counts(posts: int) -> None:
    with Blog.open("memory:", create=True) as blog:
        blog.create(User("u", "Ada"))
        for number in range(posts):
            blog.create(Post(f"p{number}", "u", "Ada"))
        blog.rename("u", "Eve")
        measured = blog.metrics.by_pattern["rename"]
    _, rename = plan_all(Blog.design)
    assert isinstance(rename, Plan)
    expected = estimate(Blog.design, rename, scale=posts / 100)
    assert expected.units == measured.write_units
    assert expected.reads_by_index["table"] == measured.read_units
