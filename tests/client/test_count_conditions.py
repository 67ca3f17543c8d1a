"""Counters with a condition: after every kind of write, they equal the number of items that meet the condition."""

# a transaction is a block, and fails at its end
from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import Enum
from typing import Any

import msgspec
import pytest

from singletable import (
    ArgumentRefused,
    ConditionFailed,
    NotFound,
    Page,
    Table,
    contains,
    copy,
    count,
    create,
    delete,
    entity,
    exists,
    get,
    key,
    not_,
    one_of,
    pattern,
    present,
    query,
    update,
    upgrade,
)
from singletable import field as of
from singletable.planner.planned_requests import Request
from tests.client.between import Document, between
from tests.client.places import Place, call


@entity(key=("PROJECT#{id}", "PROJECT"))
@dataclass
class Project:
    id: str
    plan: str = "free"
    tickets: int = 0
    open_tickets: int = 0


@entity(
    key=("TICKET#{id}", "TICKET"),
    gsi1=("PROJECT#{project_id}", "{id}"),
    version="version",
    counted=[
        count(Project, by={"id": "project_id"}, field="tickets"),
        count(Project, by={"id": "project_id"}, field="open_tickets", where=lambda t: t.status == "OPEN"),
    ],
)
@dataclass
class Ticket:
    id: str
    project_id: str | None
    status: str = "OPEN"
    title: str = ""
    version: int = 0


class Desk(Table, entities=[Project, Ticket]):
    """Projects that count their tickets, and separately their open tickets."""

    @pattern()
    def project(self, id: str) -> Project | None:
        return get(Project, consistent=True)

    @pattern()
    def tickets_of(self, project_id: str) -> Page[Ticket]:
        return query(Ticket)

    @pattern(fanout=3)
    def report(self, ticket: Ticket) -> Ticket:
        return create(Ticket)

    @pattern(fanout=3)
    def close_ticket(self, id: str) -> Ticket:
        return update(Ticket, of(Ticket, lambda t: t.status).set("CLOSED"), where=lambda t: t.status == "OPEN")

    @pattern(fanout=3)
    def remove(self, id: str) -> Ticket | None:
        return delete(Ticket)


STATUS = of(Ticket, lambda t: t.status)
TITLE = of(Ticket, lambda t: t.title)
OWNER = of(Ticket, lambda t: t.project_id)


@pytest.fixture
def desk(place: Place) -> Iterator[Desk]:
    place.needs("transactions")
    with place.open(Desk) as opened:
        opened.put_many([Project("a"), Project("b")])
        yield opened


def counts(desk: Desk, id: str = "a") -> tuple[int, int]:
    """Return the counters of a project, after comparing them with the number of its tickets."""
    project = desk.project(id)
    assert project is not None
    found = [ticket for ticket in desk.scan(Ticket, reason="test", consistent=True) if ticket.project_id == id]
    assert (project.tickets, project.open_tickets) == (len(found), sum(each.status == "OPEN" for each in found))
    return project.tickets, project.open_tickets


def ticket(number: int, status: str = "OPEN", project: str | None = "a") -> Ticket:
    return Ticket(f"t{number}", project, status)


def named(number: int) -> Any:
    return key(Ticket, id=f"t{number}")


def test_derived_actions_count_only_items_that_meet_the_condition(desk: Desk) -> None:
    desk.create(ticket(1))
    desk.put(ticket(2, "CLOSED"))
    desk.upsert(ticket(3))
    assert counts(desk) == (3, 2)
    desk.delete(named(3))
    desk.delete(named(2))
    assert counts(desk) == (1, 1)


def test_derived_actions_change_the_counter_when_a_field_in_its_condition_changes(desk: Desk) -> None:
    desk.create(ticket(1))
    desk.update(named(1), STATUS.set("CLOSED"))
    assert counts(desk) == (1, 0)
    desk.update(named(1), STATUS.set("CLOSED"))
    assert counts(desk) == (1, 0)
    desk.update(named(1), STATUS.set("OPEN"), TITLE.set("again"))
    assert counts(desk) == (1, 1)


