"""Conditions recorded from lambdas, and the errors for unsupported expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from itertools import islice
from typing import Any, Literal
from uuid import UUID

import pydantic
import pytest

from singletable.errors import DesignError, Problem
from singletable.expressions.tree import (
    And,
    Compare,
    Condition,
    Constant,
    Function,
    In,
    Not,
    Or,
    Parameter,
    Path,
)
from singletable.model.condition_recorder import (
    ParameterPlaceholder,
    begins_with,
    contains,
    exists,
    not_,
    one_of,
    operand,
    present,
    record_condition,
    record_path,
)
from singletable.model.entity import entity
from tests.model.marked_lines import marked


class Status(Enum):
    OPEN = "open"


class Geo(pydantic.BaseModel):
    latitude: float


class Address(pydantic.BaseModel):
    city: str
    geo: Geo | None = None


@entity(key="ORDER#{id}")
@dataclass
class Order:
    id: str
    status: str
    total: Decimal
    count: int
    ratio: float
    flag: bool
    blob: bytes
    at: datetime
    day: date
    key: UUID
    level: Status
    kind: Literal["a", "b"]
    address: Address
    items: list[Address]
    tags: list[str]
    anything: list  # type: ignore[type-arg]  # users write it
    labels: dict[str, str]
    marks: set[str]
    note: str | None = None


def recorded(function: Callable[[Any], Any]) -> Condition:
    return record_condition(Order, function)


def path(*steps: str | int) -> Path:
    return Path(steps)


def equal(name: str, value: object) -> Compare:
    return Compare("=", path(name), Constant(value))


def refusal(function: Callable[[Any], Any]) -> Problem:
    with pytest.raises(DesignError) as caught:
        record_condition(Order, function)
    (problem,) = caught.value.problems
    return problem


AT = datetime(2026, 4, 10, tzinfo=UTC)
FLAG = equal("flag", True)
OPEN, BIG, MANY = equal("status", "OPEN"), Compare(">", path("total"), Constant(5)), equal("count", 3)


@pytest.mark.parametrize(
    ("function", "tree"),
    [
        (lambda o: o.status == "OPEN", OPEN),
        (lambda o: o.status != "OPEN", Compare("<>", path("status"), Constant("OPEN"))),
        (lambda o: o.total < 5, Compare("<", path("total"), Constant(5))),
        (lambda o: o.total <= 5, Compare("<=", path("total"), Constant(5))),
        (lambda o: o.total > 5, BIG),
        (lambda o: o.total >= 5, Compare(">=", path("total"), Constant(5))),
        (lambda o: 5 < o.total, BIG),  # noqa: SIM300 - turned around on purpose
        (lambda o: 5 >= o.total, Compare("<=", path("total"), Constant(5))),  # noqa: SIM300
        (lambda o: "OPEN" == o.status, OPEN),  # noqa: SIM300
        (lambda o: o.status == o.note, Compare("=", path("status"), path("note"))),
        (lambda o: o.level == Status.OPEN, equal("level", Status.OPEN)),
        (lambda o: o.status == ParameterPlaceholder("given"), Compare("=", path("status"), Parameter("given"))),
        (lambda o: ParameterPlaceholder("given") == o.status, Compare("=", path("status"), Parameter("given"))),
        (lambda o: ParameterPlaceholder("given") != o.status, Compare("<>", path("status"), Parameter("given"))),
        (lambda o: ParameterPlaceholder("given") < o.total, Compare(">", path("total"), Parameter("given"))),
        (lambda o: ParameterPlaceholder("given") >= o.total, Compare("<=", path("total"), Parameter("given"))),
        (lambda o: exists(o.note), Function("attribute_exists", (path("note"),))),
        (lambda o: ~exists(o.note), Not(Function("attribute_exists", (path("note"),)))),
        (lambda o: begins_with(o.status, "O"), Function("begins_with", (path("status"), Constant("O")))),
        (
            lambda o: contains(o.tags, ParameterPlaceholder("tag")),
            Function("contains", (path("tags"), Parameter("tag"))),
        ),
        (lambda o: contains(o.marks, "x"), Function("contains", (path("marks"), Constant("x")))),
        (
            lambda o: one_of(o.status, "OPEN", ParameterPlaceholder("other")),
            In(path("status"), (Constant("OPEN"), Parameter("other"))),
        ),
    ],
)
def test_the_condition_recorder_records_a_lambda_as_a_condition(
    function: Callable[[Any], Any], tree: Condition
) -> None:
    assert recorded(function) == tree


@pytest.mark.parametrize(
    ("function", "tree"),
    [
        (lambda o: (o.status == "OPEN") & (o.total > 5), And((OPEN, BIG))),
        (lambda o: (o.status == "OPEN") | (o.total > 5), Or((OPEN, BIG))),
        (lambda o: ~(o.status == "OPEN"), Not(OPEN)),
        (lambda o: (o.status == "OPEN") & (o.total > 5) & (o.count == 3), And((OPEN, BIG, MANY))),
        (lambda o: (o.status == "OPEN") & ((o.total > 5) & (o.count == 3)), And((OPEN, BIG, MANY))),
        (lambda o: (o.status == "OPEN") | (o.total > 5) | (o.count == 3), Or((OPEN, BIG, MANY))),
        (lambda o: (o.status == "OPEN") & ((o.total > 5) | (o.count == 3)), And((OPEN, Or((BIG, MANY))))),
        (lambda o: (o.status == "OPEN") & (o.total > 5) | (o.count == 3), Or((And((OPEN, BIG)), MANY))),
        (lambda o: ~((o.status == "OPEN") & (o.total > 5)), Not(And((OPEN, BIG)))),
        (lambda o: ~~(o.status == "OPEN"), Not(Not(OPEN))),
        (lambda o: not_(o.status == "OPEN"), Not(OPEN)),
        (lambda o: not_((o.status == "OPEN") & (o.total > 5)), Not(And((OPEN, BIG)))),
        (lambda o: o.flag, FLAG),
        (lambda o: o.flag & (o.total > 5), And((FLAG, BIG))),
        (lambda o: (o.total > 5) & o.flag, And((BIG, FLAG))),
        (lambda o: (o.total > 5) | o.flag, Or((BIG, FLAG))),
        (lambda o: o.flag | o.flag, Or((FLAG, FLAG))),
        (lambda o: ~o.flag, Not(FLAG)),
        (lambda o: not_(o.flag), Not(FLAG)),
        (lambda o: present(o.note) > "a", Compare(">", path("note"), Constant("a"))),
    ],
)
def test_the_condition_recorder_combines_conditions_with_and_or_and_not_operators(
    function: Callable[[Any], Any], tree: Condition
) -> None:
    assert recorded(function) == tree


@pytest.mark.parametrize(
    ("function", "steps"),
    [
        (lambda o: o.status, ("status",)),
        (lambda o: o.address.city, ("address", "city")),
        (lambda o: o.address.geo.latitude, ("address", "geo", "latitude")),
        (lambda o: o.items[0], ("items", 0)),
        (lambda o: o.items[3].city, ("items", 3, "city")),
        (lambda o: o.labels["a.b"], ("labels", "a.b")),
        (lambda o: o.labels.colour, ("labels", "colour")),
    ],
)
def test_the_condition_recorder_follows_a_path_into_models_lists_and_maps(
    function: Callable[[Any], Any], steps: tuple[str | int, ...]
) -> None:
    assert record_path(Order, function) == Path(steps)


@pytest.mark.parametrize(
    "function",
    [
        lambda o: o.status == "OPEN" and o.total > 5,
        lambda o: o.status == "OPEN" or o.total > 5,
        lambda o: not o.status == "OPEN",  # noqa: SIM201 - what users write
        lambda o: 1 < o.total < 5,
        lambda o: o.status in ("OPEN", "DUE"),
        lambda o: "x" in o.tags,
        lambda o: o.total > 5 if o.flag == True else o.total > 3,  # noqa: E712
        lambda o: any(tag == "x" for tag in o.tags),
    ],
)
def test_the_condition_recorder_reports_the_alternative_to_and_or_not_and_in_keywords(
    function: Callable[[Any], Any],
) -> None:
    problem = refusal(function)
    assert problem.location is not None
    assert problem.location.file == __file__
    spelling = f"{problem.message} {problem.remedy}"
    assert all(word in spelling for word in ("&", "|", "not_(", "one_of(")) or "contains(" in spelling


def test_the_condition_recorder_reports_an_invalid_condition_at_the_line_of_the_lambda() -> None:
    problem = refusal(
        lambda o: (
            (o.total > 5) and (o.status == "OPEN")  # wrong-and
        )
    )
    assert problem.location is not None
    assert abs(problem.location.line - marked(__file__, "wrong-and").line) <= 1


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda o: o.status, "status is not a condition on fields"),
        (lambda o: o.address.city, "address.city is not a condition on fields"),
        (lambda o: "OPEN", "'OPEN' is not a condition on fields"),
        (lambda o: None, "None is not a condition on fields"),
        (lambda o: True, "True is not a condition on fields"),
        (lambda o: (o.total > 5) & o.count, "count is not a condition on fields"),
        (lambda o: ~o.count, "count is not a condition on fields"),
        (lambda o: not_(o.count), "count is not a condition on fields"),
        (lambda o: (o.total > 5) | True, "True is not a condition on fields"),
        (lambda o: not o.flag, "the field flag alone is not a condition"),
        (lambda o: o.flag and o.total > 5, "the field flag alone is not a condition"),
    ],
)
def test_the_condition_recorder_rejects_other_results_of_a_lambda(function: Callable[[Any], Any], message: str) -> None:
    problem = refusal(function)
    assert message in problem.message
    assert "0x" not in problem.message


def test_the_condition_recorder_reports_how_to_write_a_condition_on_a_bare_field() -> None:
    assert refusal(lambda o: not o.flag).remedy == "Compare it, as in o.flag == True, or use exists(o.flag)."


@pytest.mark.parametrize(
    ("function", "message", "remedy"),
    [
        (lambda o: o.statsu == "OPEN", "the entity has no field 'statsu'", "It has id, status, total"),
        (lambda o: o.address.town == "x", "address has no field 'town'", "It has city, geo."),
        (lambda o: o.address.geo.x == 1, "address.geo has no field 'x'", "It has latitude."),
    ],
)
def test_the_condition_recorder_rejects_an_unknown_field(
    function: Callable[[Any], Any], message: str, remedy: str
) -> None:
    problem = refusal(function)
    assert problem.message == message
    assert remedy in (problem.remedy or "")


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("status", 5),
        ("status", b"x"),
        ("status", None),
        ("total", "5"),
        ("total", True),
        ("count", "5"),
        ("count", False),
        ("flag", 1),
        ("flag", "true"),
        ("blob", "x"),
        ("at", "2026-04-10"),
        ("at", date(2026, 4, 10)),
        ("day", "2026-04-10"),
        ("day", AT),
        ("key", "00000000-0000-0000-0000-000000000007"),
        ("note", 5),
        ("kind", "c"),
        ("kind", 5),
    ],
)
def test_the_condition_recorder_rejects_a_constant_of_another_type(name: str, wrong: object) -> None:
    for function in (lambda o: getattr(o, name) == wrong, lambda o: getattr(o, name) != wrong):
        assert refusal(function).message.startswith(f"{name} ")


@pytest.mark.parametrize(
    ("name", "wrong"), [("status", 5), ("total", "5"), ("count", True), ("at", "2026-04-10"), ("status", None)]
)
def test_the_condition_recorder_rejects_an_option_of_another_type(name: str, wrong: object) -> None:
    assert refusal(lambda o: one_of(getattr(o, name), ParameterPlaceholder("other"), wrong)).message.startswith(
        f"{name} "
    )


def test_the_condition_recorder_reports_the_type_of_the_field_for_an_invalid_constant() -> None:
    assert refusal(lambda o: o.total > "5").message == "total is Decimal, but the value is '5'"
    assert refusal(lambda o: o.address.city == 5).message == "city is str, but the value is 5"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("total", 5),
        ("total", 0.5),
        ("ratio", 5),
        ("count", 5),
        ("at", AT),
        ("day", date(2026, 4, 10)),
        ("key", UUID(int=1)),
        ("flag", False),
        ("note", "x"),
        ("kind", "a"),
    ],
)
def test_the_condition_recorder_records_a_constant_of_the_type_of_the_field(name: str, value: object) -> None:
    assert recorded(lambda o: getattr(o, name) == value) == equal(name, value)


@pytest.mark.parametrize("name", ["note", "status", "level", "address"])
def test_the_condition_recorder_rejects_a_comparison_with_none(name: str) -> None:
    # None is not stored, so no attribute is ever equal to NULL.
    for function in (lambda o: getattr(o, name) == None, lambda o: getattr(o, name) != None):  # noqa: E711
        assert "exists(" in (refusal(function).remedy or "")


@pytest.mark.parametrize(
    "function",
    [
        lambda o: exists("note"),
        lambda o: exists(o.total > 5),
        lambda o: begins_with("OPEN", o.status),
        lambda o: contains(["a"], o.status),
        lambda o: one_of("OPEN", o.status),
        lambda o: one_of(ParameterPlaceholder("status"), "OPEN"),
    ],
)
def test_the_condition_recorder_rejects_a_condition_function_without_a_field(function: Callable[[Any], Any]) -> None:
    assert "is not a field" in refusal(function).message


@pytest.mark.parametrize(
    "function",
    [
        lambda o: one_of(o.status),
        lambda o: one_of(o.status, *(str(number) for number in range(101))),
        lambda o: begins_with(o.total, "5"),
        lambda o: begins_with(o.status, 5),
        lambda o: contains(o.total, 5),
        lambda o: o.items[-1].city == "x",
        lambda o: o.items[0:2] == "x",
        lambda o: o.items[1.5] == "x",
    ],
)
def test_the_condition_recorder_rejects_conditions_that_dynamodb_rejects(function: Callable[[Any], Any]) -> None:
    refusal(function)


@pytest.mark.parametrize("name", ["tags", "labels", "status"])
def test_the_condition_recorder_does_not_let_a_field_be_iterated(name: str) -> None:
    # Without __iter__, Python would iterate over o.tags[0], o.tags[1] and so on forever.
    problem = refusal(lambda o: list(islice(getattr(o, name), 3)))
    assert "contains(" in (problem.remedy or "")


def test_the_condition_recorder_takes_at_most_a_hundred_options_in_one_of() -> None:
    tree = recorded(lambda o: one_of(o.status, *(str(number) for number in range(100))))
    assert isinstance(tree, In)
    assert len(tree.options) == 100


def test_the_condition_recorder_records_only_fields_of_entities() -> None:
    with pytest.raises(DesignError, match="is not an entity"):
        record_condition(Address, lambda a: a.city == "x")


@pytest.mark.parametrize("function", [lambda o: o, lambda o: "status", lambda o: o.status == "x", lambda o: None])
def test_the_condition_recorder_needs_a_lambda_that_returns_one_field_for_a_path(
    function: Callable[[Any], Any],
) -> None:
    with pytest.raises(DesignError, match=r"is not a field of Order") as caught:
        record_path(Order, function)
    assert caught.value.problems[0].remedy == "Select a field: lambda o: o.status."


def test_the_condition_recorder_makes_a_field_that_is_not_hashable() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        record_path(Order, lambda o: {o.status})


# The parameters of a pattern, while its body is evaluated.

USES: list[Callable[[Any], object]] = [
    bool,
    len,
    list,
    int,
    float,
    str,
    lambda a: a + 1,
    lambda a: "x" + a,
    lambda a: a - 1,
    lambda a: 1 - a,
    lambda a: a * 2,
    lambda a: 2 * a,
    lambda a: a / 2,
    lambda a: a // 2,
    lambda a: a % 2,
    lambda a: -a,
    abs,
    lambda a: a.upper(),
    lambda a: a[0],
    lambda a: a(),
    lambda a: f"{a}",
    lambda a: f"{a!s:>5}",
    lambda a: "%s" % a,  # noqa: UP031 - what users write
    lambda a: "x" in a,
    lambda a: a in ("x", "y"),
    lambda a: a == "x",
    lambda a: a != "x",
    lambda a: "x" == a,  # noqa: SIM300
    lambda a: a < 5,
    lambda a: a >= 5,
    lambda a: min(a, 5),
    lambda a: sorted([a, 5]),
    lambda a: [0, 1][a],
    range,
    lambda a: {"x": 1}[a],
    lambda a: 1 if a else 2,
    lambda a: a & True,
]


@pytest.mark.parametrize("use", USES)
def test_the_condition_recorder_gives_a_parameter_no_value_in_the_body(use: Callable[[Any], object]) -> None:
    with pytest.raises(DesignError) as caught:
        use(ParameterPlaceholder("limit"))
    (problem,) = caught.value.problems
    assert "the parameter 'limit' has no value in the body of a pattern" in problem.message
    assert "Pass it unchanged" in (problem.remedy or "")


def test_the_condition_recorder_lets_a_parameter_be_passed_on_and_shown() -> None:
    argument = ParameterPlaceholder("limit")
    assert operand(argument) == Parameter("limit")
    assert repr(argument) == "<parameter limit>"
    assert argument is argument  # noqa: PLR0124 - being the same is all it can do
