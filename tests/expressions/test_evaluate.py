"""Evaluation of conditions, compared with a simple and slow implementation of DynamoDB's rules."""

from __future__ import annotations

import copy
from base64 import b64decode
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given

from singletable.expressions.bound_expressions import Expressions
from singletable.expressions.evaluate import compile_condition, evaluate
from singletable.expressions.tree import (
    And,
    Arithmetic,
    BetweenBounds,
    Compare,
    Condition,
    Constant,
    Function,
    In,
    Not,
    Operand,
    Or,
    Path,
)
from tests.expressions.trees import CONSTANTS, ITEMS, conditions, paths

PATHS = paths(["a", "b", "c"])

# The oracle: an attribute value as a pair of its type and a Python value with the same equality and order.


def plain(value: dict[str, Any]) -> tuple[str, Any]:
    ((kind, content),) = value.items()
    match kind:
        case "N":
            return kind, Decimal(content)
        case "B":
            return kind, b64decode(content)
        case "NS":
            return kind, frozenset(map(Decimal, content))
        case "SS" | "BS":
            return kind, frozenset(content)
        case "L":
            return kind, [plain(element) for element in content]
        case "M":
            return kind, {name: plain(member) for name, member in content.items()}
        case _:
            return kind, content


def found(operand: Operand, item: dict[str, Any]) -> tuple[str, Any] | None:
    match operand:
        case Constant(value):
            return plain(value)
        case Path(steps):
            return at(steps, {"M": item})
        case Function("size", (inner,)):
            sized = found(inner, item)
            if sized is None or sized[0] in ("N", "BOOL", "NULL"):
                return None
            length = len(sized[1].encode("utf-16-le")) // 2 if sized[0] == "S" else len(sized[1])
            return "N", Decimal(length)
        case _:
            raise AssertionError(operand)


def at(steps: tuple[str | int, ...], value: dict[str, Any]) -> tuple[str, Any] | None:
    for step in steps:
        ((kind, content),) = value.items()
        inside = content if kind == "M" else dict(enumerate(content)) if kind == "L" else {}
        if step not in inside:
            return None
        value = inside[step]
    return plain(value)


def ordered(one: tuple[str, Any] | None, other: tuple[str, Any] | None, comparator: str) -> bool:
    if one is None or other is None or one[0] != other[0] or one[0] not in ("S", "N", "B"):
        return False
    mine, others = (value.encode() if isinstance(value, str) else value for value in (one[1], other[1]))
    return bool({"<": mine < others, "<=": mine <= others, ">": mine > others, ">=": mine >= others}[comparator])


def contains(one: tuple[str, Any] | None, other: tuple[str, Any] | None) -> bool:
    if one is None or other is None:
        return False
    (kind, content), (part_kind, part) = one, other
    if kind == "L":
        return other in content
    if kind == "BS" and part_kind == "B":
        return part in [b64decode(member) for member in content]
    return (kind in ("S", "B") and kind == part_kind and part in content) or (
        kind in ("SS", "NS") and kind == f"{part_kind}S" and part in content
    )


def holds(condition: Condition, item: dict[str, Any]) -> bool:
    match condition:
        case And(parts):
            return all(holds(part, item) for part in parts)
        case Or(parts):
            return any(holds(part, item) for part in parts)
        case Not(part):
            return not holds(part, item)
        case Compare("=", left, right):
            return found(left, item) is not None and found(left, item) == found(right, item)
        case Compare("<>", left, right):
            return not holds(Compare("=", left, right), item)
        case Compare(comparator, left, right):
            return ordered(found(left, item), found(right, item), comparator)
        case BetweenBounds(operand, low, high):
            return holds(Compare(">=", operand, low), item) and holds(Compare("<=", operand, high), item)
        case In(operand, options):
            return any(holds(Compare("=", operand, option), item) for option in options)
        case Function(name, arguments):
            return function_holds(name, [found(argument, item) for argument in arguments])


