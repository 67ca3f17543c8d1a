"""Pattern declarations: signature, options and body, and the errors for invalid ones."""

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
from singletable.model.condition_recorder import ParameterPlaceholder
from singletable.model.derived.geohash_cell import geohash
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
    within,
)
from singletable.model.parameter_types import Between, Children, Equal, Prefix, Radius, Since, Subtree, Until
from singletable.model.pattern_declaration import (
    ParameterDeclaration,
    PatternDeclaration,
    PatternOptions,
    declare_pattern,
)
from singletable.model.update_changes import field
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


# Valid patterns.


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
        (order, GetIntent),
        (optional_order, GetIntent),
        (view_of_order, GetIntent),
        (orders, QueryIntent),
        (views, QueryIntent),
        (whole, CollectionIntent),
        (near, WithinIntent),
        (stored, ItemWriteIntent),
        (made, ItemWriteIntent),
        (removed, ItemWriteIntent),
        (shipped, ItemWriteIntent),
        (filtered, QueryIntent),
    ],
)
def test_a_pattern_declaration_consists_of_its_signature_and_its_intent(
    function: Callable[..., Any], intent: type
) -> None:
    declaration = declared(function)
    assert isinstance(declaration.intent, intent)
    assert declaration.name == function.__name__
    assert declaration.location == line_of(function)
    assert declaration.is_write == (intent is ItemWriteIntent)


def test_a_pattern_declaration_has_its_docstring_line_or_name_as_title() -> None:
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


def test_a_pattern_declaration_gives_a_parameter_a_predicate_and_a_value_type() -> None:
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


def test_a_pattern_declaration_resolves_a_new_type_to_its_supertype() -> None:
    assert declared(optional_order).parameters["id"].type is str


def test_a_pattern_declaration_does_not_bind_limit_cursor_and_body_parameters_to_fields() -> None:
    assert [parameter.name for parameter in declared(orders).bound_parameters] == ["customer_id", "at"]
    assert [parameter.name for parameter in declared(filtered).bound_parameters] == ["customer_id"]
    assert [parameter.name for parameter in declared(shipped).bound_parameters] == ["id"]


def test_a_pattern_declaration_records_the_parameters_that_the_body_passes_on() -> None:
    intent = declared(shipped).intent
    assert isinstance(intent, ItemWriteIntent)
    assert intent.changes[0].value == Parameter("status")
    limited = declared(filtered).intent
    assert isinstance(limited, QueryIntent)
    assert isinstance(limited.limit, ParameterPlaceholder)


calls: list[object] = []


def counted(self: Any, id: str) -> Order | None:
    calls.append(id)
    return get(Order)


def test_a_pattern_declaration_evaluates_the_body_once() -> None:
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
def test_a_pattern_declaration_has_a_word_or_a_number_as_frequency(options: dict[str, Any], rate: float | None) -> None:
    assert declared(order, **options).rate == rate


