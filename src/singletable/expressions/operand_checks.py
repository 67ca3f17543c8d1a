"""Checks of the number, the types and the distinctness of operands, with DynamoDB's messages.

A check is a function that takes the values of a request and returns an error message, or None if the values are valid.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from singletable.expressions.tree import Constant, Function, Operand, Parameter, Path
from singletable.lazy_dataclass import dataclass
from singletable.values.attribute_value import compare
from singletable.values.limits import IN_OPERANDS_MAX

Values = Mapping[str, Any]
Check = Callable[[Values], str | None]

ORDERED_TYPES = frozenset({"S", "N", "B"})
SET_TYPES = frozenset({"SS", "NS", "BS"})
SIZED_TYPES = frozenset({"S", "B", "SS", "NS", "BS", "L", "M"})
# Error messages list the types in this order (captured from AWS; DynamoDB's order changes over time).
ATTRIBUTE_TYPES = ("B", "NULL", "SS", "BOOL", "L", "BS", "N", "NS", "S", "M")

FUNCTION_OPERANDS = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
    "size": 1,
    "if_not_exists": 2,
    "list_append": 2,
}

_LONG_TYPE_NAMES = {"S": "STRING", "N": "NUMBER", "B": "BINARY", "BOOL": "BOOLEAN", "L": "LIST", "M": "MAP"}


@dataclass(frozen=True)
class FailedCheck:
    """A check that fails for all values, because the expression itself is invalid."""

    message: str

    def __call__(self, values: Values) -> str:
        """Return the error message."""
        return self.message


def definition_check(parameter: Parameter) -> Check:
    """Return the check that the request defines the value of a placeholder."""
    name = parameter.name
    message = f"An expression attribute value used in expression is not defined; attribute value: {name}"
    return lambda values: None if name in values else message


def function_checks(function: Function) -> list[Check]:
    """Return the checks of a function in a condition."""
    name, arguments = function.name, function.arguments
    if len(arguments) != FUNCTION_OPERANDS[name]:
        return [FailedCheck(_wrong_count(name, len(arguments)))]
    if message := repeated_operand(name, arguments):
        return [FailedCheck(message)]
    match name:
        case "attribute_exists" | "attribute_not_exists":
            return _path_checks(name, arguments[0])
        case "begins_with":
            return type_checks(name, arguments, frozenset({"S", "B"}))
        case "attribute_type":
            return _attribute_type(arguments[1])
        case "size":
            return type_checks(name, arguments, SIZED_TYPES)
        case _:
            return []


def update_function_checks(function: Function) -> list[Check]:
    """Return the checks of a function in an update."""
    name, arguments = function.name, function.arguments
    if len(arguments) != FUNCTION_OPERANDS[name]:
        return [FailedCheck(_wrong_count(name, len(arguments)))]
    if name == "if_not_exists":
        message = repeated_operand(name, arguments)
        return [FailedCheck(message)] if message else _path_checks(name, arguments[0])
    return type_checks(name, arguments, frozenset({"L"}))


def repeated_operand(operator: str, operands: tuple[Operand, ...]) -> str | None:
    """Return the error for a path that is compared with itself, or None."""
    first = operands[0]
    if isinstance(first, Path) and first in operands[1:]:
        rule = "The first operand must be distinct from the remaining operands for this operator or function"
        return f"{rule}; operator: {operator}, first operand: {shown_path(first.steps)}"
    return None


def comparison_checks(comparator: str, left: Operand, right: Operand) -> list[Check]:
    """Return the checks of a comparison: only strings, numbers and binaries have an order."""
    if message := repeated_operand(comparator, (left, right)):
        return [FailedCheck(message)]
    return [] if comparator in ("=", "<>") else type_checks(comparator, (left, right), ORDERED_TYPES)


def between_checks(operand: Operand, low: Operand, high: Operand) -> list[Check]:
    """Return the checks of BETWEEN: its bounds must have the same type and be in ascending order."""
    checks = type_checks("BETWEEN", (operand, low, high), ORDERED_TYPES)
    if message := repeated_operand("BETWEEN", (operand, low, high)):
        checks.append(FailedCheck(message))
    if isinstance(low, Parameter | Constant) and isinstance(high, Parameter | Constant):
        checks.append(_bounds_check(low, high))
    return checks


def in_checks(operand: Operand, options: tuple[Operand, ...]) -> list[Check]:
    """Return the checks of IN, which accepts at most 100 options."""
    if message := repeated_operand("IN", (operand, *options)):
        return [FailedCheck(message)]
    if len(options) > IN_OPERANDS_MAX:
        message = f"The IN operator is provided with too many operands; number of operands: {len(options)}"
        return [FailedCheck(message)]
    return []


def change_checks(action: str, value: Parameter) -> list[Check]:
    """Return the checks of the value of ADD and DELETE: it must be a set; ADD also accepts a number."""
    name, allowed = value.name, SET_TYPES | {"N"} if action == "ADD" else SET_TYPES

    def check(values: Values) -> str | None:
        kind = kind_of(values[name])
        if kind in allowed:
            return None
        wrong = f"operator: {action}, operand type: {_LONG_TYPE_NAMES.get(kind, kind)}"
        return f"Incorrect operand type for operator or function; {wrong}, typeSet: ALLOWED_FOR_{action}_OPERAND"

    return [check]


def type_checks(operator: str, operands: tuple[Operand, ...], allowed: frozenset[str]) -> list[Check]:
    """Return the checks of the types of operands. A path has no check, because its type depends on the item."""
    checks: list[Check] = []
    for operand in operands:
        if isinstance(operand, Function) and operand.name == "size" and "N" not in allowed:
            checks.append(FailedCheck(_wrong_type(operator, "N")))
        elif isinstance(operand, Parameter):
            checks.append(_type_check(operator, operand.name, allowed))
        elif isinstance(operand, Constant) and (kind := kind_of(operand.value)) not in allowed:
            checks.append(FailedCheck(_wrong_type(operator, kind)))
    return checks


def kind_of(value: Mapping[str, Any]) -> str:
    """Return the type of an attribute value, such as S or N."""
    return next(iter(value))


def shown_path(steps: tuple[str | int, ...]) -> str:
    """Return a path as DynamoDB shows it in errors: `[a, b, [0]]`."""
    return f"[{', '.join(f'[{step}]' if isinstance(step, int) else step for step in steps)}]"


def _type_check(operator: str, name: str, allowed: frozenset[str]) -> Check:
    def check(values: Values) -> str | None:
        kind = kind_of(values[name])
        return None if kind in allowed else _wrong_type(operator, kind)

    return check


def _value_of(operand: Parameter | Constant, values: Values) -> Any:
    return values[operand.name] if isinstance(operand, Parameter) else operand.value


def _bounds_check(low: Parameter | Constant, high: Parameter | Constant) -> Check:
    def check(values: Values) -> str | None:
        lowest, highest = _value_of(low, values), _value_of(high, values)
        difference = compare(lowest, highest)
        if difference is not None and difference <= 0:
            return None
        if difference is None:
            rule = "requires same data type for lower and upper bounds"
        else:
            rule = "requires upper bound to be greater than or equal to lower bound"
        shown = [f"AttributeValue: {{{kind}:{text}}}" for value in (lowest, highest) for kind, text in value.items()]
        return f"The BETWEEN operator {rule}; lower bound operand: {shown[0]}, upper bound operand: {shown[1]}"

    return check


def _attribute_type(operand: Operand) -> list[Check]:
    name = "attribute_type"
    if not isinstance(operand, Parameter | Constant):
        shown_type = "N" if isinstance(operand, Function) else f"{{{','.join(ATTRIBUTE_TYPES)}}}"
        return [FailedCheck(_wrong_type(name, shown_type))]

    def check(values: Values) -> str | None:
        given = _value_of(operand, values)["S"]
        if given in ATTRIBUTE_TYPES:
            return None
        return f"Invalid attribute type name found; type: {given}, valid types: {{{','.join(ATTRIBUTE_TYPES)}}}"

    return [*type_checks(name, (operand,), frozenset({"S"})), check]


def _path_checks(name: str, operand: Operand) -> list[Check]:
    if isinstance(operand, Path):
        return []
    return [FailedCheck(f"Operator or function requires a document path; operator or function: {name}")]


def _wrong_count(name: str, number: int) -> str:
    rule = "Incorrect number of operands for operator or function"
    return f"{rule}; operator or function: {name}, number of operands: {number}"


def _wrong_type(operator: str, kind: str) -> str:
    return f"Incorrect operand type for operator or function; operator or function: {operator}, operand type: {kind}"
