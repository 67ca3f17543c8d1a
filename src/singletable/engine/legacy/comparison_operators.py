"""Checks legacy conditions (ComparisonOperator with values) as DynamoDB does, and translates them into trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from singletable.errors import RequestRefused, invalid
from singletable.expressions.bound_expressions import BoundCondition
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
    Or,
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


def check_arguments(attribute: str, operator: ComparisonOperator, values: Sequence[dict[str, Any]]) -> None:
    """Raise an error for invalid attribute values, and for values that the operator does not accept."""
    check_name(attribute)
    for value in values:
        accept_value(value)
    if len(values) != _ARGUMENTS.get(operator, 1) and not (operator == "IN" and values):
        raise wrong_argument_count(operator)
    kinds = [next(iter(value)) for value in values]
    if len(set(kinds)) > 1:
        raise invalid(f"{INVALID}AttributeValues inside AttributeValueList must be of same type")
    if kinds and kinds[0] not in _TYPES.get(operator, kinds):
        raise invalid(f"{INVALID}ComparisonOperator {operator} is not valid for {kinds[0]} AttributeValue type")
    if operator == "BETWEEN" and compare(*values) == 1:
        raise invalid(
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
        )


def condition_tree(attribute: str, operator: ComparisonOperator, values: Sequence[dict[str, Any]]) -> Condition:
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


def combine_conditions(trees: Sequence[Condition], operator: ConditionalOperator | None) -> BoundCondition | None:
    """Combine conditions with AND or OR.

    Raise an error if the request has a ConditionalOperator but fewer than two conditions.
    """
    if operator is not None and len(trees) < 2:
        if trees:
            rule = "can only be used when Filter or Expected has two or more elements"
        else:
            rule = "cannot be used without Filter or Expected"
        raise invalid(f"ConditionalOperator {rule}")
    if not trees:
        return None
    if len(trees) == 1:
        return BoundCondition.of(trees[0])
    return BoundCondition.of(Or(tuple(trees)) if operator == "OR" else And(tuple(trees)))


def wrong_argument_count(operator: ComparisonOperator) -> RequestRefused:
    """Return the error for an operator with too few or too many values."""
    return invalid(f"{INVALID}Invalid number of argument(s) for the {operator} ComparisonOperator")