# Invalid patterns, each with its error.


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
        (positional, "*ids is not supported"),
        (keywords, "*ids is not supported"),
        (unannotated, "the parameter 'id' has no type"),
        (optional_parameter, "the parameter 'id' must not be optional"),
        (optional_default, "the parameter 'id' must not be optional"),
        (optional_range, "the parameter 'at' must not be optional"),
        (unhashable, "the annotation of 'id' is {'a': 1}, which is not a type"),
        (unhashable_list, "which is not a type"),
        (a_number, "the annotation of 'id' is 5, which is not a type"),
        (unknown_name, "the annotations cannot be resolved: name 'Unknown' is not defined"),
        (bare_between, "the parameter 'at' is Between without a type"),
        (bare_prefix, "the parameter 'id' is Prefix without a type"),
        (returns_nothing, "the body returns NoneType, which is not a read or write"),
        (returns_text, "the body returns str, which is not a read or write"),
        (returns_the_entity, "the body returns type, which is not a read or write"),
        (promises_too_much, "is annotated with Order, but its body returns Order | None"),
        (promises_another, "is annotated with View | None, but its body returns Order | None"),
        (promises_a_list, "is annotated with list[Order], but its body returns Page[Order]"),
        (promises_a_bare_page, "is annotated with Page, but its body returns Page[Order]"),
        (promises_none, "is annotated with None, but its body returns Order | None"),
        (promises_nonsense, "is annotated with {'an': 'order'}, but its body returns Order | None"),
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
def test_a_pattern_declaration_reports_an_invalid_pattern_with_file_and_line(
    function: Callable[..., Any], message: str
) -> None:
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
        ({"frequency": "often"}, "frequency 'often' is not valid"),
        ({"frequency": ""}, "frequency '' is not valid"),
        ({"frequency": -1}, "frequency must be a number, 0 or greater, not -1"),
        ({"frequency": True}, "frequency must be a number, 0 or greater, not True"),
        ({"frequency": ["high"]}, "frequency must be a number, 0 or greater, not ['high']"),
        ({"rate": -1}, "rate must be a number, 0 or greater, not -1"),
        ({"rate": "high"}, "rate must be a number, 0 or greater, not 'high'"),
        ({"rate": True}, "rate must be a number, 0 or greater, not True"),
        ({"rate": float("nan")}, "rate must be a number, 0 or greater, not nan"),
        ({"budget_ms": -5}, "budget_ms must be a number, 0 or greater, not -5"),
        ({"max_requests": 0}, "max_requests must be an integer, 1 or greater, not 0"),
        ({"max_requests": True}, "max_requests must be an integer, 1 or greater, not True"),
        ({"max_requests": 2.5}, "max_requests must be an integer, 1 or greater, not 2.5"),
        ({"fanout": "8"}, "fanout must be an integer, 1 or greater, not '8'"),
        ({"fanout": 0}, "fanout must be an integer, 1 or greater, not 0"),
        ({"fanout": 2.5}, "fanout must be an integer, 1 or greater, not 2.5"),
        ({"expected_items": -1}, "expected_items must be an integer, 0 or greater, not -1"),
        ({"accept": ["ST107"]}, "accept must map the code of each finding to a reason, not ['ST107']"),
        ({"expected_examined": []}, "expected_examined must be an integer, 0 or greater, not []"),
    ],
)
def test_a_pattern_declaration_rejects_an_invalid_option(options: dict[str, Any], message: str) -> None:
    problem = refused(order, **options)
    assert message in problem.message
    assert problem.location == line_of(order)


def test_a_pattern_declaration_lists_the_valid_words_for_an_unknown_frequency() -> None:
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
def test_a_pattern_declaration_reports_a_body_that_raises_at_the_raising_line(
    function: Callable[..., Any], mark: str
) -> None:
    problem = refused(function)
    assert problem.message.startswith(f"pattern {function.__name__}: the body raised ")
    assert problem.location == marked(__file__, mark)
    assert problem.remedy == (
        "The body runs once, when the class is defined. "
        "It must only return the result of a function such as get(), query() or put()."
    )


@pytest.mark.parametrize(
    ("function", "parameter"), [(uses_a_value, "limit"), (uses_self, "self"), (asks_a_value, "status")]
)
def test_a_pattern_declaration_rejects_a_body_that_uses_a_parameter_value(
    function: Callable[..., Any], parameter: str
) -> None:
    problem = refused(function)
    assert f"pattern {function.__name__}: the parameter {parameter!r} has no value in the body" in problem.message
    assert problem.location == line_of(function)


def test_a_pattern_declaration_reports_a_lambda_that_cannot_be_recorded_at_its_line() -> None:
    problem = refused(records_wrongly)
    assert problem.message.startswith("pattern records_wrongly: a condition on fields cannot be used as a bool")
    assert problem.location == marked(__file__, "wrong-lambda")


def positional_only(self: Any, id: str, /) -> Order | None:
    return get(Order)


def test_a_pattern_declaration_accepts_a_positional_only_parameter() -> None:
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


def test_a_pattern_declaration_is_located_at_its_def() -> None:
    function = vars(Body)["cached"].__wrapped__
    assert declared(function).location == marked(__file__, "def-below-decorators")
    assert declared(Body.unbound).location == marked(__file__, "def-of-staticmethod")
