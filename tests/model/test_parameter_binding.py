"""Bindings of parameters and constants to fields, and mismatches."""

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
from singletable.model.condition_recorder import begins_with, exists, one_of
from singletable.model.derived.geohash_cell import geohash
from singletable.model.entity import Entity, declaration_of, entity
from singletable.model.fields import Field
from singletable.model.intents import Page, get, put, query, update, within
from singletable.model.parameter_binding import Binding, bindings_for, fixed_values, type_mismatch
from singletable.model.parameter_types import (
    Between,
    Box,
    Children,
    Equal,
    Nearest,
    Prefix,
    Present,
    Radius,
    Since,
    Subtree,
    Until,
)
from singletable.model.pattern_declaration import (
    ParameterDeclaration,
    PatternDeclaration,
    PatternOptions,
    declare_pattern,
)
from singletable.model.update_changes import field

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
    """Return the only problem of a pattern and its remedy."""
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


def test_parameter_binding_finds_fields_by_name() -> None:
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


def test_parameter_binding_fixes_fields_to_constants_and_parameters_by_where() -> None:
    assert found(where_equal) == {
        Binding(("customer_id",), Equal, Parameter("given")),
        Binding(("count",), Equal, Constant(3)),
        Binding(("note",), Present, Constant(None)),
    }
    assert found(where_one) == {Binding(("id",), Equal, Constant("o1"))}


def test_a_parameter_binding_prints_its_operand() -> None:
    assert Binding(("id",), Equal, Parameter("given")).text == "{given}"
    assert Binding(("count",), Equal, Constant(3)).text == "3"


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
def test_parameter_binding_takes_only_equalities_and_exists_in_where_of_a_read(function: Callable[..., Any]) -> None:
    message, remedy = told(function)
    assert message == "where= of a read supports only == and exists(), combined with &"
    assert remedy == "For a range, use a parameter type such as Between[...]; for other conditions, use filter=."


def where_never(self: Any) -> Page[Order]:
    return query(Order, where=lambda o: o.at == datetime(2026, 4, 10))


def test_parameter_binding_rejects_a_constant_that_cannot_be_in_the_key() -> None:
    message, _ = told(where_never)
    assert message.startswith("at can never be datetime.datetime(2026, 4, 10, 0, 0): ")
    assert "has no time zone" in message


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
def test_parameter_binding_fixes_a_field_to_a_value_only_by_equality(
    condition: Condition | None, held: dict[str, Constant | Parameter]
) -> None:
    assert fixed_values(condition) == held


def conditional(self: Any, id: str) -> Order:
    return update(Order, field(Order, lambda o: o.count).add(1), where=lambda o: o.count > 3)


def test_parameter_binding_ignores_where_of_a_write() -> None:
    assert found(conditional) == {Binding(("id",), Equal, Parameter("id"))}


def whole_item(self: Any, order: Order) -> Order:
    return put(Order)


def test_parameter_binding_lets_a_write_take_the_object_itself() -> None:
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
        (misspelt, "the parameter 'custmer_id' is not a field of Order", "Did you mean 'customer_id'?"),
        (unknown, "the parameter 'zzz' is not a field of Order", "The fields are id, customer_id, status, total"),
        (another_class, "the parameter 'order' is not a field of Order", ""),
    ],
)
def test_parameter_binding_rejects_a_parameter_that_is_not_a_field(
    function: Callable[..., Any], message: str, remedy: str
) -> None:
    said, way_out = told(function)
    assert said == message
    assert remedy in way_out


def wrong_type(self: Any, customer_id: int) -> Page[Order]:
    return query(Order)


def wrong_range(self: Any, at: Between[date]) -> Page[Order]:
    return query(Order)


def test_parameter_binding_reports_both_types_of_a_mismatch() -> None:
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
def test_parameter_binding_matches_a_parameter_with_its_field_or_explains_why_not(
    name: str, test: type, given: Any, agrees: bool
) -> None:
    problem = type_mismatch(ParameterDeclaration(name, test, given, True), FIELDS[name])
    assert (problem is None) == agrees
    assert problem is None or FIELDS[name].type_name in problem


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        (Prefix, "which needs a str, but the field is int"),
        (Subtree, "which needs a path (tuple[str, ...]), but the field is int"),
        (Equal, "but the field is int"),
    ],
)
def test_parameter_binding_explains_what_a_mismatched_parameter_type_takes(test: type, expected: str) -> None:
    assert type_mismatch(ParameterDeclaration("count", test, str, True), Field("count", int)) == expected


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


def test_parameter_binding_of_an_area_uses_the_two_fields_of_the_cell() -> None:
    assert found(near, Shop) == {Binding(("latitude", "longitude"), Radius, Parameter("area"))}
    assert found(in_a_box, Shop) == {Binding(("latitude", "longitude"), Box, Parameter("area"))}
    assert found(nearest_ones, Shop) == {Binding(("latitude", "longitude"), Nearest, Parameter("area"))}


def test_parameter_binding_of_within_takes_one_area() -> None:
    assert told(in_two_areas, Shop) == (
        "within(...) takes one area, but here and there are areas",
        "Declare one pattern per area.",
    )


def test_parameter_binding_of_within_rejects_pagination() -> None:
    assert told(near_in_pages, Shop) == (
        "within(...) returns all results and does not support limit or cursor",
        "Use Nearest(..., count, meters=...) to limit the number of results.",
    )


def test_parameter_binding_of_an_area_needs_a_geohash_cell() -> None:
    _, problems = bindings_for(declared(near_orders), compiled(Order))
    assert "'area' is an area, but Order has no geohash cell" in problems[0].message
    assert "geohash(" in (problems[0].remedy or "")


def test_parameter_binding_of_an_area_needs_exactly_one_location() -> None:
    _, problems = bindings_for(declared(near_routes), compiled(Route))
    assert "has no geohash cell" not in problems[0].message
    assert "start" in problems[0].message
    assert "end" in problems[0].message


def test_parameter_binding_of_within_needs_an_area() -> None:
    assert told(near_nothing, Shop) == (
        "within(...) needs an area, but the pattern has no area parameter",
        "Add a parameter, such as area: Radius.",
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
def test_parameter_binding_checks_the_field_type_of_parameters_used_in_the_body(
    function: Callable[..., Any], parameter: str
) -> None:
    message, _ = told(function)
    assert f"the parameter {parameter!r} is " in message
