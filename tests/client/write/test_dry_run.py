"""`explain` of a write shows its requests, with placeholders for values from a stored item or the clock."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import pytest
from pydantic import BaseModel, Field

from singletable import (
    ArgumentRefused,
    Table,
    copy,
    count,
    create,
    delete,
    entity,
    field,
    native,
    pattern,
    put,
    sparse,
    update,
    upgrade,
)
from singletable.planner.plan import Plan, Verdict
from tests.client.between import between
from tests.client.social import Social, User


@entity(
    key=("TASK#{id}", "META"),
    gsi1=sparse("WHO#{who}", "{state}#{id}"),
    gsi2=("STATE#{state}", "{points:03d}#{id}"),
    by_team=(native("team"), native("points")),
    attributes={"who": "assignee"},
    schema_version=3,
)
@dataclass
class Task:
    """A task."""

    id: str
    state: str
    team: str
    points: int
    who: str | None = None


@upgrade(Task, from_version=1)
@upgrade(Task, from_version=2)
def keep_item(item: dict[str, Any]) -> dict[str, Any]:
    """Return the item unchanged."""
    return item


class Tasks(Table, entities=[Task]):
    """Every kind of write."""

    @pattern()
    def store(self, task: Task) -> Task:
        """Store a task."""
        return put(Task)

    @pattern()
    def add(self, task: Task) -> Task:
        """Add a task."""
        return create(Task)

    @pattern()
    def assign(self, id: str, state: str, who: str) -> Task:
        """Assign the task."""
        return update(Task, field(Task, lambda t: t.who).set(who), where=lambda t: t.state == state)

    @pattern()
    def release(self, id: str, state: str) -> Task:
        """Unassign the task."""
        return update(Task, field(Task, lambda t: t.who).remove(), where=lambda t: t.state == state)

    @pattern(fanout=2)
    def grow(self, id: str) -> Task:
        """Increase the points."""
        return update(Task, field(Task, lambda t: t.points).add(1))

    @pattern()
    def drop(self, id: str) -> Task | None:
        """Delete the task."""
        return delete(Task, where=lambda t: t.state == "DONE")


TASK = Task(id="1", state="OPEN", team="red", points=5)


def parameters(explanation: Any) -> dict[str, Any]:
    (request,) = explanation.requests
    return dict(request.parameters)


def test_a_dry_run_of_a_put_has_all_keys_type_and_version_and_omits_none() -> None:
    assert parameters(Tasks.store.explain(TASK))["Item"] == {
        "PK": {"S": "TASK#1"},
        "SK": {"S": "META"},
        "GSI2PK": {"S": "STATE#OPEN"},
        "GSI2SK": {"S": "005#1"},
        "team": {"S": "red"},
        "points": {"N": "5"},
        "entity_type": {"S": "Task"},
        "schema_v": {"N": "3"},
        "id": {"S": "1"},
        "state": {"S": "OPEN"},
    }


def test_a_dry_run_of_a_create_has_a_condition_that_never_overwrites() -> None:
    made = parameters(Tasks.add.explain(TASK))
    assert made["ConditionExpression"] == "attribute_not_exists(#n0)"
    assert made["ExpressionAttributeNames"] == {"#n0": "PK"}


def names_of(made: dict[str, Any]) -> dict[str, str]:
    return {name: placeholder for placeholder, name in made["ExpressionAttributeNames"].items()}


def test_a_dry_run_shows_all_key_attributes_of_an_item_that_enters_a_sparse_index() -> None:
    made = parameters(Tasks.assign.explain("1", "OPEN", "ada"))
    names = names_of(made)
    assert set(names) == {"GSI1PK", "GSI1SK", "PK", "assignee", "schema_v", "state"}
    assert {"S": "WHO#ada"} in made["ExpressionAttributeValues"].values()
    assert {"S": "OPEN#1"} in made["ExpressionAttributeValues"].values()


def test_a_dry_run_shows_all_key_attributes_of_an_item_that_leaves_a_sparse_index() -> None:
    made = parameters(Tasks.release.explain("1", "OPEN"))
    names = names_of(made)
    removed = made["UpdateExpression"].removeprefix("REMOVE ").split(", ")
    assert set(removed) == {names["GSI1PK"], names["GSI1SK"], names["assignee"]}


def test_plan_writes_needs_a_second_request_for_an_index_key_with_an_unknown_value() -> None:
    plan = Tasks.grow.plan
    assert isinstance(plan, Plan)
    assert (plan.verdict, plan.requests) == (Verdict.DECLARED_FANOUT, 2)


def test_a_dry_run_shows_a_native_key_once_as_the_field_itself() -> None:
    read, made = Tasks.grow.explain("1").requests
    assert (read.operation, made.operation) == ("GetItem", "UpdateItem")
    assert list(made.parameters["ExpressionAttributeNames"].values()).count("points") == 1


@dataclass
class Address:
    """A model inside an item."""

    city: str
    zip: str | None = None


@entity(key=("SHOP#{id}", "META"))
@dataclass
class Shop:
    """A place."""

    id: str
    address: Address
    opened: date


class Shops(Table, entities=[Shop]):
    """Values that are not strings."""

    @pattern()
    def store(self, shop: Shop) -> Shop:
        """Store a shop."""
        return put(Shop)

    @pattern()
    def opened(self, id: str, day: date) -> Shop:
        """Set the opening day."""
        return update(Shop, field(Shop, lambda s: s.opened).set(day))


def test_a_dry_run_shows_a_model_inside_an_item_as_a_map() -> None:
    item = parameters(Shops.store.explain(Shop("1", Address("Paris"), date(2026, 1, 1))))["Item"]
    assert item["address"] == {"M": {"city": {"S": "Paris"}}}


@pytest.mark.parametrize("day", [datetime(2026, 1, 1, tzinfo=UTC), "2026-01-01", 5])
def test_a_dry_run_rejects_an_argument_of_another_type(day: Any) -> None:
    with pytest.raises(ArgumentRefused, match="day must be date"):
        Shops.opened.explain("1", day)


def test_a_dry_run_of_a_delete_shows_its_condition() -> None:
    made = parameters(Tasks.drop.explain("1"))
    assert made["Key"] == {"PK": {"S": "TASK#1"}, "SK": {"S": "META"}}
    assert made["ExpressionAttributeValues"] == {":v0": {"S": "DONE"}, ":v1": {"N": "3"}}
    assert made["ConditionExpression"] == "#n0 = :v0 AND (attribute_not_exists(#n1) OR #n2 = :v1)"


class Desk(Table, entities=[Task, Shop], name="Desk"):
    """A table with writes of every kind."""

    @pattern()
    def store(self, task: Task) -> Task:
        """Store a task."""
        return put(Task)

    @pattern()
    def add(self, task: Task) -> Task:
        """Add a task."""
        return create(Task)

    @pattern()
    def assign(self, id: str, state: str, who: str) -> Task:
        """Assign the task."""
        return update(Task, field(Task, lambda t: t.who).set(who), where=lambda t: t.state == state)

    @pattern(fanout=2)
    def grow(self, id: str) -> Task:
        """Increase the points."""
        return update(Task, field(Task, lambda t: t.points).add(1))

    @pattern()
    def drop(self, id: str) -> Task | None:
        """Delete the task."""
        return delete(Task, where=lambda t: t.state == "OPEN")


def sent(table: Table, call: Any) -> list[tuple[str, Any]]:
    """Return the operations and parameters that a call sends."""
    seen = between(table)
    call()
    return list(zip(seen.operations, seen.requests, strict=True))


def shown(explanation: Any) -> list[tuple[str, Any]]:
    return [(each.operation, json.loads(json.dumps(each.parameters))) for each in explanation.requests]


def test_a_dry_run_shows_a_write_without_a_read_as_sent() -> None:
    with Desk.open("memory:", create=True, name="desk-7") as desk:
        assert sent(desk, lambda: desk.store(TASK)) == shown(desk.store.explain(TASK))
        other = Task("2", "OPEN", "red", 3)
        assert sent(desk, lambda: desk.add(other)) == shown(desk.add.explain(other))
        assert sent(desk, lambda: desk.assign("1", "OPEN", "ada")) == shown(desk.assign.explain("1", "OPEN", "ada"))
        assert sent(desk, lambda: desk.drop("2")) == shown(desk.drop.explain("2"))
        assert desk.drop.explain("2").requests[0].parameters["TableName"] == "desk-7"


def test_a_dry_run_shows_a_placeholder_for_a_value_from_a_read_until_the_item_is_given() -> None:
    with Desk.open("memory:", create=True) as desk:
        desk.store(TASK)
        explained = desk.grow.explain("1")
        read, write = explained.requests
        assert read.operation == "GetItem"
        assert "<GSI2SK computed from the stored item>" in json.dumps(write.parameters)
        assert "<points computed from the stored item>" in json.dumps(write.parameters)
        assert sent(desk, lambda: desk.grow("1")) == shown(explained.given(TASK))


def test_a_dry_run_shows_derived_data_the_clock_and_tokens() -> None:
    user = User(id="u1", email="a@example.org", name="Ada")
    explained = Social.sign_up.explain(user)
    operations = [each.operation for each in explained.requests]
    assert "TransactWriteItems" in operations
    transaction = explained.requests[operations.index("TransactWriteItems")].parameters
    assert transaction["ClientRequestToken"] == "<new token>"
    with Social.open("memory:", create=True) as social:
        real = sent(social, lambda: social.sign_up(user))
        exact = shown(explained.given(None))
    for requests in (real, exact):
        for _, parameters_ in requests:
            parameters_.pop("ClientRequestToken", None)
    assert real == exact


@entity(key=("SHELF#{id}", "META"))
class Shelf(BaseModel):
    """A source of copies with a bounded counter."""

    id: str
    label: str = ""
    books: int = Field(default=0, le=9)


@entity(
    key=("BOOK#{id}", "META"),
    gsi1=("SHELF#{shelf}", "{id}"),
    copies=[copy(Shelf, by={"id": "shelf"}, fields={"label": "shelf_label"})],
    counted=[count(Shelf, by={"id": "shelf"}, field="books")],
)
class Book(BaseModel):
    """An item with copies, which a counter includes."""

    id: str
    shelf: str
    shelf_label: str = ""


class Library(Table, entities=[Shelf, Book], name="library"):
    """Books on shelves."""

    @pattern()
    def place(self, book: Book) -> Book:
        """Store a book."""
        return create(Book)

    @pattern(fanout=100)
    def rename(self, id: str, label: str) -> Shelf:
        """Change the label that books copy."""
        return update(Shelf, field(Shelf, lambda s: s.label).set(label))


def without_tokens(requests: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    for _, each in requests:
        each.pop("ClientRequestToken", None)
    return requests


def test_a_dry_run_with_the_item_given_shows_placeholders_for_values_of_other_items() -> None:
    book = Book(id="1", shelf="s")
    explained = Library.place.explain(book).given(None)
    text = json.dumps(explained.requests[-1].parameters)
    assert "<shelf_label computed from the stored item>" in text
    with Library.open("memory:", create=True) as library:
        library.put(Shelf(id="s", label="Poetry"))
        real = without_tokens(sent(library, lambda: library.place(book)))
    filled = json.loads(
        json.dumps(shown(explained))
        .replace("<shelf_label computed from the stored item>", "Poetry")
        .replace("<label computed from the stored item>", "Poetry")
    )
    assert [tuple(each) for each in without_tokens(filled)] == real


def test_a_dry_run_of_an_update_of_a_source_shows_a_copy() -> None:
    explained = Library.rename.explain("s", "Prose").given(Shelf(id="s", label="Poetry", books=1))
    assert [each.operation for each in explained.requests[:3]] == ["GetItem", "Query", "TransactWriteItems"]
    with Library.open("memory:", create=True) as library:
        library.put(Shelf(id="s", label="Poetry"))
        library.create(Book(id="1", shelf="s"))
        real = sent(library, lambda: library.rename("s", "Prose"))
    assert [operation for operation, _ in real[:3]] == ["GetItem", "Query", "TransactWriteItems"]
    own = explained.requests[2].parameters["TransactItems"][0]
    assert own == real[2][1]["TransactItems"][0]
    expressions = {"UpdateExpression", "ConditionExpression", "ExpressionAttributeNames"}
    theirs, real_copy = explained.requests[2].parameters["TransactItems"][1], real[2][1]["TransactItems"][1]
    assert {name: theirs["Update"][name] for name in expressions} == {
        name: real_copy["Update"][name] for name in expressions
    }


@entity(key=("SESSION#{id}", "META"), ttl="expires_at")
@dataclass
class Session:
    """An item that expires."""

    id: str
    expires_at: datetime


class Sessions(Table, entities=[Session]):
    """Sessions with a condition that depends on the time."""

    @pattern()
    def begin(self, session: Session) -> Session:
        """Begin a session."""
        return create(Session)


def test_a_dry_run_shows_a_placeholder_for_the_time_until_it_is_given() -> None:
    session = Session("s", datetime(2027, 1, 1, tzinfo=UTC))
    explained = Sessions.begin.explain(session)
    assert {"N": "<now>"} in parameters(explained)["ExpressionAttributeValues"].values()
    with Sessions.open("memory:", create=True, now=lambda: 1_790_000_000.0) as table:
        assert sent(table, lambda: table.begin(session)) == shown(explained.given(None, now=1_790_000_000.0))


def test_a_dry_run_of_a_transaction_shows_the_marker_of_its_token() -> None:
    with Desk.open("memory:", create=True) as desk, desk.transaction(token="t1") as tx:
        tx.put(TASK)
        (request,) = tx.explain()
        first, marker = (entry["Put"] for entry in request.parameters["TransactItems"])
        assert first["Item"]["PK"] == {"S": "TASK#1"}
        assert marker["Item"]["PK"] == {"S": "$singletable#token#t1"}
        assert request.parameters["ClientRequestToken"] == "<new token>"
