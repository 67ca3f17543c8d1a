"""Intents: what the functions of a pattern's body say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from singletable.errors import DesignError
from singletable.expressions.tree import And, Change, Compare, Constant, Path
from singletable.model.changes import field
from singletable.model.entity import entity
from singletable.model.intents import (
    Collection,
    Get,
    Query,
    Within,
    Write,
    collection,
    create,
    delete,
    get,
    put,
    query,
    update,
    used_parameters,
    within,
)
from singletable.model.recorder import Argument

GIVEN: Any = Argument("given")
LEAST: Any = Argument("least")


@entity(key="ORDER#{id}")
@dataclass
class Order:
    id: str
    status: str
    total: int


@entity(key="CUST#{id}")
@dataclass
class Customer:
    id: str
    status: str


@dataclass
class Shape:
    order: Order


OPEN = Compare("=", Path(("status",)), Constant("OPEN"))
STATUS = field(Order, lambda o: o.status)


@pytest.mark.parametrize(
    ("said", "intent"),
    [
        (lambda: get(Order), Get(Order, None, None, False)),
        (lambda: get(Order, view=Shape, consistent=True), Get(Order, None, Shape, True)),
        (lambda: get(Order, where=lambda o: o.status == "OPEN"), Get(Order, OPEN, None, False)),
        (lambda: query(Order), Query(Order, None, None, None, False, None, None, False, False)),
        (
            lambda: query(
                Order,
                where=lambda o: o.status == "OPEN",
                filter=lambda o: o.total > 5,
                order_by=lambda o: o.total,
                newest_first=True,
                limit=3,
                hydrate=True,
                consistent=True,
            ),
            Query(
                Order,
                OPEN,
                Compare(">", Path(("total",)), Constant(5)),
                Path(("total",)),
                True,
                3,
                None,
                True,
                True,
            ),
        ),
        (lambda: collection(Shape, newest_first=True, limit=2), Collection(Shape, True, 2, False)),
        (lambda: within(Order, filter=lambda o: o.status == "OPEN"), Within(Order, OPEN)),
        (lambda: put(Order), Write("put", Order)),
        (lambda: create(Order), Write("create", Order)),
        (lambda: delete(Order, where=lambda o: o.status == "OPEN"), Write("delete", Order, (), OPEN)),
        (
            lambda: update(Order, STATUS.set("DONE"), where=lambda o: o.status == "OPEN"),
            Write("update", Order, (Change("SET", Path(("status",)), Constant("DONE")),), OPEN),
        ),
    ],
)
def test_a_body_says_what_is_read_or_written(said: Callable[[], Any], intent: object) -> None:
    assert said() == intent


@pytest.mark.parametrize(
    ("said", "used"),
    [
        (lambda: get(Order), set()),
        (lambda: get(Order, where=lambda o: o.id == GIVEN), {"given"}),
        (lambda: query(Order, limit=GIVEN), {"given"}),
        (
            lambda: query(Order, where=lambda o: o.id == GIVEN, filter=lambda o: o.total > LEAST),
            {"given", "least"},
        ),
        (lambda: collection(Shape, limit=GIVEN), {"given"}),
        (lambda: within(Order, filter=lambda o: o.total > LEAST), {"least"}),
        (
            lambda: update(Order, STATUS.set(GIVEN), where=lambda o: o.total > LEAST),
            {"given", "least"},
        ),
        (lambda: put(Order), set()),
    ],
)
def test_the_parameters_that_a_body_uses_itself_are_known(said: Callable[[], Any], used: set[str]) -> None:
    assert used_parameters(said()) == used


def test_a_condition_of_two_is_one_and() -> None:
    intent: Any = query(Order, filter=lambda o: (o.status == "OPEN") & (o.total > 5))
    assert intent.filter == And((OPEN, Compare(">", Path(("total",)), Constant(5))))


def test_an_update_changes_fields_of_its_own_entity() -> None:
    with pytest.raises(DesignError, match="Customer"):
        update(Order, field(Customer, lambda c: c.status).set("x"))  # type: ignore[misc]  # that is the point


def test_an_update_changes_something() -> None:
    with pytest.raises(DesignError, match="changes nothing"):
        update(Order)


def test_an_update_changes_a_field_once() -> None:
    # DynamoDB refuses two clauses on one path, or on a path and a part of it.
    with pytest.raises(DesignError, match="status"):
        update(Order, STATUS.set("a"), STATUS.set("b"))


@pytest.mark.parametrize("limit", [0, -1, True, "5", 1.5])
def test_a_limit_counts_items_from_one_up(limit: Any) -> None:
    with pytest.raises(DesignError, match="limit"):
        query(Order, limit=limit)
    with pytest.raises(DesignError, match="limit"):
        collection(Shape, limit=limit)