def test_derived_actions_need_no_request_for_a_field_outside_the_count_condition(desk: Desk) -> None:
    desk.create(ticket(1))
    desk.metrics.reset()
    desk.update(named(1), TITLE.set("renamed"))
    assert desk.metrics.total.requests == 1
    assert counts(desk) == (1, 1)


def test_derived_actions_change_both_counters_when_owner_and_condition_change(desk: Desk) -> None:
    desk.create(ticket(1))
    desk.update(named(1), OWNER.set("b"))
    assert (counts(desk), counts(desk, "b")) == ((0, 0), (1, 1))
    desk.update(named(1), OWNER.set("a"), STATUS.set("CLOSED"))
    assert (counts(desk), counts(desk, "b")) == ((1, 0), (0, 0))
    desk.update(named(1), OWNER.set(None), STATUS.set("OPEN"))
    assert (counts(desk), counts(desk, "b")) == ((0, 0), (0, 0))


def test_derived_actions_count_again_when_whole_objects_are_replaced(desk: Desk) -> None:
    first = desk.create(ticket(1))
    closed = desk.put(replace(first, status="CLOSED"))
    assert counts(desk) == (1, 0)
    desk.put(replace(closed, status="OPEN", project_id="b"))
    assert (counts(desk), counts(desk, "b")) == ((0, 0), (1, 1))
    desk.upsert(ticket(1, "CLOSED", "a"))
    assert (counts(desk), counts(desk, "b")) == ((1, 0), (0, 0))
    desk.edit(named(1), lambda each: replace(each, status="OPEN"))
    assert counts(desk) == (1, 1)


def test_derived_actions_change_the_counter_of_a_moved_item(desk: Desk) -> None:
    first = desk.create(ticket(1))
    moved = desk.move(first, replace(first, id="t2", status="CLOSED"))
    assert counts(desk) == (1, 0)
    desk.move(moved, replace(moved, id="t3", project_id="b", status="OPEN"))
    assert (counts(desk), counts(desk, "b")) == ((0, 0), (1, 1))


def test_derived_actions_of_patterns_that_write_keep_the_counter_in_sync(desk: Desk) -> None:
    desk.report(ticket(1))
    assert counts(desk) == (1, 1)
    assert desk.close_ticket("t1").status == "CLOSED"
    assert counts(desk) == (1, 0)
    with pytest.raises(ConditionFailed):
        desk.close_ticket("t1")
    assert counts(desk) == (1, 0)
    desk.remove("t1")
    assert counts(desk) == (0, 0)


def test_derived_actions_of_bulk_writes_keep_the_counter_in_sync(desk: Desk) -> None:
    states = ["OPEN", "CLOSED"]
    assert not desk.create_many([ticket(number, states[number % 2]) for number in range(60)]).failed
    assert counts(desk) == (60, 30)
    assert not desk.update_many([named(number) for number in range(40)], STATUS.set("CLOSED")).failed
    assert counts(desk) == (60, 10)
    assert not desk.delete_many([named(number) for number in range(20, 50)]).failed
    assert counts(desk) == (30, 5)
    assert not desk.put_many([replace(each, status="OPEN") for each in desk.tickets_of.all("a")]).failed
    assert counts(desk) == (30, 30)


def test_derived_actions_add_up_the_counter_changes_of_a_transaction(desk: Desk) -> None:
    with desk.transaction() as tx:
        tx.create(Project("c"))
        for number in range(3):
            tx.create(ticket(number, "OPEN" if number else "CLOSED", "c"))
    assert counts(desk, "c") == (3, 2)
    with desk.transaction() as tx:
        tx.update(named(0), STATUS.set("OPEN"))
        tx.update(named(1), STATUS.set("CLOSED"))
        tx.delete(named(2))
        tx.create(ticket(4, "OPEN", "c"))
    assert counts(desk, "c") == (3, 2)
    with desk.transaction() as tx:
        tx.update(named(0), STATUS.set("CLOSED"), OWNER.set("b"))
        tx.update(named(1), OWNER.set("a"))
    assert (counts(desk, "a"), counts(desk, "b"), counts(desk, "c")) == ((1, 0), (1, 0), (1, 1))


