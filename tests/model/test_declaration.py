"""Declared patterns: the signature and the body are read once, and every misuse is named where it stands."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, NewType, Optional

import pytest

from singletable.errors import DesignError, Location, Problem
from singletable.expressions.tree import Parameter
from singletable.model.areas import Radius
from singletable.model.changes import field
from singletable.model.declaration import ParameterDeclaration, PatternDeclaration, PatternOptions, declare_pattern
from singletable.model.derived.geocell import geohash
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
    within,
)
from singletable.model.page import Page
from singletable.model.ranges import Between, Children, Equal, Prefix, Since, Subtree, Until
from singletable.model.recorder import Argument
from tests.model.marked_lines import marked

OrderId = NewType("OrderId", str)


@entity(key="ORDER#{id}", derived={"cell": geohash("latitude", "longitude", precision=5)})
@dataclass
class Order:
    id: str
    customer_id: str
    status: str
    total: Decimal
    at: datetime
    path: tuple[str, ...]
    latitude: float = 0.0
    longitude: float = 0.0


@dataclass
class Shape:
    order: Order


@dataclass
class View:
    id: str


def declared(function: Callable[..., Any], **options: Any) -> PatternDeclaration:
    return declare_pattern(function, PatternOptions(**options))


def refused(function: Callable[..., Any], **options: Any) -> Problem:
    with pytest.raises(DesignError) as caught:
        declared(function, **options)
    (problem,) = caught.value.problems
    return problem


def line_of(function: Callable[..., Any]) -> Location:
    return Location(__file__, function.__code__.co_firstlineno)


# Patterns that are fine.


def order(self: Any, id: str) -> Order | None:
    """Get an order by its ID.

    And more that is not the title.
    """
    return get(Order)


def optional_order(self: Any, id: OrderId) -> Optional[Order]:  # noqa: UP045 - both spellings are users' own
    return get(Order)


def view_of_order(self: Any, id: str) -> View | None:
    return get(Order, view=View)


def orders(
    self: Any,
    customer_id: Annotated[str, "a note"],
    at: Between[datetime],
    *,
    limit: int = 20,
    cursor: str | None = None,
) -> Page[Order]:
    return query(Order, newest_first=True)


def views(self: Any, customer_id: str) -> Page[View]:
    return query(Order, view=View)


def whole(self: Any, id: str) -> Shape | None:
    return collection(Shape)


def near(self: Any, area: Radius) -> list[Order]:
    return within(Order)


def stored(self: Any, order: Order) -> Order:
    return put(Order)


def made(self: Any, order: Order) -> Order:
    return create(Order)


def removed(self: Any, id: str) -> Order | None:
    return delete(Order)


def shipped(self: Any, id: str, status: str) -> Order:
    return update(Order, field(Order, lambda o: o.status).set(status))


def filtered(self: Any, customer_id: str, least: Decimal, how_many: int) -> Page[Order]:
    return query(Order, filter=lambda o: o.total > least, limit=how_many)


@pytest.mark.parametrize(
    ("function", "intent"),
    [
        (order, Get),
        (optional_order, Get),
        (view_of_order, Get),
        (orders, Query),
        (views, Query),
        (whole, Collection),
        (near, Within),
        (stored, Write),
        (made, Write),
        (removed, Write),
        (shipped, Write),
        (filtered, Query),
    ],
)
def test_a_pattern_is_its_signature_and_the_intent_of_its_body(function: Callable[..., Any], intent: type) -> None:
    declaration = declared(function)
    assert isinstance(declaration.intent, intent)
    assert declaration.name == function.__name__
    assert declaration.location == line_of(function)
    assert declaration.is_write == (intent is Write)


def test_the_title_is_the_first_line_of_the_docstring_or_the_name() -> None:
    assert declared(order).title == "Get an order by its ID"
    assert declared(view_of_order).title == "view of order"


def ranges(
    self: Any,
    id: str,
    customer_id: Prefix[str],
    total: Since[Decimal],
    at: Until[Annotated[datetime, "a note"]],
    path: Subtree[tuple[str, ...]],
    other: Children[tuple[str, ...]],
    area: Radius,
    status: Literal["a", "b"] = "a",
) -> Page[Order]:
    return query(Order)


def test_a_parameter_is_a_test_on_a_field_and_the_type_of_its_values() -> None:
    parameters = declared(ranges).parameters
    assert parameters == {
        "id": ParameterDeclaration("id", Equal, str, True),
        "customer_id": ParameterDeclaration("customer_id", Prefix, str, True),
        "total": ParameterDeclaration("total", Since, Decimal, True),
        "at": ParameterDeclaration("at", Until, datetime, True),
        "path": ParameterDeclaration("path", Subtree, tuple[str, ...], True),
        "other": ParameterDeclaration("other", Children, tuple[str, ...], True),
        "area": ParameterDeclaration("area", Radius, Radius, True),
        "status": ParameterDeclaration("status", Equal, Literal["a", "b"], False),
    }
    assert [parameter.type_name for parameter in parameters.values()] == [
        "str",
        "Prefix[str]",
        "Since[Decimal]",
        "Until[datetime]",
        "Subtree[tuple[str, ...]]",
        "Children[tuple[str, ...]]",
        "Radius",
        "Literal['a', 'b']",
    ]


def test_a_new_type_is_the_type_behind_it() -> None:
    assert declared(optional_order).parameters["id"].type is str


def test_limit_and_cursor_and_what_the_body_uses_bind_to_no_field() -> None:
    assert [parameter.name for parameter in declared(orders).bound_parameters] == ["customer_id", "at"]
    assert [parameter.name for parameter in declared(filtered).bound_parameters] == ["customer_id"]
    assert [parameter.name for parameter in declared(shipped).bound_parameters] == ["id"]


def test_the_parameters_that_the_body_passes_on_are_recorded() -> None:
    intent = declared(shipped).intent
    assert isinstance(intent, Write)
    assert intent.changes[0].value == Parameter("status")
    limited = declared(filtered).intent
    assert isinstance(limited, Query)
    assert isinstance(limited.limit, Argument)


calls: list[object] = []


def counted(self: Any, id: str) -> Order | None:
    calls.append(id)
    return get(Order)


def test_the_body_is_evaluated_once() -> None:
    calls.clear()
    declared(counted)
    assert [repr(call) for call in calls] == ["<parameter id>"]


@pytest.mark.parametrize(
    ("options", "rate"),
    [
        ({}, None),
        ({"frequency": "high"}, None),
        ({"frequency": 5}, 5.0),
        ({"frequency": 0.5}, 0.5),
        ({"rate": 3}, 3.0),
        ({"frequency": 5, "rate": 3}, 3.0),
        ({"frequency": "very high", "rate": 300, "budget_ms": 10, "fanout": 4, "expected_items": 0}, 300.0),
    ],
)
def test_how_often_is_a_word_or_a_number(options: dict[str, Any], rate: float | None) -> None:
    assert declared(order, **options).rate == rate


# Patterns that are wrong: each with what it is told.


def no_return_type(self: Any, id: str):  # type: ignore[no-untyped-def]  # that is the point
    return get(Order)


def positional(self: Any, *ids: str) -> Order | None:
    return get(Order)


def keywords(self: Any, **ids: str) -> Order | None:
    return get(Order)


def unannotated(self: Any, id) -> Order | None:  # type: ignore[no-untyped-def]  # that is the point
    return get(Order)


def optional_parameter(self: Any, id: str | None) -> Order | None:
    return get(Order)


def optional_default(self: Any, id: Optional[str] = None) -> Order | None:  # noqa: UP045
    return get(Order)


def optional_range(self: Any, at: Between[datetime] | None = None) -> Page[Order]:
    return query(Order)


def unhashable(self: Any, id: str) -> Order | None:
    return get(Order)


unhashable.__annotations__["id"] = {"a": 1}


def unhashable_list(self: Any, id: str) -> Order | None:
    return get(Order)


unhashable_list.__annotations__["id"] = [str]


def a_number(self: Any, id: 5) -> Order | None:  # type: ignore[valid-type]
    return get(Order)


def unknown_name(self: Any, id: Unknown) -> Order | None:  # type: ignore[name-defined]  # noqa: F821
    return get(Order)


def bare_between(self: Any, at: Between) -> Page[Order]:  # type: ignore[type-arg]
    return query(Order)


def bare_prefix(self: Any, id: Prefix) -> Page[Order]:  # type: ignore[type-arg]
    return query(Order)


def returns_nothing(self: Any, id: str) -> Order | None:
    get(Order)
    return None


def returns_text(self: Any, id: str) -> Order | None:
    return "an order"  # type: ignore[return-value]


def returns_the_entity(self: Any, id: str) -> Order | None:
    return Order  # type: ignore[return-value]


def promises_too_much(self: Any, id: str) -> Order:
    return get(Order)  # type: ignore[return-value]


def promises_another(self: Any, id: str) -> View | None:
    return get(Order)  # type: ignore[return-value]


def promises_a_list(self: Any, customer_id: str) -> list[Order]:
    return query(Order)  # type: ignore[return-value]


def promises_a_bare_page(self: Any, customer_id: str) -> Page:  # type: ignore[type-arg]
    return query(Order)


def promises_none(self: Any, id: str) -> None:
    return delete(Order)  # type: ignore[return-value]


def promises_nonsense(self: Any, id: str) -> Order | None:
    return get(Order)


promises_nonsense.__annotations__["return"] = {"an": "order"}


def reads_a_name(self: Any, id: str) -> Order | None:
    return get("Order")  # type: ignore[call-overload, no-any-return]


def reads_a_number(self: Any, id: str) -> Page[Order]:
    return query(5)  # type: ignore[call-overload, no-any-return]


def reads_none(self: Any, id: str) -> Order | None:
    return get(None)  # type: ignore[call-overload, no-any-return]


def reads_an_item(self: Any, id: str) -> Order | None:
    return get(Order("o", "c", "s", Decimal(1), datetime(2026, 1, 1), ()))  # type: ignore[call-overload, no-any-return]


def collects_a_number(self: Any, id: str) -> Shape | None:
    return collection(5)  # type: ignore[arg-type]


def puts_a_name(self: Any, order: Order) -> Order:
    return put("Order")  # type: ignore[arg-type]


def finds_a_name(self: Any, area: Radius) -> list[Order]:
    return within("Order")  # type: ignore[arg-type]


def takes_nothing() -> Order | None:
    return get(Order)


def begins_with_a_field(id: str) -> Page[Order]:
    return query(Order)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (no_return_type, "has no return type"),
        (positional, "takes *ids, but every parameter is named"),
        (keywords, "takes *ids, but every parameter is named"),
        (unannotated, "the parameter 'id' has no type"),
        (optional_parameter, "the parameter 'id' may be None, which makes two patterns of one"),
        (optional_default, "the parameter 'id' may be None, which makes two patterns of one"),
        (optional_range, "the parameter 'at' may be None, which makes two patterns of one"),
        (unhashable, "the annotation of 'id' is {'a': 1}, which is not a type"),
        (unhashable_list, "which is not a type"),
        (a_number, "the annotation of 'id' is 5, which is not a type"),
        (unknown_name, "its annotations cannot be read: name 'Unknown' is not defined"),
        (bare_between, "the parameter 'at' is Between of what?"),
        (bare_prefix, "the parameter 'id' is Prefix of what?"),
        (returns_nothing, "its body returns NoneType, which says nothing of what is read"),
        (returns_text, "its body returns str, which says nothing of what is read"),
        (returns_the_entity, "its body returns type, which says nothing of what is read"),
        (promises_too_much, "promises Order, but its body answers Order | None"),
        (promises_another, "promises View | None, but its body answers Order | None"),
        (promises_a_list, "promises list[Order], but its body answers Page[Order]"),
        (promises_a_bare_page, "promises Page, but its body answers Page[Order]"),
        (promises_none, "promises None, but its body answers Order | None"),
        (promises_nonsense, "promises {'an': 'order'}, but its body answers Order | None"),
        (reads_a_name, "'Order'"),
        (reads_a_number, "5"),
        (reads_none, "None"),
        (reads_an_item, "Order("),
        (collects_a_number, "5"),
        (puts_a_name, "'Order'"),
        (finds_a_name, "'Order'"),
        (takes_nothing, "self"),
        (begins_with_a_field, "self"),
    ],
)
def test_a_wrong_pattern_is_refused_with_its_own_file_and_line(function: Callable[..., Any], message: str) -> None:
    problem = refused(function)
    assert problem.message.startswith(f"pattern {function.__name__}: ")
    assert message in problem.message
    assert problem.location is not None
    first = function.__code__.co_firstlineno
    assert problem.location.file == __file__
    assert first <= problem.location.line <= first + 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"frequency": "often"}, "frequency 'often' is not a word of the worksheet"),
        ({"frequency": ""}, "frequency '' is not a word of the worksheet"),
        ({"frequency": -1}, "frequency=-1"),
        ({"frequency": True}, "frequency=True"),
        ({"frequency": ["high"]}, "frequency=['high']"),
        ({"rate": -1}, "rate=-1 is not a number from zero up"),
        ({"rate": "high"}, "rate='high' is not a number from zero up"),
        ({"rate": True}, "rate=True is not a number from zero up"),
        ({"rate": float("nan")}, "rate=nan is not a number from zero up"),
        ({"budget_ms": -5}, "budget_ms=-5 is not a number from zero up"),
        ({"fanout": "8"}, "fanout='8' is not a number from zero up"),
        ({"expected_items": -1}, "expected_items=-1 is not a number from zero up"),
        ({"accept": ["ST107"]}, "accept=['ST107'] does not give each finding its reason"),
        ({"expected_examined": []}, "expected_examined=[] is not a number from zero up"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(options: dict[str, Any], message: str) -> None:
    problem = refused(order, **options)
    assert message in problem.message
    assert problem.location == line_of(order)


def test_an_unknown_frequency_says_the_words_there_are() -> None:
    remedy = refused(order, frequency="often").remedy
    assert remedy == "Use one of unknown, very low, low, medium, high, very high, or a number."


def raises(self: Any, id: str) -> Order | None:
    nothing: dict[str, Any] = {}
    return get(nothing["Order"])  # body-raises


def raises_below(self: Any, id: str) -> Order | None:
    return get(functools.reduce(lambda a, b: a, []))  # body-raises-below


def uses_a_value(self: Any, id: str, limit: int) -> Page[Order]:
    return query(Order, limit=limit + 1)


def asks_a_value(self: Any, status: str) -> Page[Order]:
    return query(Order, newest_first=True) if status == "OPEN" else query(Order)


def uses_self(self: Any, id: str) -> Order | None:
    return self.order(id)  # type: ignore[no-any-return]


def records_wrongly(self: Any, id: str) -> Page[Order]:
    return query(Order, filter=lambda o: o.total > 5 and o.status == "OPEN")  # wrong-lambda


@pytest.mark.parametrize(("function", "mark"), [(raises, "body-raises"), (raises_below, "body-raises-below")])
def test_a_body_that_raises_is_refused_on_the_line_that_raised(function: Callable[..., Any], mark: str) -> None:
    problem = refused(function)
    assert problem.message.startswith(f"pattern {function.__name__}: its body raised ")
    assert problem.location == marked(__file__, mark)
    assert problem.remedy == "The body is evaluated once; it only says what is read."


@pytest.mark.parametrize(
    ("function", "parameter"), [(uses_a_value, "limit"), (uses_self, "self"), (asks_a_value, "status")]
)
def test_a_body_that_needs_a_value_is_told_that_there_is_none(function: Callable[..., Any], parameter: str) -> None:
    problem = refused(function)
    assert f"pattern {function.__name__}: the parameter {parameter!r} has no value in the body" in problem.message
    assert problem.location == line_of(function)


def test_a_lambda_that_cannot_be_recorded_is_refused_on_its_own_line() -> None:
    problem = refused(records_wrongly)
    assert problem.message.startswith("pattern records_wrongly: a condition on fields is recorded")
    assert problem.location == marked(__file__, "wrong-lambda")


def positional_only(self: Any, id: str, /) -> Order | None:
    return get(Order)


def test_a_parameter_may_be_positional_only() -> None:
    assert list(declared(positional_only).parameters) == ["id"]


class Body:
    @functools.lru_cache(  # noqa: B019 - a decorator of several lines, and nothing else
        maxsize=1,
    )
    def cached(self, id: str) -> Order | None:  # def-below-decorators
        return get(Order)

    @staticmethod
    def unbound(self: Any, id: str) -> Order | None:  # noqa: PLW0211  # def-of-staticmethod
        return get(Order)


def test_a_pattern_stands_where_its_def_stands() -> None:
    function = vars(Body)["cached"].__wrapped__
    assert declared(function).location == marked(__file__, "def-below-decorators")
    assert declared(Body.unbound).location == marked(__file__, "def-of-staticmethod")