def function_holds(name: str, arguments: list[tuple[str, Any] | None]) -> bool:
    match name, arguments:
        case "attribute_exists", [one]:
            return one is not None
        case "attribute_not_exists", [one]:
            return one is None
        case "contains", [one, other]:
            return contains(one, other)
        case "begins_with", [one, other]:
            if one is None or other is None or one[0] != other[0] or one[0] not in ("S", "B"):
                return False
            return bool(one[1].startswith(other[1]))
    raise AssertionError(name)


@given(conditions(PATHS | CONSTANTS, PATHS), ITEMS)
def test_an_evaluated_condition_holds_as_the_rules_say(condition: Condition, item: dict[str, Any]) -> None:
    before = copy.deepcopy(item)
    assert evaluate(condition, item, {}) == holds(condition, item)
    assert item == before


ITEM: dict[str, Any] = {
    "s": {"S": "hé\U0001f600x"},
    "n": {"N": "123"},
    "b": {"B": "aGVsbG8="},
    "ss": {"SS": ["a", "b"]},
    "l": {"L": [{"S": "a"}, {"N": "1"}, {"SS": ["p", "q"]}]},
    "m": {"M": {"k": {"S": "v"}}},
    "t": {"BOOL": True},
}


# Every row was tried on DynamoDB Local.
@pytest.mark.parametrize(
    ("text", "value", "answer"),
    [
        ("size(s) = :v", {"N": "5"}, True),  # counted in UTF-16, where the face is two units
        ("size(b) = :v", {"N": "5"}, True),
        ("size(ss) = :v", {"N": "2"}, True),
        ("size(m) < :v", {"N": "2"}, True),
        ("size(n) < :v", {"N": "100"}, False),
        ("size(n) <> :v", {"N": "100"}, True),
        ("size(q) <> :v", {"N": "0"}, True),
        ("q = :v", {"S": ""}, False),
        ("q <> :v", {"S": ""}, True),
        ("q <> r AND s <> :v", {"S": ""}, True),
        ("q = r OR s = :v", {"S": ""}, False),
        ("NOT q < :v", {"S": "z"}, True),
        ("q IN (:v)", {"S": ""}, False),
        ("s IN (q, :v)", {"S": "hé\U0001f600x"}, True),
        ("s < :v", {"N": "1"}, False),
        ("NOT s < :v", {"N": "1"}, True),
        (":v BETWEEN n AND n", {"N": "123"}, True),
        ("n = :v", {"N": "123.0"}, True),
        ("n > :v", {"N": "-5E+20"}, True),
        ("ss = :v", {"SS": ["b", "a"]}, True),
        ("l = :v", {"L": [{"S": "a"}, {"N": "1"}, {"SS": ["q", "p"]}]}, True),
        ("contains(l, :v)", {"SS": ["q", "p"]}, True),
        ("contains(b, :v)", {"B": "ZWxs"}, True),
        ("contains(n, :v)", {"N": "2"}, False),
        ("contains(m, :v)", {"S": "k"}, False),
        ("contains(:v, s)", {"L": [{"S": "hé\U0001f600x"}]}, True),
        ("begins_with(s, :v)", {"S": ""}, True),
        ("begins_with(n, :v)", {"S": "1"}, False),
        ("attribute_type(l[2], :v)", {"S": "SS"}, True),
        ("attribute_type(q, :v)", {"S": "S"}, False),
        ("attribute_type(size(s), :v)", {"S": "N"}, True),
        ("attribute_exists(m.k) AND s <> :v", {"S": ""}, True),
        ("attribute_not_exists(m[0]) AND s <> :v", {"S": ""}, True),
        ("m.k.z <> :v", {"S": "v"}, True),
    ],
)
def test_evaluated_conditions_have_the_result_captured_from_dynamodb(
    text: str, value: dict[str, Any], answer: bool
) -> None:
    condition = Expressions(None, {":v": value}).condition("FilterExpression", text)
    assert condition.holds(ITEM) is answer


def test_evaluating_an_operand_without_a_value_is_a_programming_error() -> None:
    with pytest.raises(TypeError, match="no value in a condition"):
        compile_condition(Compare("=", Path(("a",)), Arithmetic("+", Path(("a",)), Path(("b",)))))