def test_derived_actions_that_cancel_out_leave_the_counter_as_it_is(desk: Desk) -> None:
    desk.create(ticket(1))
    desk.create(ticket(2, "CLOSED"))
    with desk.transaction() as tx:
        tx.update(named(1), STATUS.set("CLOSED"))
        tx.update(named(2), STATUS.set("OPEN"))
    assert counts(desk) == (2, 1)


def test_derived_actions_need_no_owner_for_an_item_that_is_not_counted() -> None:
    with Alone.open("memory:") as alone:
        alone.create(Task("1", "nowhere", "DONE"))
        with pytest.raises(NotFound, match="Board with id='nowhere' does not exist, so it cannot count Task"):
            alone.create(Task("2", "nowhere"))
        with pytest.raises(NotFound, match="Board with id='nowhere' does not exist"):
            alone.update(key(Task, id="1"), of(Task, lambda t: t.status).set("OPEN"))


@entity(key=("BOARD#{id}", "BOARD"))
@dataclass
class Board:
    id: str
    open_tasks: int = 0


@entity(
    key=("TASK#{id}", "TASK"),
    counted=[count(Board, by={"id": "board"}, field="open_tasks", where=lambda t: t.status != "DONE")],
)
@dataclass
class Task:
    id: str
    board: str
    status: str = "OPEN"


class Alone(Table, entities=[Board, Task]):
    """A board that counts only its open tasks."""


def test_derived_actions_delete_an_owner_only_if_its_counters_are_zero(place: Place) -> None:
    place.needs("transactions")
    with place.open(Alone) as alone:
        alone.create(Board("b"))
        alone.create(Task("1", "b"))
        with pytest.raises(ConditionFailed, match="has open_tasks = 1: it still counts other items"):
            alone.delete(key(Board, id="b"))
        alone.update(key(Task, id="1"), of(Task, lambda t: t.status).set("DONE"))
        assert alone.delete(key(Board, id="b")) == Board("b")  # no counter counts the task
        assert alone.get(key(Task, id="1")) == Task("1", "b", "DONE")
        alone.delete(key(Task, id="1"))
        alone.create(Board("b"))
        alone.create(Task("2", "b"))
        with alone.transaction() as tx:
            tx.delete(key(Board, id="b"))
            tx.update(key(Task, id="2"), of(Task, lambda t: t.status).set("DONE"))
        assert alone.get(key(Board, id="b")) is None


def test_derived_actions_let_only_counted_items_change_a_counter(desk: Desk) -> None:
    desk.create(ticket(1))
    with pytest.raises(ArgumentRefused, match="Project counts other items in open_tickets"):
        desk.update(key(Project, id="a"), of(Project, lambda p: p.open_tickets).set(9))
    assert desk.put(Project("a", "pro", 7, 7)) == Project("a", "pro", 1, 1)


def test_a_dry_run_shows_the_counters_of_the_transaction() -> None:
    def counters(requests: Sequence[Request]) -> list[tuple[str, str]]:
        sent = next(each.parameters for each in requests if each.operation == "TransactWriteItems")
        (change,) = (
            each["Update"] for each in sent["TransactItems"] if "PROJECT" in str(each.get("Update", {}).get("Key"))
        )
        names = [name for name in change["ExpressionAttributeNames"].values() if name != "PK"]
        return list(zip(names, [each["N"] for each in change["ExpressionAttributeValues"].values()], strict=True))

    assert counters(Desk.report.explain(ticket(1)).requests) == [("tickets", "1"), ("open_tickets", "1")]
    assert counters(Desk.report.explain(ticket(1, "CLOSED")).requests) == [("tickets", "1")]
    assert counters(Desk.close_ticket.explain("t1").requests) == [("open_tickets", "-1")]
    assert counters(Desk.remove.explain("t1").requests) == [("tickets", "-1"), ("open_tickets", "-1")]
    assert counters(Desk.remove.explain("t1").given(ticket(1, "CLOSED")).requests) == [("tickets", "-1")]


# Races


def _before_the_transaction(desk: Desk, write: Callable[[], object]) -> Callable[[str, Document], None]:
    """Write immediately before the first transaction is sent."""
    pending = [write]

    def comes(operation: str, _: Document) -> None:
        if operation == "TransactWriteItems" and pending:
            pending.pop()()

    return comes


