"""Intents: the functions of pattern bodies, and pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from singletable.errors import DesignError
from singletable.expressions.tree import And, Change, Compare, Constant, Path
from singletable.model.condition_recorder import ParameterPlaceholder
from singletable.model.entity import entity
from singletable.model.intents import (
    CollectionIntent,
    GetIntent,
    ItemWriteIntent,
    Page,
    QueryIntent,
    WithinIntent,
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
from singletable.model.update_changes import field

GIVEN: Any = ParameterPlaceholder("given")
LEAST: Any = ParameterPlaceholder("least")


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
        (lambda: get(Order), GetIntent(Order, None, None, False)),
        (lambda: get(Order, view=Shape, consistent=True), GetIntent(Order, None, Shape, True)),
        (lambda: get(Order, where=lambda o: o.status == "OPEN"), GetIntent(Order, OPEN, None, False)),
        (lambda: query(Order), QueryIntent(Order, None, None, None, False, None, None, False, False)),
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
            QueryIntent(
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
        (lambda: collection(Shape, newest_first=True, limit=2), CollectionIntent(Shape, True, 2, False)),
        (lambda: within(Order, filter=lambda o: o.status == "OPEN"), WithinIntent(Order, OPEN)),
        (lambda: put(Order), ItemWriteIntent("put", Order)),
        (lambda: create(Order), ItemWriteIntent("create", Order)),
        (lambda: delete(Order, where=lambda o: o.status == "OPEN"), ItemWriteIntent("delete", Order, (), OPEN)),
        (
            lambda: update(Order, STATUS.set("DONE"), where=lambda o: o.status == "OPEN"),
            ItemWriteIntent("update", Order, (Change("SET", Path(("status",)), Constant("DONE")),), OPEN),
        ),
    ],
)
def test_a_pattern_body_returns_an_intent(said: Callable[[], Any], intent: object) -> None:
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
def test_intents_list_the_parameters_used_in_the_body(said: Callable[[], Any], used: set[str]) -> None:
    assert used_parameters(said()) == used


def test_an_intent_combines_two_conditions_with_and() -> None:
    intent: Any = query(Order, filter=lambda o: (o.status == "OPEN") & (o.total > 5))
    assert intent.filter == And((OPEN, Compare(">", Path(("total",)), Constant(5))))


def test_an_update_intent_rejects_fields_of_other_entities() -> None:
    with pytest.raises(DesignError, match="Customer"):
        update(Order, field(Customer, lambda c: c.status).set("x"))  # type: ignore[misc]  # that is the point


def test_an_update_intent_without_changes_is_rejected() -> None:
    with pytest.raises(DesignError, match="has no changes"):
        update(Order)


def test_an_update_intent_rejects_overlapping_changes() -> None:
    # DynamoDB rejects two clauses on one path, or on a path and a part of it.
    with pytest.raises(DesignError, match="status"):
        update(Order, STATUS.set("a"), STATUS.set("b"))


@pytest.mark.parametrize("limit", [0, -1, True, "5", 1.5])
def test_an_intent_has_a_limit_of_at_least_one(limit: Any) -> None:
    with pytest.raises(DesignError, match="limit"):
        query(Order, limit=limit)
    with pytest.raises(DesignError, match="limit"):
        collection(Shape, limit=limit)


def test_a_page_of_a_query_intent_iterates_over_its_items() -> None:
    page = Page([1, 2, 3], "next")
    assert list(page) == [1, 2, 3]
    assert len(page) == 3
    assert page.cursor == "next"


def test_the_last_page_of_a_query_intent_has_no_cursor() -> None:
    assert Page(()).cursor is None
    assert not list(Page(()))
