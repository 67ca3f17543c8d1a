"""Bindings: what parameters and constants say of fields, and the parameters that say nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, NewType

import pytest

from singletable.errors import Location
from singletable.expressions.tree import And, Compare, Condition, Constant, Not, Or, Parameter, Path
from singletable.model.areas import Box, Nearest, Radius
from singletable.model.binding import Binding, bindings_for, disagreement, held_values
from singletable.model.changes import field
from singletable.model.declaration import ParameterDeclaration, PatternDeclaration, PatternOptions, declare_pattern
from singletable.model.derived.geocell import geohash
from singletable.model.entity import Entity, declaration_of, entity
from singletable.model.fields import Field
from singletable.model.intents import get, put, query, update, within
from singletable.model.page import Page
from singletable.model.ranges import Between, Children, Equal, Prefix, Present, Since, Subtree, Until
from singletable.model.recorder import begins_with, exists, one_of

OrderId = NewType("OrderId", str)


class Status(Enum):
    OPEN = "open"


@entity(key="ORDER#{id}")
@dataclass
class Order:
    id: OrderId
    customer_id: str
    status: Literal["OPEN", "DONE"]
    total: Decimal
    ratio: float
    count: int
    at: datetime
    day: date
    path: tuple[str, ...]
    level: Status
    tags: list[str]
    note: str | None = None


@entity(key="SHOP#{id}", derived={"cell": geohash("latitude", "longitude", precision=6)})
@dataclass
class Shop:
    id: str
    latitude: float
    longitude: float


@entity(
    key="ROUTE#{id}",
    derived={"start": geohash("a", "b", precision=6), "end": geohash("c", "d", precision=6)},
)
@dataclass
class Route:
    id: str
    a: float
    b: float
    c: float
    d: float


def compiled(cls: type) -> Entity:
    declaration = declaration_of(cls)
    assert declaration is not None
    return Entity(declaration, {})


def declared(function: Callable[..., Any]) -> PatternDeclaration:
    return declare_pattern(function, PatternOptions())


def found(function: Callable[..., Any], cls: type = Order) -> set[Binding]:
    bindings, problems = bindings_for(declared(function), compiled(cls))
    assert problems == ()
    return set(bindings)


def told(function: Callable[..., Any], cls: type = Order) -> tuple[str, str]:
    """The one problem of a pattern and its way out."""
    _, problems = bindings_for(declared(function), compiled(cls))
    (problem,) = problems
    assert problem.location == Location(__file__, function.__code__.co_firstlineno)
    prefix = f"pattern {function.__name__}: "
    assert problem.message.startswith(prefix)
    return problem.message.removeprefix(prefix), problem.remedy or ""


def by_fields(
    self: Any,
    id: str,
    customer_id: Prefix[str],
    total: Between[int],
    ratio: Since[int],
    at: Until[datetime],
    path: Subtree[tuple[str, ...]],
    status: Literal["OPEN"],
    note: str,
    *,
    limit: int = 5,
    cursor: str | None = None,
) -> Page[Order]:
    return query(Order)


def test_parameters_bind_to_the_fields_they_name() -> None:
    tests = {
        "id": Equal,
        "customer_id": Prefix,
        "total": Between,
        "ratio": Since,
        "at": Until,
        "path": Subtree,
        "status": Equal,
        "note": Equal,
    }
    assert found(by_fields) == {Binding((name,), test, Parameter(name)) for name, test in tests.items()}


def where_equal(self: Any, given: str) -> Page[Order]:
    return query(Order, where=lambda o: (o.customer_id == given) & (o.count == 3) & exists(o.note))


def where_one(self: Any) -> Order | None:
    return get(Order, where=lambda o: o.id == "o1")


def test_where_fixes_fields_to_constants_and_parameters() -> None:
    assert found(where_equal) == {
        Binding(("customer_id",), Equal, Parameter("given")),
        Binding(("count",), Equal, Constant(3)),
        Binding(("note",), Present, Constant(None)),
    }
    assert found(where_one) == {Binding(("id",), Equal, Constant("o1"))}


def test_a_binding_is_written_as_messages_name_it() -> None:
    assert Binding(("id",), Equal, Parameter("given")).written == "{given}"
    assert Binding(("count",), Equal, Constant(3)).written == "3"


def where_range(self: Any) -> Page[Order]:
    return query(Order, where=lambda o: o.count > 3)


def where_or(self: Any) -> Page[Order]:
    return query(Order, where=lambda o: (o.count == 3) | (o.count == 4))


def where_not(self: Any) -> Page[Order]:
    return query(Order, where=lambda o: ~(o.count == 3))  # type: ignore[arg-type, return-value]  # ~bool is an int


def where_in(self: Any) -> Page[Order]:
    return query(Order, where=lambda o: one_of(o.count, 3, 4))


def where_begins(self: Any) -> Page[Order]:
    return query(Order, where=lambda o: begins_with(o.customer_id, "x"))


def where_fields(self: Any) -> Page[Order]:
    return query(Order, where=lambda o: o.customer_id == o.note)


def where_inside(self: Any) -> Page[Order]:
    return query(Order, where=lambda o: o.tags[0] == "x")


@pytest.mark.parametrize(
    "function", [where_range, where_or, where_not, where_in, where_begins, where_fields, where_inside]
)
def test_where_of_a_read_takes_equalities_and_exists_only(function: Callable[..., Any]) -> None:
    message, remedy = told(function)
    assert message == "where= of a read takes equalities and exists() of fields, joined by &"
    assert remedy == "A range is a parameter type (Between[...], Since[...]); any other test is a filter=."


def where_never(self: Any) -> Page[Order]:
    return query(Order, where=lambda o: o.at == datetime(2026, 4, 10))


def test_a_constant_that_the_key_can_never_hold_is_refused() -> None:
    message, _ = told(where_never)
    assert message.startswith("at can never be datetime.datetime(2026, 4, 10, 0, 0): ")
    assert "has no timezone" in message


CONDITIONS: list[tuple[Condition | None, dict[str, Constant | Parameter]]] = [
    (None, {}),
    (Compare("=", Path(("count",)), Constant(3)), {"count": Constant(3)}),
    (Compare(">", Path(("count",)), Constant(3)), {}),
    (Compare("=", Path(("count",)), Path(("total",))), {}),
    (Compare("=", Path(("tags", 0)), Constant("x")), {}),
    (Not(Compare("=", Path(("count",)), Constant(3))), {}),
    (Or((Compare("=", Path(("count",)), Constant(3)), Compare("=", Path(("count",)), Constant(4)))), {}),
    (
        And(
            (
                Compare("=", Path(("count",)), Constant(3)),
                Compare("=", Path(("id",)), Parameter("given")),
                Compare("<", Path(("total",)), Constant(5)),
            )
        ),
        {"count": Constant(3), "id": Parameter("given")},
    ),
]


@pytest.mark.parametrize(("condition", "held"), CONDITIONS)
def test_a_condition_holds_fields_to_values_only_by_equality(
    condition: Condition | None, held: dict[str, Constant | Parameter]
) -> None:
    assert held_values(condition) == held


def conditional(self: Any, id: str) -> Order:
    return update(Order, field(Order, lambda o: o.count).add(1), where=lambda o: o.count > 3)


def test_where_of_a_write_is_a_condition_and_binds_nothing() -> None:
    assert found(conditional) == {Binding(("id",), Equal, Parameter("id"))}


def whole_item(self: Any, order: Order) -> Order:
    return put(Order)


def test_a_write_may_take_the_item_itself() -> None:
    assert found(whole_item) == set()


def misspelt(self: Any, custmer_id: str) -> Page[Order]:
    return query(Order)


def unknown(self: Any, zzz: str) -> Page[Order]:
    return query(Order)


def another_class(self: Any, order: Shop) -> Order:
    return put(Order)


@pytest.mark.parametrize(
    ("function", "message", "remedy"),
    [
        (misspelt, "the parameter 'custmer_id' is no field of Order", "Did you mean 'customer_id'?"),
        (unknown, "the parameter 'zzz' is no field of Order", "The fields are id, customer_id, status, total"),
        (another_class, "the parameter 'order' is no field of Order", ""),
    ],
)
def test_a_parameter_that_is_no_field_is_refused(function: Callable[..., Any], message: str, remedy: str) -> None:
    said, way_out = told(function)
    assert said == message
    assert remedy in way_out


def wrong_type(self: Any, customer_id: int) -> Page[Order]:
    return query(Order)


def wrong_range(self: Any, at: Between[date]) -> Page[Order]:
    return query(Order)


def test_a_parameter_of_another_type_names_both_types() -> None:
    assert told(wrong_type)[0] == "the parameter 'customer_id' is int, but Order.customer_id is str"
    assert told(wrong_range)[0] == "the parameter 'at' is Between[date], but Order.at is datetime"


FIELDS = compiled(Order).fields


@pytest.mark.parametrize(
    ("name", "test", "given", "agrees"),
    [
        ("customer_id", Equal, str, True),
        ("note", Equal, str, True),
        ("id", Equal, str, True),
        ("customer_id", Equal, int, False),
        ("customer_id", Equal, Literal["c1"], True),
        ("customer_id", Equal, Literal[1], False),
        ("total", Equal, Decimal, True),
        ("total", Equal, int, True),
        ("total", Between, int, True),
        ("total", Equal, float, False),
        ("ratio", Equal, float, True),
        ("ratio", Equal, int, True),
        ("ratio", Equal, Decimal, False),
        ("count", Equal, int, True),
        ("count", Equal, bool, False),
        ("count", Equal, Decimal, False),
        ("count", Equal, Literal[1, 2], True),
        ("count", Equal, Literal[True], False),
        ("status", Equal, Literal["OPEN", "DONE"], True),
        ("status", Equal, Literal["DONE", "OPEN"], True),
        ("status", Equal, Literal["OPEN"], True),
        ("status", Equal, Literal["OPEN", "LOST"], False),
        ("status", Equal, str, True),
        ("status", Equal, int, False),
        ("at", Since, datetime, True),
        ("at", Since, date, False),
        ("day", Until, date, True),
        ("day", Until, datetime, False),
        ("level", Equal, Status, True),
        ("level", Equal, str, False),
        ("level", Equal, Literal["open"], False),
        ("path", Equal, tuple[str, ...], True),
        ("path", Equal, Literal["a"], False),
        ("tags", Equal, list[str], True),
        ("tags", Equal, Literal["a"], False),
        ("customer_id", Prefix, str, True),
        ("count", Prefix, str, False),
        ("count", Prefix, int, False),
        ("level", Prefix, str, False),
        ("path", Subtree, tuple[str, ...], True),
        ("path", Children, tuple[str, ...], True),
        ("path", Subtree, str, False),
        ("customer_id", Subtree, str, False),
        ("customer_id", Children, tuple[str, ...], False),
    ],
)
def test_a_parameter_agrees_with_its_field_or_says_why_not(name: str, test: type, given: Any, agrees: bool) -> None:
    problem = disagreement(ParameterDeclaration(name, test, given, True), FIELDS[name])
    assert (problem is None) == agrees
    assert problem is None or FIELDS[name].type_name in problem


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        (Prefix, "which takes text; the field is int"),
        (Subtree, "which takes a path (tuple[str, ...]); the field is int"),
        (Equal, "but the field is int"),
    ],
)
def test_a_disagreement_says_what_the_test_takes(test: type, expected: str) -> None:
    assert disagreement(ParameterDeclaration("count", test, str, True), Field("count", int)) == expected


def near(self: Any, area: Radius) -> list[Shop]:
    return within(Shop)


def near_routes(self: Any, area: Radius) -> list[Route]:
    return within(Route)


def near_orders(self: Any, area: Radius) -> list[Order]:
    return within(Order)


def in_a_box(self: Any, area: Box) -> list[Shop]:
    return within(Shop)


def nearest_ones(self: Any, area: Nearest) -> list[Shop]:
    return within(Shop)


def in_two_areas(self: Any, here: Radius, there: Box) -> list[Shop]:
    return within(Shop)


def near_in_pages(self: Any, area: Radius, *, limit: int = 5, cursor: str | None = None) -> list[Shop]:
    return within(Shop)


def near_nothing(self: Any, id: str) -> list[Shop]:
    return within(Shop)


def test_an_area_binds_to_the_two_fields_of_the_cell() -> None:
    assert found(near, Shop) == {Binding(("latitude", "longitude"), Radius, Parameter("area"))}
    assert found(in_a_box, Shop) == {Binding(("latitude", "longitude"), Box, Parameter("area"))}
    assert found(nearest_ones, Shop) == {Binding(("latitude", "longitude"), Nearest, Parameter("area"))}


def test_a_read_of_an_area_takes_one() -> None:
    assert told(in_two_areas, Shop) == (
        "reads within one area, but here and there are areas",
        "Declare a pattern for each.",
    )


def test_an_area_is_not_read_in_pages() -> None:
    assert told(near_in_pages, Shop) == (
        "an area is answered whole, without limit or cursor",
        "Nearest(..., count, meters=...) asks for so many places.",
    )


def test_an_area_needs_a_cell() -> None:
    _, problems = bindings_for(declared(near_orders), compiled(Order))
    assert "'area' is an area, but Order has no geohash cell" in problems[0].message
    assert "geohash(" in (problems[0].remedy or "")


def test_an_area_needs_one_place_and_not_two() -> None:
    _, problems = bindings_for(declared(near_routes), compiled(Route))
    assert "has no geohash cell" not in problems[0].message
    assert "start" in problems[0].message
    assert "end" in problems[0].message


def test_a_read_of_an_area_needs_an_area() -> None:
    assert told(near_nothing, Shop) == (
        "reads within an area, but no parameter gives one",
        "Give it a parameter such as area: Radius.",
    )


def used_in_where(self: Any, given: int) -> Page[Order]:
    return query(Order, where=lambda o: o.customer_id == given)  # type: ignore[comparison-overlap]


def used_in_filter(self: Any, customer_id: str, least: str) -> Page[Order]:
    return query(Order, filter=lambda o: o.total > least)  # type: ignore[operator]


def used_in_change(self: Any, id: str, new: str) -> Order:
    return update(Order, field(Order, lambda o: o.count).set(new))  # type: ignore[arg-type]  # that is the point


def used_in_condition(self: Any, id: str, old: Between[int]) -> Order:
    return update(
        Order,
        field(Order, lambda o: o.count).add(1),
        where=lambda o: o.count == old,  # type: ignore[comparison-overlap]
    )


@pytest.mark.parametrize(
    ("function", "parameter"),
    [(used_in_where, "given"), (used_in_filter, "least"), (used_in_change, "new"), (used_in_condition, "old")],
)
def test_a_parameter_that_the_body_uses_agrees_with_the_field_too(function: Callable[..., Any], parameter: str) -> None:
    message, _ = told(function)
    assert f"the parameter {parameter!r} is " in message
