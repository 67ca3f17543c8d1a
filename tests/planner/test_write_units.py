"""The cost of a write, including its derived data."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from singletable import (
    GSI,
    Page,
    Table,
    copy,
    count,
    create,
    delete,
    entity,
    field,
    include,
    pattern,
    query,
    update,
)
from singletable.planner.estimate import estimate
from singletable.planner.plan import Plan
from singletable.planner.planner import plan_all
from tests.heat.models import Magazine, SpreadMagazine


def test_write_units_count_copies_in_all_shards() -> None:
    (whole, _), (spread,) = plan_all(Magazine.design), plan_all(SpreadMagazine.design)
    assert isinstance(whole, Plan)
    assert isinstance(spread, Plan)
    assert estimate(Magazine.design, whole).items == 901
    assert estimate(SpreadMagazine.design, spread).items == 901  # a hundred in each of nine shards


def test_write_units_count_one_query_per_shard_to_find_copies() -> None:
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
def test_write_units_of_copies_updated_in_parts_are_what_the_engine_counts(posts: int) -> None:
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


@entity(key=("PROJECT#{id}", "PROJECT"), gsi1=("PROJECTS", "{id}"), expected_bytes=60)
@dataclass
class Project:
    id: str
    tickets: int = 0
    open_tickets: int = 0


@entity(
    key=("TICKET#{id}", "TICKET"),
    counted=[
        count(Project, by={"id": "project"}, field="tickets"),
        count(Project, by={"id": "project"}, field="open_tickets", where=lambda t: t.status == "OPEN"),
    ],
    expected_bytes=120,
)
@dataclass
class Ticket:
    id: str
    project: str
    status: str = "OPEN"
    title: str = ""


class Desk(
    Table,
    entities=[Project, Ticket],
    indexes=[GSI("gsi1", name="GSI1", keys=("GSI1PK", "GSI1SK"), projection=include("open_tickets"))],
):
    """Projects that count all of their tickets, and the open ones, which an index shows."""

    @pattern()
    def projects(self) -> Page[Project]:
        """All projects."""
        return query(Project, hydrate=True)

    @pattern(fanout=9)
    def report(self, ticket: Ticket) -> Ticket:
        """Open a ticket."""
        return create(Ticket)

    @pattern(fanout=9)
    def close_ticket(self, id: str) -> Ticket:
        """Close a ticket."""
        return update(Ticket, field(Ticket, lambda t: t.status).set("CLOSED"))

    @pattern(fanout=9)
    def reassign(self, id: str, project: str) -> Ticket:
        """Give a ticket to another project."""
        return update(Ticket, field(Ticket, lambda t: t.project).set(project))

    @pattern()
    def rename(self, id: str, title: str) -> Ticket:
        """Change what nothing counts."""
        return update(Ticket, field(Ticket, lambda t: t.title).set(title))

    @pattern(fanout=9)
    def remove(self, id: str) -> Ticket | None:
        """Delete a ticket."""
        return delete(Ticket)


def test_write_units_count_one_counter_for_a_changed_condition_and_two_for_a_changed_owner() -> None:
    plans = {each.pattern.name: each for each in plan_all(Desk.design) if isinstance(each, Plan)}
    assert plans["rename"].derived_writes is None
    for name, counters, items in (
        ("report", ("the counter tickets of its Project", "the counter open_tickets of its Project"), 2),
        ("close_ticket", ("the counter open_tickets of its Project",), 2),
        ("reassign", ("the counter tickets of its Project", "the counter open_tickets of its Project"), 3),
        ("remove", ("the counter tickets of its Project", "the counter open_tickets of its Project"), 2),
    ):
        kept = plans[name].derived_writes
        assert kept is not None
        assert kept.what == counters
        assert estimate(Desk.design, plans[name]).items == items


def test_write_units_of_counters_with_a_condition_are_what_the_engine_counts() -> None:
    with Desk.open("memory:", create=True) as desk:
        desk.put(Project("a"))
        desk.put(Project("b"))
        desk.report(Ticket("t", "a", title="x" * 20))
        desk.rename("t", "y" * 20)
        desk.reassign("t", "b")
        desk.close_ticket("t")
        desk.report(Ticket("u", "b", title="x" * 20))
        desk.remove("u")
        measured = desk.metrics.by_pattern
    for outcome in plan_all(Desk.design):
        assert isinstance(outcome, Plan)
        if outcome.pattern.is_write:
            name = outcome.pattern.name
            expected, times = estimate(Desk.design, outcome), 2 if name == "report" else 1
            assert (name, expected.units * times) == (name, measured[name].write_units)
            assert (name, expected.reads * times) == (name, measured[name].read_units)
