"""Requests from plans and arguments; invalid arguments are rejected before DynamoDB would reject them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import pytest

from singletable import ArgumentRefused, Between, KeyRefused, Page, Prefix, Since, Table, Until, entity, pattern, query


@entity(key=("TEAM#{team}", "{name}#{due}"), gsi1=("TEAM#{team}", "{due}#{name}"))
@dataclass
class Task:
    """Something to do."""

    team: str
    name: str
    due: date


class Tasks(Table, entities=[Task]):
    """Ranges of text and of dates."""

    @pattern()
    def due(self, team: str, due: Between[date], *, limit: int = 5, cursor: str | None = None) -> Page[Task]:
        """Tasks due in a time."""
        return query(Task)

    @pattern()
    def beginning(self, team: str, name: Prefix[str]) -> Page[Task]:
        """Tasks whose name begins with a text."""
        return query(Task)

    @pattern()
    def since(self, team: str, name: Since[str]) -> Page[Task]:
        """Tasks from a name on."""
        return query(Task)

    @pattern()
    def until(self, team: str, name: Until[str]) -> Page[Task]:
        """Tasks up to a name."""
        return query(Task)


JANUARY, MARCH = date(2026, 1, 1), date(2026, 3, 1)


def test_requests_of_a_plan_reject_a_range_with_swapped_bounds() -> None:
    with pytest.raises(ArgumentRefused, match="swap low and high"):
        Tasks.due.explain("t", Between(MARCH, JANUARY))


@pytest.mark.parametrize("limit", [0, -1])
def test_requests_of_a_plan_need_a_limit_of_at_least_one(limit: int) -> None:
    with pytest.raises(ArgumentRefused, match="at least 1"):
        Tasks.due.explain("t", Between(JANUARY, MARCH), limit=limit)


def test_requests_of_a_plan_reject_an_argument_of_the_wrong_range_type_by_name() -> None:
    with pytest.raises(ArgumentRefused, match=r"due must be Between\(...\), got "):
        Tasks.due.explain("t", JANUARY)  # type: ignore[arg-type]


def test_requests_of_a_plan_with_an_empty_prefix_read_everything_without_an_empty_operand() -> None:
    (request,) = Tasks.beginning.explain("t", Prefix("")).requests
    assert request.parameters["KeyConditionExpression"] == "#n0 = :v0"
    (request,) = Tasks.since.explain("t", Since("")).requests
    assert request.parameters["KeyConditionExpression"] == "#n0 = :v0"


def test_requests_of_a_plan_escape_user_text_in_ranges_too() -> None:
    (request,) = Tasks.beginning.explain("t", Prefix("a#b")).requests
    assert request.parameters["ExpressionAttributeValues"][":v1"] == {"S": "a%23b"}
    (request,) = Tasks.until.explain("t", Until("a b")).requests
    assert request.parameters["ExpressionAttributeValues"][":v1"] == {"S": "a%20b$"}


def test_requests_of_a_plan_reject_a_key_longer_than_the_limit_and_name_the_limit() -> None:
    with pytest.raises(KeyRefused, match="2048"):
        Tasks.due.explain("x" * 2048, Between(JANUARY, MARCH))
    with pytest.raises(KeyRefused, match="1024"):
        Tasks.beginning.explain("t", Prefix("x" * 1025))