@pytest.mark.parametrize(
    "other",
    [
        lambda desk: desk.update(named(1), STATUS.set("CLOSED")),
        lambda desk: desk.update(named(1), OWNER.set("b")),
        lambda desk: desk.update(named(1), OWNER.set("b"), STATUS.set("CLOSED")),
        lambda desk: desk.put(Ticket("t1", "b", "OPEN", "x", 1)),
    ],
    ids=["closes it too", "moves it", "closes and moves it", "replaces it"],
)
def test_derived_actions_count_an_item_that_two_writers_change_once(
    desk: Desk, other: Callable[[Desk], object]
) -> None:
    desk.create(ticket(1))
    between(desk, request=_before_the_transaction(desk, lambda: other(desk)))
    desk.update(named(1), STATUS.set("CLOSED"))
    assert (counts(desk)[1], counts(desk, "b")[1]) == (0, 0)


def test_derived_actions_do_not_count_down_twice_if_another_writer_deletes_the_item(desk: Desk) -> None:
    desk.create(ticket(1))
    desk.create(ticket(2))
    between(desk, request=_before_the_transaction(desk, lambda: desk.delete(named(1))))
    with pytest.raises(NotFound):
        desk.update(named(1), STATUS.set("CLOSED"))
    assert counts(desk) == (1, 1)


def test_derived_actions_of_concurrent_writers_count_each_item_once() -> None:
    async def race(desk: Desk) -> None:
        async def closer() -> None:
            for number in range(6):
                with suppress(ConditionFailed):
                    await desk.close_ticket.aio(f"t{number}")

        await asyncio.gather(*(closer() for _ in range(4)))

    with Desk.open("memory:") as desk:
        desk.create(Project("a"))
        for number in range(8):
            desk.create(ticket(number))
        asyncio.run(race(desk))
        assert counts(desk) == (8, 2)


# Copies in conditions


@entity(key=("USER#{id}", "USER"))
@dataclass
class User:
    id: str
    plan: str = "free"
    paid_posts: int = 0


@entity(key=("TOPIC#{id}", "TOPIC"))
@dataclass
class Topic:
    id: str
    paid_posts: int = 0


@entity(
    key=("POST#{id}", "POST"),
    gsi1=("USER#{author}", "{id}"),
    copies=[copy(User, by={"id": "author"}, fields={"plan": "author_plan"}, in_parts=True)],
    counted=[
        count(Topic, by={"id": "topic"}, field="paid_posts", where=lambda p: p.author_plan == "pro"),
        count(User, by={"id": "author"}, field="paid_posts", where=lambda p: p.author_plan == "pro"),
    ],
)
@dataclass
class Post:
    id: str
    author: str
    topic: str = "x"
    author_plan: str = ""


class Forum(Table, entities=[User, Topic, Post]):
    """Posts that copy the plan of their author. The plan is the condition of a counter."""

    @pattern()
    def posts_of(self, author: str) -> Page[Post]:
        return query(Post)


PLAN = of(User, lambda u: u.plan)


def _paid(forum: Forum) -> dict[str, int]:
    """Return the counters of topics and users, after comparing them with the number of posts."""
    posts = list(forum.scan(Post, reason="test", consistent=True))
    found: dict[str, int] = {}
    for owner in (*forum.scan(Topic, reason="test"), *forum.scan(User, reason="test")):
        expected = sum(owner.id in (each.topic, each.author) and each.author_plan == "pro" for each in posts)
        assert owner.paid_posts == expected
        found[owner.id] = owner.paid_posts
    return found


@pytest.mark.parametrize("posts", [3, 120], ids=["one transaction", "in parts"])
def test_update_copies_changes_a_counter_whose_condition_reads_the_copy(posts: int) -> None:
    with Forum.open("memory:") as forum:
        forum.put_many([User("u"), User("v", "pro"), Topic("x"), Topic("y")])
        forum.create_many([Post(f"p{number}", "u", "y" if number == 1 else "x") for number in range(posts)])
        assert _paid(forum) == {"x": 0, "y": 0, "u": 0, "v": 0}
        forum.update(key(User, id="u"), PLAN.set("pro"))
        assert _paid(forum) == {"x": posts - 1, "y": 1, "u": posts, "v": 0}
        if posts < 100:
            forum.put(User("u", "free"))
            assert _paid(forum) == {"x": 0, "y": 0, "u": 0, "v": 0}


