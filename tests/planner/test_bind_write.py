"""Writes become one request that keeps every index key in line with the fields."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import pytest

from singletable import (
    ArgumentRefused,
    Table,
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
    """Something to do."""

    id: str
    state: str
    team: str
    points: int
    who: str | None = None


@upgrade(Task, from_version=1)
@upgrade(Task, from_version=2)
def as_it_was(item: dict[str, Any]) -> dict[str, Any]:
    """Nothing that is stored changes."""
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
        """Give it to somebody."""
        return update(Task, field(Task, lambda t: t.who).set(who), where=lambda t: t.state == state)

    @pattern()
    def release(self, id: str, state: str) -> Task:
        """Take it from whoever has it."""
        return update(Task, field(Task, lambda t: t.who).remove(), where=lambda t: t.state == state)

    @pattern(fanout=2)
    def grow(self, id: str) -> Task:
        """Make it harder."""
        return update(Task, field(Task, lambda t: t.points).add(1))

    @pattern()
    def drop(self, id: str) -> Task | None:
        """Delete it."""
        return delete(Task, where=lambda t: t.state == "DONE")


TASK = Task(id="1", state="OPEN", team="red", points=5)


def parameters(explanation: Any) -> dict[str, Any]:
    (request,) = explanation.requests
    return dict(request.parameters)


def test_a_put_has_every_key_type_and_version_and_leaves_out_what_is_none() -> None:
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


def test_a_create_never_overwrites() -> None:
    made = parameters(Tasks.add.explain(TASK))
    assert made["ConditionExpression"] == "attribute_not_exists(#n0)"
    assert made["ExpressionAttributeNames"] == {"#n0": "PK"}


def names_of(made: dict[str, Any]) -> dict[str, str]:
    return {name: placeholder for placeholder, name in made["ExpressionAttributeNames"].items()}


def test_an_item_enters_a_sparse_index_with_all_its_key_attributes() -> None:
    made = parameters(Tasks.assign.explain("1", "OPEN", "ada"))
    names = names_of(made)
    assert set(names) == {"GSI1PK", "GSI1SK", "assignee", "schema_v", "state"}
    assert {"S": "WHO#ada"} in made["ExpressionAttributeValues"].values()
    assert {"S": "OPEN#1"} in made["ExpressionAttributeValues"].values()


def test_an_item_leaves_a_sparse_index_with_all_its_key_attributes() -> None:
    made = parameters(Tasks.release.explain("1", "OPEN"))
    names = names_of(made)
    removed = made["UpdateExpression"].removeprefix("REMOVE ").split(", ")
    assert set(removed) == {names["GSI1PK"], names["GSI1SK"], names["assignee"]}


def test_a_key_that_depends_on_an_unknown_value_is_a_second_request_to_declare() -> None:
    plan = Tasks.grow.plan
    assert isinstance(plan, Plan)
    assert (plan.verdict, plan.requests) == (Verdict.DECLARED_FANOUT, 2)


def test_a_native_key_is_written_once_as_the_field_itself() -> None:
    made = parameters(Tasks.grow.explain("1"))
    assert list(made["ExpressionAttributeNames"].values()).count("points") == 1


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
    """Values that are no plain text."""

    @pattern()
    def store(self, shop: Shop) -> Shop:
        """Store a shop."""
        return put(Shop)

    @pattern()
    def opened(self, id: str, day: date) -> Shop:
        """Say when it opened."""
        return update(Shop, field(Shop, lambda s: s.opened).set(day))


def test_a_model_inside_an_item_is_stored_as_a_map() -> None:
    item = parameters(Shops.store.explain(Shop("1", Address("Paris"), date(2026, 1, 1))))["Item"]
    assert item["address"] == {"M": {"city": {"S": "Paris"}}}


@pytest.mark.parametrize("day", [datetime(2026, 1, 1, tzinfo=UTC), "2026-01-01", 5])
def test_an_argument_of_another_type_is_never_stored(day: Any) -> None:
    with pytest.raises(ArgumentRefused, match="the pattern takes date"):
        Shops.opened.explain("1", day)


def test_a_delete_carries_its_condition() -> None:
    made = parameters(Tasks.drop.explain("1"))
    assert made["Key"] == {"PK": {"S": "TASK#1"}, "SK": {"S": "META"}}
    assert made["ExpressionAttributeValues"] == {":v0": {"S": "DONE"}, ":v1": {"N": "3"}}
    assert made["ConditionExpression"] == "#n0 = :v0 AND #n1 = :v1"
