"""Checks and tests legacy conditions (ComparisonOperator with values) as DynamoDB does."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from singletable.errors import RequestRefused, invalid
from singletable.expressions.bound_expressions import BoundCondition
from singletable.expressions.evaluate import Item, Test, compile_condition, ordered, same
from singletable.expressions.tree import (
    And,
    BetweenBounds,
    Comparator,
    Compare,
    Condition,
    Constant,
    Function,
    In,
    Not,
    Path,
)
from singletable.values.attribute_value import compare
from singletable.values.item_validation import accept_value
from singletable.values.value_checks import check_name
from singletable.wire.api_types import ComparisonOperator, ConditionalOperator

INVALID = "One or more parameter values were invalid: "

# The number of values that an operator takes; the default is 1. IN takes one or more.
_ARGUMENTS: Mapping[str, int] = {"NULL": 0, "NOT_NULL": 0, "BETWEEN": 2}
_ORDERED = frozenset({"S", "N", "B"})
# The types that an operator accepts. Operators that are not listed accept all types.
_TYPES: Mapping[str, frozenset[str]] = {
    "LT": _ORDERED,
    "LE": _ORDERED,
    "GT": _ORDERED,
    "GE": _ORDERED,
    "IN": _ORDERED,
    "BETWEEN": _ORDERED,
    "BEGINS_WITH": frozenset({"S", "B"}),
    "CONTAINS": _ORDERED | {"BOOL", "NULL"},
    "NOT_CONTAINS": _ORDERED | {"BOOL", "NULL"},
}
_COMPARATORS: Mapping[str, Comparator] = {"EQ": "=", "NE": "<>", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}


AttributeValue = dict[str, Any]
LegacyTest = tuple[str, ComparisonOperator, Sequence[AttributeValue]]
"""A condition on an attribute: its name, the operator and the values."""
_ValueTest = Callable[[Any, Sequence[Any]], bool]
"""Tests the value of an attribute, or None, with the values of the operator."""


def check_arguments(attribute: str, operator: ComparisonOperator, values: Sequence[AttributeValue]) -> None:
    """Raise an error for invalid attribute values, and for values that the operator does not accept."""
    check_name(attribute)
    for value in values:
        accept_value(value)
    if len(values) != _ARGUMENTS.get(operator, 1) and not (operator == "IN" and values):
        raise wrong_argument_count(operator)
    if not values:
        return
    kind = next(iter(values[0]))
    if len(values) > 1 and any(kind not in value for value in values):
        raise invalid(f"{INVALID}AttributeValues inside AttributeValueList must be of same type")
    types = _TYPES.get(operator)
    if types is not None and kind not in types:
        raise invalid(f"{INVALID}ComparisonOperator {operator} is not valid for {kind} AttributeValue type")
    if operator == "BETWEEN" and compare(*values) == 1:
        raise invalid(
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
        )


def condition_tree(attribute: str, operator: ComparisonOperator, values: Sequence[AttributeValue]) -> Condition:
    """Return the expression tree for a condition. Its arguments must have passed `check_arguments`."""
    path = Path((attribute,))
    operands = [Constant(value) for value in values]
    match operator:
        case "NULL":
            return Function("attribute_not_exists", (path,))
        case "NOT_NULL":
            return Function("attribute_exists", (path,))
        case "IN":
            return In(path, tuple(operands))
        case "BETWEEN":
            return BetweenBounds(path, *operands)
        case "BEGINS_WITH":
            return Function("begins_with", (path, *operands))
        case "CONTAINS":
            return Function("contains", (path, *operands))
        case "NOT_CONTAINS":
            # NOT_CONTAINS is false for a missing attribute (captured from AWS).
            return And((Function("attribute_exists", (path,)), Not(Function("contains", (path, *operands)))))
        case _:
            return Compare(_COMPARATORS[operator], path, *operands)


class LegacyCondition(BoundCondition):
    """Conditions on attributes, combined with AND or OR.

    A request can contain tens of thousands of conditions. So they are tested without a tree, which would take ten times
    as long.
    """

    __slots__ = ("_is_or", "_prepared", "_tests")

    def __init__(self, tests: Sequence[LegacyTest], operator: ConditionalOperator | None) -> None:
        self._tests = tests
        self._is_or = operator == "OR"
        self._prepared: list[tuple[str, _ValueTest, Sequence[Any]]] = []

    def holds(self, item: Item) -> bool:
        """Return whether the conditions hold for an item; pass an empty dict if the item does not exist."""
        if not self._prepared:
            self._prepared = [_prepared(*test) for test in self._tests]
        is_or = self._is_or
        for name, test, values in self._prepared:
            if test(item.get(name), values) is is_or:
                return is_or
        return not is_or

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes that the conditions read."""
        return frozenset(name for name, _, _ in self._tests)

    @property
    def nested_attributes(self) -> frozenset[str]:
        """The attributes in which the conditions read nested values. There are none."""
        return frozenset()


def _prepared(
    attribute: str, operator: ComparisonOperator, values: Sequence[AttributeValue]
) -> tuple[str, _ValueTest, Sequence[Any]]:
    test = _VALUE_TESTS.get(operator)
    if test is not None:
        return attribute, test, values
    return attribute, _compiled_test, (compile_condition(condition_tree(_ATTRIBUTE, operator, values)),)


_ATTRIBUTE = "attribute"


def _compiled_test(value: Any, tests: Sequence[Test]) -> bool:
    return tests[0]({} if value is None else {_ATTRIBUTE: value}, {})


def _order_test(order: Callable[[Any, Any], bool]) -> _ValueTest:
    return lambda value, values: value is not None and ordered(order, value, values[0])


# BEGINS_WITH, CONTAINS and NOT_CONTAINS use the tests of expressions.
_VALUE_TESTS: Mapping[str, _ValueTest] = {
    "NULL": lambda value, values: value is None,
    "NOT_NULL": lambda value, values: value is not None,
    "EQ": lambda value, values: value is not None and same(value, values[0]),
    "NE": lambda value, values: value is None or not same(value, values[0]),
    "LT": _order_test(operator.lt),
    "LE": _order_test(operator.le),
    "GT": _order_test(operator.gt),
    "GE": _order_test(operator.ge),
    "IN": lambda value, values: value is not None and any(same(value, each) for each in values),
    "BETWEEN": lambda value, values: (
        value is not None and ordered(operator.ge, value, values[0]) and ordered(operator.le, value, values[1])
    ),
}


def combine_conditions(tests: Sequence[LegacyTest], operator: ConditionalOperator | None) -> LegacyCondition | None:
    """Combine conditions with AND or OR. Their arguments must have passed `check_arguments`.

    Raise an error if the request has a ConditionalOperator but fewer than two conditions.
    """
    if operator is not None and len(tests) < 2:
        if tests:
            rule = "can only be used when Filter or Expected has two or more elements"
        else:
            rule = "cannot be used without Filter or Expected"
        raise invalid(f"ConditionalOperator {rule}")
    return LegacyCondition(tests, operator) if tests else None


def wrong_argument_count(operator: ComparisonOperator) -> RequestRefused:
    """Return the error for an operator with too few or too many values."""
    return invalid(f"{INVALID}Invalid number of argument(s) for the {operator} ComparisonOperator")
