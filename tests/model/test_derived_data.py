"""Copies and counters: declarations, recorded conditions and invalid conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any, Literal

import pytest

from singletable.errors import DesignError, Location, Problem
from singletable.expressions.tree import And, Compare, Constant, Function, Path
from singletable.model.condition_recorder import ParameterPlaceholder, begins_with, exists, one_of
from singletable.model.derived_data import Copy, copy, count, derived_data_of
from singletable.model.design import Design, compile_design
from singletable.model.entity import declaration_of, entity
from singletable.model.table_schema import TableSettings
from tests.model.marked_lines import marked

BY = {"id": "project_id"}


@entity(key=("TEAM#{id}", "TEAM"))
@dataclass
class Team:
    id: str
    busy_projects: int = 0


@entity(
    key=("PROJECT#{id}", "PROJECT"),
    counted=[count(Team, by={"id": "team_id"}, field="busy_projects", where=lambda p: p.plan == "pro")],
)
@dataclass
class Project:
    id: str
    team_id: str = ""
    plan: str = "free"
    tickets: int = 0
    open_tickets: int = 0


def ticket(where: Any) -> type:
    @entity(
        key=("PROJECT#{project_id}", "TICKET#{id}"),
        version="version",
        copies=[copy(Project, by=BY, fields=["plan"])],
        counted=[count(Project, by=BY, field="tickets"), count(Project, by=BY, field="open_tickets", where=where)],
    )
    @dataclass
    class Ticket:
        project_id: str
        id: str
        status: Literal["OPEN", "CLOSED"] = "OPEN"
        points: int = 0
        assignee: str | None = None
        urgent: bool = False
        plan: str = ""
        version: int = 0

    return Ticket


def compiled(*classes: type) -> Design:
    return compile_design(TableSettings("Desk", Location("model.py", 7)), classes, ())


def problem_of(*classes: type) -> Problem:
    with pytest.raises(DesignError) as caught:
        compiled(*classes)
    (problem,) = caught.value.problems
    return problem


def test_a_derived_data_declaration_copies_its_arguments() -> None:
    by = {"id": "project_id"}
    made = count(Project, by=by, field="tickets")
    by["id"] = "other"
    assert (made.by, made.where, made.condition) == ({"id": "project_id"}, None, None)


def test_derived_data_checks_record_a_counter_condition_when_a_table_is_compiled() -> None:
    cls = ticket(lambda t: (t.status == "OPEN") & begins_with(t.assignee, "a"))
    declared = declaration_of(cls)
    assert declared is not None
    assert declared.counted[1].condition is None
    plain, conditional = compiled(Team, Project, cls).entity_of(cls).declaration.counted
    assert plain.condition is None
    assert (plain.condition_fields, plain.tracked_fields) == (frozenset[str](), frozenset({"project_id"}))
    assert conditional.condition == And(
        (
            Compare("=", Path(("status",)), Constant("OPEN")),
            Function("begins_with", (Path(("assignee",)), Constant("a"))),
        )
    )
    assert conditional.condition_fields == {"status", "assignee"}
    assert conditional.tracked_fields == {"status", "assignee", "project_id"}


def test_derived_data_tracks_the_fields_of_a_counter_condition() -> None:
    cls = ticket(lambda t: t.urgent & exists(t.assignee))
    design = compiled(Team, Project, cls)
    keeping = derived_data_of(design.entities, design.entity_of(cls))
    assert keeping.tracked_fields == {"project_id", "urgent", "assignee"}
    assert derived_data_of(design.entities, design.entity_of(Project)).counters == {"tickets", "open_tickets"}


def test_derived_data_checks_accept_one_class_in_several_tables() -> None:
    cls = ticket(lambda t: t.points > 3)
    first, second = (compiled(Team, Project, cls).entity_of(cls).declaration.counted[1] for _ in range(2))
    assert first.condition == second.condition == Compare(">", Path(("points",)), Constant(3))


def test_derived_data_checks_let_a_counter_condition_read_a_copied_field() -> None:
    cls = ticket(lambda t: t.plan == "pro")
    assert compiled(Team, Project, cls).entity_of(cls).declaration.counted[1].condition_fields == {"plan"}


@pytest.mark.parametrize(
    ("where", "message", "remedy"),
    [
        (lambda t: t.stauts == "OPEN", "the entity has no field 'stauts'", "It has project_id, id, status, points"),
        (lambda t: t.status == "DONE", "status can never be 'DONE'", "Its values are 'OPEN', 'CLOSED'."),
        (lambda t: t.points == "5", "points is int, but the value is '5'", "Pass a value of the field's type."),
        (
            lambda t: t.status == "OPEN" and t.points > 3,
            "a condition on fields cannot be used as a bool",
            "Use & and |",
        ),
        (lambda t: t.status == "OPEN" or t.points > 3, "a condition on fields cannot be used as a bool", "Use & and |"),
        (lambda t: not t.urgent, "the field urgent alone is not a condition", "Compare it"),
        (lambda t: t.assignee == None, "assignee cannot be compared with None", "Use not_(exists"),  # noqa: E711
        (lambda t: t.status, "status is not a condition on fields", "Compare fields of the entity"),
        (lambda t: True, "True is not a condition on fields", "Compare fields of the entity"),
        (
            lambda t: t.points == ParameterPlaceholder("points"),
            "where= uses points, but a counter has no parameters",
            "Use a lambda",
        ),
        (lambda: True, "where= raised TypeError: ", "Use a lambda"),
        (lambda t: t.points > 1 / 0, "where= raised ZeroDivisionError: division by zero", "Use a lambda"),
        ("OPEN", "where='OPEN' is not a condition", "Use a lambda"),
    ],
)
def test_derived_data_checks_report_an_invalid_counter_condition_as_a_design_error(
    where: Any, message: str, remedy: str
) -> None:
    problem = problem_of(Team, Project, ticket(where))
    assert problem.message.startswith(f"Ticket: counted by Project: {message}")
    assert problem.remedy is not None
    assert problem.remedy.startswith(remedy)


def test_derived_data_checks_report_the_location_of_an_invalid_counter_condition() -> None:
    def is_open(t: Any) -> bool:  # condition-function
        return bool(t.state == "OPEN")

    condition: Callable[[Any], bool] = lambda t: t.state == "OPEN"  # noqa: E731  # condition-lambda
    returned: Callable[[Any], bool] = lambda t: True  # noqa: E731  # condition-constant
    assert problem_of(Team, Project, ticket(is_open)).location == marked(__file__, "condition-function")
    assert problem_of(Team, Project, ticket(condition)).location == marked(__file__, "condition-lambda")
    assert problem_of(Team, Project, ticket(returned)).location == marked(__file__, "condition-constant")
    cls = ticket(partial(is_open))
    declared = declaration_of(cls)
    assert declared is not None
    assert problem_of(Team, Project, cls).location == declared.location


def test_derived_data_checks_report_all_invalid_counter_conditions_at_once() -> None:
    with pytest.raises(DesignError) as caught:
        compiled(Team, Project, entity_with_two(lambda t: t.a == 1, lambda t: t.b == 1))
    assert [problem.message for problem in caught.value.problems] == [
        "Two: counted by Project: the entity has no field 'a'",
        "Two: counted by Project: the entity has no field 'b'",
    ]


def entity_with_two(first: Callable[[Any], bool], second: Callable[[Any], bool]) -> type:
    @entity(
        key=("PROJECT#{project_id}", "TWO#{id}"),
        counted=[
            count(Project, by=BY, field="tickets", where=first),
            count(Project, by=BY, field="open_tickets", where=second),
        ],
    )
    @dataclass
    class Two:
        project_id: str
        id: str

    return Two


def test_derived_data_checks_reject_a_counter_condition_on_a_version_or_a_counter() -> None:
    problem = problem_of(Team, Project, ticket(lambda t: t.version > 3))
    assert problem.message == (
        "Ticket: counted by Project: where= reads version, the version of Ticket, which every write increments"
    )

    @entity(
        key=("PROJECT#{id}", "PROJECT"),
        counted=[count(Team, by={"id": "team_id"}, field="busy_projects", where=lambda p: p.open_tickets > 0)],
    )
    @dataclass
    class Board:
        id: str
        team_id: str
        open_tickets: int = 0

    @entity(key=("PROJECT#{board}", "CARD#{id}"), counted=[count(Board, by={"id": "board"}, field="open_tickets")])
    @dataclass
    class Card:
        board: str
        id: str

    assert problem_of(Team, Board, Card).message == (
        "Board: counted by Team: where= must not read counters, which other writes change, but it reads open_tickets"
    )


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        (lambda e: e.at > datetime(2026, 1, 1), "has no time zone"),  # on purpose
        (lambda e: e.amount == Decimal("1E+500"), "is not a valid DynamoDB number"),
        (lambda e: one_of(e.amount, Decimal(1), Decimal("NaN")), "is not a valid DynamoDB number"),
    ],
)
def test_derived_data_checks_reject_a_counter_condition_on_a_value_that_cannot_be_stored(
    where: Callable[[Any], bool], reason: str
) -> None:
    @entity(key=("PROJECT#{project_id}", "EVENT#{id}"), counted=[count(Project, by=BY, field="tickets", where=where)])
    @dataclass
    class Event:
        project_id: str
        id: str
        at: datetime
        amount: Decimal

    message = problem_of(Team, Project, Event).message
    assert message.startswith("Event: counted by Project: where= compares with a value that DynamoDB cannot store: ")
    assert reason in message


def test_derived_data_checks_apply_the_other_counter_rules_to_conditional_counters() -> None:
    @entity(
        key=("PROJECT#{project_id}", "SHORT#{id}"),
        ttl="until",
        counted=[count(Project, by=BY, field="open_tickets", where=lambda t: t.until > 3)],
    )
    @dataclass
    class Short:
        project_id: str
        id: str
        until: int

    assert "Short has a TTL" in problem_of(Team, Project, Short).message


class Customer:
    pass


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (["name", "email"], {"name": "name", "email": "email"}),
        (("name",), {"name": "name"}),
        ((name for name in ["name"]), {"name": "name"}),
        ({"name": "customer_name"}, {"name": "customer_name"}),
        ([], {}),
    ],
)
def test_derived_data_copies_fields_under_their_own_names_by_default(
    fields: Mapping[str, str] | Iterable[str], expected: dict[str, str]
) -> None:
    assert copy(Customer, by={"id": "customer_id"}, fields=fields) == Copy(Customer, {"id": "customer_id"}, expected)


def test_a_derived_data_copy_has_its_own_arguments() -> None:
    by, fields = {"id": "customer_id"}, {"name": "name"}
    made = copy(Customer, by=by, fields=fields)
    by["id"] = fields["name"] = "other"
    assert (made.by, made.fields) == ({"id": "customer_id"}, {"name": "name"})
