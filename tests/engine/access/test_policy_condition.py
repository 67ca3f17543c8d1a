"""Conditions compare the values of a request as described on IAM's page about condition operators."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine.access.condition_keys import LEADING_KEYS, SELECT
from singletable.engine.access.policy_condition import parse_conditions

KEYS, CHOSEN = "dynamodb:LeadingKeys", "dynamodb:Select"


def holds(operator: str, key: str, given: Any, *values: str, name: str = "") -> bool:
    (condition,) = parse_conditions({operator: {key: given}}, "here", has_variables=True)
    return condition.holds({name or key.lower(): values} if values else {})


@pytest.mark.parametrize(
    ("operator", "given", "value", "result"),
    [
        ("StringEquals", "COUNT", "COUNT", True),
        ("StringEquals", "COUNT", "count", False),
        ("StringEquals", "C*", "COUNT", False),
        ("StringEquals", ["A", "COUNT"], "COUNT", True),
        ("StringNotEquals", ["A", "COUNT"], "COUNT", False),
        ("StringNotEquals", ["A", "B"], "COUNT", True),
        ("StringEqualsIgnoreCase", "count", "COUNT", True),
        ("StringNotEqualsIgnoreCase", "count", "COUNT", False),
        ("StringLike", "C*T", "COUNT", True),
        ("StringLike", "c*", "COUNT", False),
        ("StringNotLike", "C*", "COUNT", False),
        ("Bool", "true", "True", True),
        ("Bool", True, "true", True),
        ("Bool", "false", "true", False),
    ],
)
def test_operators_of_a_policy_condition_compare_values(operator: str, given: Any, value: str, result: bool) -> None:
    assert holds(operator, CHOSEN, given, value) is result


@pytest.mark.parametrize(
    ("operator", "result"),
    [
        ("StringEquals", False),
        ("StringNotEquals", True),
        ("StringLike", False),
        ("StringNotLike", True),
        ("Bool", False),
        ("StringEqualsIfExists", True),
        ("StringNotEqualsIfExists", True),
        ("ForAnyValue:StringEquals", False),
        ("ForAnyValue:StringNotEquals", False),
        ("ForAllValues:StringEquals", True),
        ("ForAnyValue:StringEqualsIfExists", True),
    ],
)
def test_a_policy_condition_on_a_key_without_a_value_depends_on_the_operator(operator: str, result: bool) -> None:
    assert holds(operator, CHOSEN, "true") is result


@pytest.mark.parametrize(
    ("operator", "values", "result"),
    [
        ("ForAllValues:StringLike", ("a1", "a2"), True),
        ("ForAllValues:StringLike", ("a1", "b"), False),
        ("ForAnyValue:StringLike", ("a1", "b"), True),
        ("ForAnyValue:StringLike", ("b", "c"), False),
        ("ForAllValues:StringNotLike", ("b", "c"), True),
        ("ForAllValues:StringNotLike", ("a1", "c"), False),
        ("ForAnyValue:StringNotLike", ("a1", "c"), True),
        ("ForAnyValue:StringNotLike", ("a1", "a2"), False),
    ],
)
def test_set_operators_of_a_policy_condition_compare_all_or_any_values(
    operator: str, values: tuple[str, ...], result: bool
) -> None:
    assert holds(operator, KEYS, "a*", *values) is result


@pytest.mark.parametrize(("given", "values", "result"), [("true", (), True), ("true", ("a",), False),
                                                         ("false", (), False), ("false", ("a",), True)])  # fmt: skip
def test_null_in_a_policy_condition_checks_whether_a_key_exists(
    given: str, values: tuple[str, ...], result: bool
) -> None:
    assert holds("Null", KEYS, given, *values) is result


def test_all_conditions_are_returned_and_key_names_ignore_case() -> None:
    block = {"Null": {KEYS: "false"}, "StringEquals": {CHOSEN.upper(): "COUNT", "aws:PrincipalTag/Team": "red"}}
    found = parse_conditions(block, "here", has_variables=True)
    assert [each.key for each in found] == [LEADING_KEYS, SELECT, "aws:principaltag/team"]