def test_update_copies_changes_counters_when_source_and_condition_change_together() -> None:
    with Forum.open("memory:") as forum:
        forum.put_many([User("u"), User("v", "pro"), Topic("x"), Topic("y")])
        forum.create(Post("p", "u"))
        forum.update(key(Post, id="p"), of(Post, lambda p: p.author).set("v"))
        assert _paid(forum) == {"x": 1, "y": 0, "u": 0, "v": 1}
        forum.update(key(Post, id="p"), of(Post, lambda p: p.topic).set("y"))
        assert _paid(forum) == {"x": 0, "y": 1, "u": 0, "v": 1}
        with forum.transaction() as tx:
            tx.update(key(User, id="u"), PLAN.set("pro"))
            tx.update(key(User, id="v"), PLAN.set("free"))
            tx.create(Post("q", "u"))
        assert _paid(forum) == {"x": 1, "y": 0, "u": 1, "v": 0}


# Stored names, types, and missing values.


class Level(Enum):
    LOW = 1
    HIGH = 2


class Spot(msgspec.Struct):
    city: str
    floor: int | None = None


@entity(key=("FLEET#{id}", "FLEET"), attributes={"strong": "n"})
@dataclass
class Fleet:
    id: str
    strong: int = 0
    without_note: int = 0
    in_oslo: int = 0
    tagged: int = 0
    other_note: int = 0
    with_label: int = 0
    pair: int = 0


def _of_fleet(counter: str, where: Callable[[Any], bool]) -> Any:
    return count(Fleet, by={"id": "fleet"}, field=counter, where=where)


@entity(
    key=("CAR#{id}", "CAR"),
    attributes=lambda name: f"a_{name}",
    counted=[
        _of_fleet("strong", lambda c: (c.level == Level.HIGH) & (c.weight >= Decimal("2.50"))),
        _of_fleet("without_note", lambda c: not_(exists(c.note))),
        _of_fleet("in_oslo", lambda c: (c.at.city == "Oslo") & (present(c.at.floor) > 1)),
        _of_fleet("tagged", lambda c: contains(c.tags, "new") | one_of(c.note, "x", "y")),
        _of_fleet("other_note", lambda c: c.note != "x"),
        _of_fleet("with_label", lambda c: exists(c.label)),
        _of_fleet("pair", lambda c: c.note == c.label),
    ],
)
@dataclass
class Car:
    id: str
    fleet: str = "f"
    level: Level = Level.LOW
    weight: Decimal = Decimal(0)
    note: str | None = None
    label: str | None = "unnamed"
    at: Spot | None = None
    tags: set[str] = field(default_factory=set)


class Fleets(Table, entities=[Fleet, Car]):
    """Counters with conditions that read all kinds of values."""


@pytest.mark.parametrize(
    ("car", "counted"),
    [
        (Car("c", level=Level.HIGH, weight=Decimal("2.5")), {"strong", "without_note", "other_note", "with_label"}),
        (Car("c", level=Level.HIGH, weight=Decimal("2.49"), note="x"), {"tagged", "with_label"}),
        (Car("c", at=Spot("Oslo", 2), note="z"), {"in_oslo", "other_note", "with_label"}),
        (Car("c", at=Spot("Oslo"), label=None), {"without_note", "other_note"}),
        (Car("c", tags={"new", "old"}, note="", label=""), {"tagged", "other_note", "with_label", "pair"}),
    ],
)
def test_derived_actions_evaluate_a_count_condition_on_stored_values(place: Place, car: Car, counted: set[str]) -> None:
    place.needs("transactions")
    with place.open(Fleets) as fleets:
        fleets.create(Fleet("f"))
        fleets.create(car)
        found = fleets.get(key(Fleet, id="f"))
        names = ("strong", "without_note", "in_oslo", "tagged", "other_note", "with_label", "pair")
        assert {name for name in names if getattr(found, name)} == counted
        fleets.put(Car("c", at=Spot("Oslo", 2), note="z"))
        fleets.delete(key(Car, id="c"))
        assert fleets.get(key(Fleet, id="f")) == Fleet("f")


