"""Evaluation of conditions: compiles a condition to a function of an item and the values of a request.

A comparison or function on a missing attribute, or on an attribute of another type, is false. Only `<>` and
`attribute_not_exists` are true. NOT negates this result.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from singletable.expressions.tree import (
    And,
    Arithmetic,
    BetweenBounds,
    Comparator,
    Compare,
    Condition,
    Constant,
    Function,
    In,
    Not,
    Operand,
    Or,
    Parameter,
    Path,
)
from singletable.values.attribute_value import compare, equal
from singletable.values.scalars import binary_bytes, binary_size

Item = Mapping[str, Any]
Values = Mapping[str, Any]
Test = Callable[[Item, Values], bool]
Getter = Callable[[Item, Values], Any]

_ORDERS: dict[Comparator, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
# Values of these types can be equal although their JSON differs, for example in the order of set members.
_COLLECTION_TYPES = frozenset({"SS", "NS", "BS", "L", "M"})
_MEMBER_SETS = {"S": "SS", "N": "NS", "B": "BS"}


def evaluate(condition: Condition, item: Item, values: Values) -> bool:
    """Return whether a condition holds for an item; for many items, use `compile_condition`."""
    return compile_condition(condition)(item, values)


def compile_condition(condition: Condition) -> Test:
    """Return a function that tests whether the condition holds."""
    match condition:
        case Compare(comparator, left, right):
            return _comparison(comparator, getter(left), getter(right))
        case BetweenBounds(operand, low, high):
            return _between(getter(operand), getter(low), getter(high))
        case In(operand, options):
            return _in(getter(operand), [getter(option) for option in options])
        case Function(name, arguments):
            return _TESTS[name](*map(getter, arguments))
        case And(parts):
            return _all([compile_condition(part) for part in parts])
        case Or(parts):
            return _any([compile_condition(part) for part in parts])
        case Not(part):
            return _negation(part)


def getter(operand: Operand) -> Getter:
    """Return a function that returns the value of an operand, or None for a missing value."""
    match operand:
        case Path((str(name),)):
            return lambda item, values: item.get(name)
        case Path(steps):
            return lambda item, values: value_at(item, steps)
        case Parameter(name):
            return lambda item, values: values[name]
        case Constant(value):
            return lambda item, values: value
        case Function("size", (argument,)):
            return _size(getter(argument))
        case Function() | Arithmetic():
            raise TypeError(f"{operand} has no value in a condition")


def value_at(item: Item, steps: tuple[str | int, ...]) -> Any:
    """Return the value at a path of an item, or None if there is no value."""
    value: Any = item.get(str(steps[0]))
    for step in steps[1:]:
        if value is None:
            return None
        if isinstance(step, str):
            value = value["M"].get(step) if "M" in value else None
        else:
            value = value["L"][step] if "L" in value and step < len(value["L"]) else None
    return value


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal; neither may be None."""
    return one == other or (next(iter(one)) in _COLLECTION_TYPES and equal(one, other))


def _comparison(comparator: Comparator, left: Getter, right: Getter) -> Test:
    if comparator == "=":
        return _equality(left, right)
    if comparator == "<>":
        equality = _equality(left, right)
        return lambda item, values: not equality(item, values)
    order = _ORDERS[comparator]

    def test(item: Item, values: Values) -> bool:
        one, other = left(item, values), right(item, values)
        return one is not None and other is not None and ordered(order, one, other)

    return test


def _equality(left: Getter, right: Getter) -> Test:
    def test(item: Item, values: Values) -> bool:
        one, other = left(item, values), right(item, values)
        return one is not None and other is not None and same(one, other)

    return test


def ordered(order: Callable[[Any, Any], bool], one: Any, other: Any) -> bool:
    """Return whether two values have the same type and are in the given order, such as `<`. Neither may be None."""
    if "S" in one:
        return "S" in other and order(one["S"], other["S"])
    difference = compare(one, other)
    return difference is not None and order(difference, 0)


def _between(operand: Getter, low: Getter, high: Getter) -> Test:
    def test(item: Item, values: Values) -> bool:
        value, lowest, highest = operand(item, values), low(item, values), high(item, values)
        if value is None or lowest is None or highest is None:
            return False
        return ordered(operator.ge, value, lowest) and ordered(operator.le, value, highest)

    return test


def _in(operand: Getter, options: list[Getter]) -> Test:
    def test(item: Item, values: Values) -> bool:
        value = operand(item, values)
        if value is None:
            return False
        option_values = (option(item, values) for option in options)
        return any(other is not None and same(value, other) for other in option_values)

    return test


def _all(tests: list[Test]) -> Test:
    def test(item: Item, values: Values) -> bool:
        for each in tests:  # noqa: SIM110  # all() takes twice as long, and a filter runs for every item of a page
            if not each(item, values):
                return False
        return True

    return test


def _any(tests: list[Test]) -> Test:
    def test(item: Item, values: Values) -> bool:
        for each in tests:  # noqa: SIM110  # as above
            if each(item, values):
                return True
        return False

    return test


def _negation(part: Condition) -> Test:
    negative = True
    while isinstance(part, Not):  # a loop, because recursion would fail for a long chain of NOT
        part, negative = part.part, not negative
    test = compile_condition(part)
    return (lambda item, values: not test(item, values)) if negative else test


def _exists(operand: Getter) -> Test:
    return lambda item, values: operand(item, values) is not None


def _not_exists(operand: Getter) -> Test:
    return lambda item, values: operand(item, values) is None


def _is_of_type(operand: Getter, kind: Getter) -> Test:
    def test(item: Item, values: Values) -> bool:
        value = operand(item, values)
        return value is not None and kind(item, values)["S"] in value

    return test


def _begins_with(operand: Getter, start: Getter) -> Test:
    def test(item: Item, values: Values) -> bool:
        one, other = operand(item, values), start(item, values)
        if one is None or other is None:
            return False
        if "S" in one and "S" in other:
            return bool(one["S"].startswith(other["S"]))
        return "B" in one and "B" in other and binary_bytes(one["B"]).startswith(binary_bytes(other["B"]))

    return test


def _contains(operand: Getter, part: Getter) -> Test:
    def test(item: Item, values: Values) -> bool:
        one, other = operand(item, values), part(item, values)
        return one is not None and other is not None and _contains_part(one, other)

    return test


def _contains_part(container: Any, part: Any) -> bool:
    ((kind, content),) = container.items()
    ((part_kind, part_content),) = part.items()
    if kind == "L":
        return any(same(element, part) for element in content)
    if kind == part_kind == "S":
        return part_content in content
    if kind == part_kind == "B":
        return binary_bytes(part_content) in binary_bytes(content)
    return kind == _MEMBER_SETS.get(part_kind) and part_content in content


def _size(operand: Getter) -> Getter:
    def get(item: Item, values: Values) -> Any:
        value = operand(item, values)
        if value is None:
            return None
        ((kind, content),) = value.items()
        if kind == "S":
            # The size of a string counts UTF-16 units, so an emoji counts as two (captured from AWS).
            return {"N": str(len(content) if content.isascii() else len(content.encode("utf-16-le")) // 2)}
        if kind == "B":
            return {"N": str(binary_size(content))}
        return {"N": str(len(content))} if kind in _COLLECTION_TYPES else None

    return get


_TESTS: dict[str, Callable[..., Test]] = {
    "attribute_exists": _exists,
    "attribute_not_exists": _not_exists,
    "attribute_type": _is_of_type,
    "begins_with": _begins_with,
    "contains": _contains,
}
