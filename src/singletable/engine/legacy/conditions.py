"""Conditions by a ComparisonOperator and a list of values: checked in the service's words, and made into trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from singletable.errors import RequestRefused, invalid
from singletable.expressions.request import BoundCondition
from singletable.expressions.tree import (
    And,
    Between,
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
from singletable.values.accept import accept_value
from singletable.values.checks import check_name
from singletable.values.comparison import compare
from singletable.wire.shape import ComparisonOperator, ConditionalOperator

INVALID = "One or more parameter values were invalid: "

# How many values an operator takes; IN takes any number but none.
_ARGUMENTS: Mapping[str, int] = {"NULL": 0, "NOT_NULL": 0, "BETWEEN": 2}
_ORDERED = frozenset({"S", "N", "B"})
# Of which types they are, where it matters.
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
    """Refuses values that no attribute could have, and those that the operator does not take."""
    check_name(attribute)
    for value in values:
        accept_value(value)
    if len(values) != _ARGUMENTS.get(operator, 1) and not (operator == "IN" and values):
        raise wrong_number(operator)
    kinds = [next(iter(value)) for value in values]
    if len(set(kinds)) > 1:
        raise invalid(f"{INVALID}AttributeValues inside AttributeValueList must be of same type")
    if kinds and kinds[0] not in _TYPES.get(operator, kinds):
        raise invalid(f"{INVALID}ComparisonOperator {operator} is not valid for {kinds[0]} AttributeValue type")
    if operator == "BETWEEN" and compare(*values) == 1:
        raise invalid(
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
        )


def tree_of(attribute: str, operator: ComparisonOperator, values: Sequence[dict[str, Any]]) -> Condition:
    """A condition whose arguments were checked, as a tree."""
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
            return Between(path, *operands)
        case "BEGINS_WITH":
            return Function("begins_with", (path, *operands))
        case "CONTAINS":
            return Function("contains", (path, *operands))
        case "NOT_CONTAINS":
            # Captured: an attribute that is not there contains nothing, and fails this test all the same.
            return And((Function("attribute_exists", (path,)), Not(Function("contains", (path, *operands)))))
        case _:
            return Compare(_COMPARATORS[operator], path, *operands)


def combined(trees: Sequence[Condition], operator: ConditionalOperator | None) -> BoundCondition | None:
    """All of the conditions, or with OR any of them; refuses an operator that has nothing to combine."""
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


def wrong_number(operator: ComparisonOperator) -> RequestRefused:
    """The refusal of too few or too many values."""
    return invalid(f"{INVALID}Invalid number of argument(s) for the {operator} ComparisonOperator")