def test_derived_actions_evaluate_a_count_condition_after_changes_inside_of_a_field() -> None:
    with Fleets.open("memory:") as fleets:
        fleets.create(Fleet("f"))
        fleets.create(Car("c", at=Spot("Oslo", 1), label=None))
        fleets.update(key(Car, id="c"), of(Car, lambda c: present(c.at).floor).set(2))
        assert fleets.get(key(Fleet, id="f")) == Fleet("f", without_note=1, other_note=1, in_oslo=1)
        fleets.update(key(Car, id="c"), of(Car, lambda c: c.tags).add({"new"}), of(Car, lambda c: c.note).set("y"))
        assert fleets.get(key(Fleet, id="f")) == Fleet("f", tagged=1, other_note=1, in_oslo=1)
        fleets.update(key(Car, id="c"), of(Car, lambda c: c.note).remove(), of(Car, lambda c: c.label).set("n"))
        assert fleets.get(key(Fleet, id="f")) == Fleet(
            "f", without_note=1, tagged=1, other_note=1, in_oslo=1, with_label=1
        )


# Trees and older items


@entity(key=("TREE#{id}", "TREE"))
@dataclass
class Tree:
    id: str
    open_nodes: int = 0


@entity(
    key=("TREE#{tree}", "NODE#{path}"),
    identity=("tree", "path"),
    counted=[count(Tree, by={"id": "tree"}, field="open_nodes", where=lambda n: n.status == "OPEN")],
)
@dataclass(frozen=True)
class Node:
    tree: str
    path: tuple[str, ...]
    status: str = "OPEN"


class Trees(Table, entities=[Tree, Node]):
    """Nodes that are counted while they are open."""


def test_move_subtree_leaves_counters_with_a_condition_as_before() -> None:
    with Trees.open("memory:") as trees:
        trees.create(Tree("t"))
        trees.create_many([Node("t", ("a", str(n)), "OPEN" if n % 2 else "CLOSED") for n in range(9)])
        trees.create(Node("t", ("a",)))
        assert trees.move_subtree(key(Node, tree="t", path=("a",)), to=("b", "c")) == 10
        assert trees.get(key(Tree, id="t")) == Tree("t", 5)
        assert not trees.delete_many([key(Node, tree="t", path=("b", "c", str(n))) for n in range(9)]).failed
        assert trees.get(key(Tree, id="t")) == Tree("t", 1)


def test_delete_collection_deletes_items_that_no_counter_counts() -> None:
    with Trees.open("memory:") as trees:
        trees.create(Tree("t"))
        trees.create_many([Node("t", (str(n),), "OPEN" if n % 2 else "CLOSED") for n in range(9)])
        assert not trees.delete_collection(key(Tree, id="t")).failed
        assert not list(trees.scan(reason="test"))


@entity(
    key=("JOB#{id}", "JOB"),
    schema_version=2,
    counted=[count(Board, by={"id": "board"}, field="open_tasks", where=lambda t: t.status == "OPEN")],
)
@dataclass
class Job:
    id: str
    board: str
    status: str
    note: str = ""


@upgrade(Job, from_version=1)
def rename_state(item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "status": item["state"]}


class Jobs(Table, entities=[Board, Job]):
    """Jobs whose status had a different name before."""


def test_derived_actions_evaluate_a_count_condition_on_the_upgraded_item() -> None:
    with Jobs.open("memory:") as jobs:
        jobs.create(Board("b"))
        jobs.create(Job("j", "b", "OPEN"))
        older = {"PK": {"S": "JOB#j"}, "SK": {"S": "JOB"}, "entity_type": {"S": "Job"}, "id": {"S": "j"}}
        older |= {"board": {"S": "b"}, "state": {"S": "OPEN"}}
        call(jobs, "PutItem", Item=older)
        jobs.update(key(Job, id="j"), of(Job, lambda j: j.note).set("x"))
        assert jobs.get(key(Board, id="b")) == Board("b", 1)
        call(jobs, "PutItem", Item=older)
        jobs.update(key(Job, id="j"), of(Job, lambda j: j.status).set("DONE"))
        assert jobs.get(key(Board, id="b")) == Board("b", 0)
