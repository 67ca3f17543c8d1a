"""Changes of an update: recorded as they read, and refused where they do not fit the field."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

import pydantic
import pytest

from singletable.errors import DesignError
from singletable.expressions.tree import Change, Constant, Parameter, Path
from singletable.model.changes import field
from singletable.model.entity import entity
from singletable.model.recorder import Argument


class Status(Enum):
    OPEN = "open"


class Address(pydantic.BaseModel):
    city: str
    street: str | None = None


@entity(key="ORDER#{id}")
@dataclass
class Order:
    id: str
    status: str
    total: Decimal
    count: int
    flag: bool
    level: Status
    address: Address
    tags: list[str]
    anything: list  # type: ignore[type-arg]  # users write it
    labels: dict[str, str]
    marks: set[str]
    rank: Status | None = None
    note: str | None = None
    retries: int = 0


def path(*steps: str | int) -> Path:
    return Path(steps)


def changed(pick: Callable[[Any], Any]) -> Any:
    return field(Order, pick)


@pytest.mark.parametrize(
    ("make", "change"),
    [
        (lambda: changed(lambda o: o.status).set("DONE"), Change("SET", path("status"), Constant("DONE"))),
        (lambda: changed(lambda o: o.status).set(Argument("s")), Change("SET", path("status"), Parameter("s"))),
        (lambda: changed(lambda o: o.level).set(Status.OPEN), Change("SET", path("level"), Constant(Status.OPEN))),
        (lambda: changed(lambda o: o.address.city).set("x"), Change("SET", path("address", "city"), Constant("x"))),
        (lambda: changed(lambda o: o.count).add(1), Change("ADD", path("count"), Constant(1))),
        (
            lambda: changed(lambda o: o.total).add(Decimal("0.5")),
            Change("ADD", path("total"), Constant(Decimal("0.5"))),
        ),
        (lambda: changed(lambda o: o.count).add(Argument("n")), Change("ADD", path("count"), Parameter("n"))),
        (lambda: changed(lambda o: o.tags).append(["x"]), Change("APPEND", path("tags"), Constant(["x"]))),
        (lambda: changed(lambda o: o.anything).append([1]), Change("APPEND", path("anything"), Constant([1]))),
        (lambda: changed(lambda o: o.tags).append(Argument("t")), Change("APPEND", path("tags"), Parameter("t"))),
        (lambda: changed(lambda o: o.marks).add({"x"}), Change("ADD", path("marks"), Constant({"x"}))),
        (lambda: changed(lambda o: o.marks).discard({"x"}), Change("DELETE", path("marks"), Constant({"x"}))),
        (lambda: changed(lambda o: o.note).remove(), Change("REMOVE", path("note"))),
        (lambda: changed(lambda o: o.retries).remove(), Change("REMOVE", path("retries"))),
        (lambda: changed(lambda o: o.address.street).remove(), Change("REMOVE", path("address", "street"))),
        (lambda: changed(lambda o: o.labels["x"]).remove(), Change("REMOVE", path("labels", "x"))),
    ],
)
def test_a_change_is_recorded(make: Callable[[], Any], change: Change) -> None:
    made = make()
    assert made.entity is Order
    assert made.change == change


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: changed(lambda o: o.status).set(5), "status is str, and 5 is not"),
        (lambda: changed(lambda o: o.status).set(None), "status is str, and None is not"),
        (lambda: changed(lambda o: o.count).set(True), "count is int, and True is not"),
        (lambda: changed(lambda o: o.address.city).set(5), "city is str, and 5 is not"),
        (lambda: changed(lambda o: o.status).add(1), "status is str; add(...) works on numbers and sets"),
        (lambda: changed(lambda o: o.flag).add(1), "flag is bool; add(...) works on numbers and sets"),
        (lambda: changed(lambda o: o.tags).add(1), "tags is list[str]; add(...) works on numbers and sets"),
        (lambda: changed(lambda o: o.count).add("1"), "count is int, and '1' is not"),
        (lambda: changed(lambda o: o.count).add(0.5), "count is int, and 0.5 is not"),
        (lambda: changed(lambda o: o.count).set(Decimal("0.5")), "count is int, and Decimal('0.5') is not"),
        (lambda: changed(lambda o: o.tags).append(["x", 1]), "tags is list[str], and 1 is no element of it"),
        (lambda: changed(lambda o: o.total).add(None), "total is Decimal, and None is not"),
        (lambda: changed(lambda o: o.status).append(["x"]), "status is str; append(...) works on lists"),
        (lambda: changed(lambda o: o.marks).append(["x"]), "marks is set[str]; append(...) works on lists"),
        (lambda: changed(lambda o: o.tags).append("x"), "'x' is not"),
        (lambda: changed(lambda o: o.count).discard({1}), "count is int; discard(...) works on sets"),
        (lambda: changed(lambda o: o.marks).add("x"), "marks is a set, and 'x' is not a set with members"),
        (lambda: changed(lambda o: o.marks).add(set()), "marks is a set, and set() is not a set with members"),
        (lambda: changed(lambda o: o.marks).discard({"x", 1}), "marks is set[str], and 1 is no element of it"),
        (lambda: changed(lambda o: o.status).remove(), "status is required"),
        (lambda: changed(lambda o: o.address.city).remove(), "city is required"),
        (lambda: changed(lambda o: o.level).set(None), "level is Status, and None is not"),
        (lambda: changed(lambda o: o.statsu).set("x"), "the entity has no field 'statsu'"),
    ],
)
def test_a_change_that_does_not_fit_its_field_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(DesignError) as caught:
        make().check_value()  # as the body of a pattern does
    (problem,) = caught.value.problems
    assert message in problem.message
    assert problem.location is not None
    assert problem.location.file == __file__


def test_a_field_that_is_set_to_none_is_taken_away() -> None:
    # An item is stored without the fields that are None; a NULL would be there for exists().
    assert changed(lambda o: o.note).set(None).change == Change("REMOVE", path("note"))
