"""Changes of an update, and the errors for invalid ones."""

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
from singletable.model.condition_recorder import ParameterPlaceholder
from singletable.model.entity import entity
from singletable.model.update_changes import field


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
        (
            lambda: changed(lambda o: o.status).set(ParameterPlaceholder("s")),
            Change("SET", path("status"), Parameter("s")),
        ),
        (lambda: changed(lambda o: o.level).set(Status.OPEN), Change("SET", path("level"), Constant(Status.OPEN))),
        (lambda: changed(lambda o: o.address.city).set("x"), Change("SET", path("address", "city"), Constant("x"))),
        (lambda: changed(lambda o: o.count).add(1), Change("ADD", path("count"), Constant(1))),
        (
            lambda: changed(lambda o: o.total).add(Decimal("0.5")),
            Change("ADD", path("total"), Constant(Decimal("0.5"))),
        ),
        (
            lambda: changed(lambda o: o.count).add(ParameterPlaceholder("n")),
            Change("ADD", path("count"), Parameter("n")),
        ),
        (lambda: changed(lambda o: o.tags).append(["x"]), Change("APPEND", path("tags"), Constant(["x"]))),
        (lambda: changed(lambda o: o.anything).append([1]), Change("APPEND", path("anything"), Constant([1]))),
        (
            lambda: changed(lambda o: o.tags).append(ParameterPlaceholder("t")),
            Change("APPEND", path("tags"), Parameter("t")),
        ),
        (lambda: changed(lambda o: o.marks).add({"x"}), Change("ADD", path("marks"), Constant({"x"}))),
        (lambda: changed(lambda o: o.marks).discard({"x"}), Change("DELETE", path("marks"), Constant({"x"}))),
        (lambda: changed(lambda o: o.note).remove(), Change("REMOVE", path("note"))),
        (lambda: changed(lambda o: o.retries).remove(), Change("REMOVE", path("retries"))),
        (lambda: changed(lambda o: o.address.street).remove(), Change("REMOVE", path("address", "street"))),
        (lambda: changed(lambda o: o.labels["x"]).remove(), Change("REMOVE", path("labels", "x"))),
    ],
)
def test_update_changes_are_recorded(make: Callable[[], Any], change: Change) -> None:
    made = make()
    assert made.entity is Order
    assert made.change == change


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: changed(lambda o: o.status).set(5), "status is str, but the value is 5"),
        (lambda: changed(lambda o: o.status).set(None), "status is str, but the value is None"),
        (lambda: changed(lambda o: o.count).set(True), "count is int, but the value is True"),
        (lambda: changed(lambda o: o.address.city).set(5), "city is str, but the value is 5"),
        (lambda: changed(lambda o: o.status).add(1), "status is str, but add(...) needs a number or a set"),
        (lambda: changed(lambda o: o.flag).add(1), "flag is bool, but add(...) needs a number or a set"),
        (lambda: changed(lambda o: o.tags).add(1), "tags is list[str], but add(...) needs a number or a set"),
        (lambda: changed(lambda o: o.count).add("1"), "count is int, but the value is '1'"),
        (lambda: changed(lambda o: o.count).add(0.5), "count is int, but the value is 0.5"),
        (lambda: changed(lambda o: o.count).set(Decimal("0.5")), "count is int, but the value is Decimal('0.5')"),
        (lambda: changed(lambda o: o.tags).append(["x", 1]), "tags is list[str], but an element is 1"),
        (lambda: changed(lambda o: o.total).add(None), "total is Decimal, but the value is None"),
        (lambda: changed(lambda o: o.status).append(["x"]), "status is str, but append(...) needs a list"),
        (lambda: changed(lambda o: o.marks).append(["x"]), "marks is set[str], but append(...) needs a list"),
        (lambda: changed(lambda o: o.tags).append("x"), "but got 'x'"),
        (lambda: changed(lambda o: o.count).discard({1}), "count is int, but discard(...) needs a set"),
        (lambda: changed(lambda o: o.marks).add("x"), "marks is a set, so a non-empty set is required; got 'x'"),
        (lambda: changed(lambda o: o.marks).add(set()), "marks is a set, so a non-empty set is required; got set()"),
        (lambda: changed(lambda o: o.marks).discard({"x", 1}), "marks is set[str], but an element is 1"),
        (lambda: changed(lambda o: o.status).remove(), "status is required"),
        (lambda: changed(lambda o: o.address.city).remove(), "city is required"),
        (lambda: changed(lambda o: o.level).set(None), "level is Status, but the value is None"),
        (lambda: changed(lambda o: o.statsu).set("x"), "the entity has no field 'statsu'"),
    ],
)
def test_update_changes_reject_an_invalid_change(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(DesignError) as caught:
        make().check_value()  # as the body of a pattern does
    (problem,) = caught.value.problems
    assert message in problem.message
    assert problem.location is not None
    assert problem.location.file == __file__


def test_update_changes_remove_a_field_that_is_set_to_none() -> None:
    # None fields are not stored; a stored NULL would satisfy exists().
    assert changed(lambda o: o.note).set(None).change == Change("REMOVE", path("note"))
