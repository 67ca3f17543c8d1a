"""Key conditions: which items of a table or index a Query reads, by one test for each attribute of its key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

from singletable.errors import RequestRefused, invalid
from singletable.expressions.checks import Check
from singletable.expressions.tree import (
    And,
    Between,
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

KeyOperator = Literal["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"]
Accept = Callable[[str, Any], None]

_TURNED: dict[str, KeyOperator] = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NOT_SUPPORTED = "Query key condition not supported"


@dataclass(frozen=True)
class KeyTest:
    """One attribute of a key and what its value is held against."""

    attribute: str
    operator: KeyOperator
    operands: tuple[Parameter | Constant, ...]


class BoundKeyTest(NamedTuple):
    """A test with its values."""

    attribute: str
    operator: KeyOperator
    values: tuple[Any, ...]


class KeyRange(NamedTuple):
    """What is read: the values of all partition attributes, of the first sort attributes, a test of the next one."""

    partition: tuple[Any, ...]
    sort: tuple[Any, ...] = ()
    last: BoundKeyTest | None = None


class KeyCondition:
    """The tests of a key condition by their attributes, with the values that were given for them."""

    __slots__ = ("checks", "refusal", "tests", "values")

    def __init__(
        self,
        tests: Mapping[str, KeyTest],
        values: Mapping[str, Any],
        refusal: str | None = None,
        checks: tuple[Check, ...] = (),
    ) -> None:
        self.tests = tests
        self.values = values
        self.refusal = refusal
        self.checks = checks
        """What the values were held to, and others of the same expression are."""

    def check(self) -> None:
        """Refuse what is no condition on keys; DynamoDB does it when all expressions are read."""
        if self.refusal is not None:
            raise invalid(self.refusal)

    def range_of(
        self, partition: Sequence[str], sort: Sequence[str], types: Mapping[str, str], accept: Accept | None = None
    ) -> KeyRange:
        """The range in a key with these attributes of these types; `accept` may refuse the value of an attribute."""
        self.check()
        tests = self.tests
        if len(partition) > 1 or len(sort) > 1 or len(tests) > 1 + len(sort):
            self._require_fitting(partition, sort)
        values: list[Any] = []
        for name in partition:
            if name not in tests:
                raise _missed(name)
            values.append(self._values(tests[name], types[name], accept, is_partition=True)[0])
        if len(tests) == len(values):
            return KeyRange(tuple(values))
        return self._sorted(tuple(values), sort, types, accept)

    def _sorted(
        self, partition: tuple[Any, ...], sort: Sequence[str], types: Mapping[str, str], accept: Accept | None
    ) -> KeyRange:
        tests = self.tests
        equal: list[Any] = []
        last: BoundKeyTest | None = None
        tested = [name for name in sort if name in tests]
        if len(sort) > 1:
            _require_order(sort, tested, tests)
        for name in tested:
            test = tests[name]
            values = self._values(test, types[name], accept)
            if test.operator == "=":
                equal.append(values[0])
            else:
                last = BoundKeyTest(name, test.operator, values)
        if len(partition) + len(tested) < len(tests):
            raise _missed(next(name for name in sort if name not in tests))
        return KeyRange(partition, tuple(equal), last)

    def _require_fitting(self, partition: Sequence[str], sort: Sequence[str]) -> None:
        is_plain = len(partition) == 1 and len(sort) <= 1
        if is_plain and len(self.tests) > 2:
            raise invalid("Conditions can be of length 1 or 2 only")
        if len(self.tests) > len(partition) + len(sort):
            raise invalid(_NOT_SUPPORTED)
        if not is_plain:
            _require_equality(partition, self.tests)

    def _values(self, test: KeyTest, kind: str, accept: Accept | None, is_partition: bool = False) -> tuple[Any, ...]:
        given = self.values
        values = tuple([given[o.name] if isinstance(o, Parameter) else o.value for o in test.operands])
        for value in values:
            if kind not in value:
                message = "Condition parameter type does not match schema type"
                raise invalid(f"One or more parameter values were invalid: {message}")
        if is_partition and test.operator != "=":
            raise invalid(_NOT_SUPPORTED)
        if accept is not None:
            for value in values:
                accept(test.attribute, value)
        return values


def key_tests(condition: Condition) -> dict[str, KeyTest]:
    """The tests that a condition consists of, by their attributes; refuses what is no condition on keys."""
    tests: dict[str, KeyTest] = {}
    waiting = [condition]
    while waiting:
        node = waiting.pop()
        if isinstance(node, And):
            waiting += reversed(node.parts)
            continue
        test = _test(node)
        if test.attribute in tests:
            raise invalid("KeyConditionExpressions must only contain one condition per key")
        tests[test.attribute] = test
    return tests


def _test(node: Condition) -> KeyTest:
    match node:
        case Or():
            raise _wrong_operator("OR")
        case Not():
            raise _wrong_operator("NOT")
        case In():
            raise _wrong_operator("IN")
        case Compare("<>"):
            raise _wrong_operator("<>")
        case Compare(comparator, left, right):
            operator = _TURNED[comparator] if isinstance(right, Path) else cast(KeyOperator, comparator)
            return _key_test(operator, left, right)
        case Between(operand, low, high):
            return _first_operand("BETWEEN", operand, low, high)
        case Function("begins_with", (operand, start)):
            return _first_operand("begins_with", operand, start)
        case Function(name):
            raise _wrong_operator(name)
        case And():
            raise TypeError("conditions are taken apart before they are looked at")


def _first_operand(operator: Literal["BETWEEN", "begins_with"], first: object, *others: object) -> KeyTest:
    if isinstance(first, Parameter | Constant):
        rule = f"{operator} operator must have the key attribute as its first operand"
        raise invalid(f"Invalid condition in KeyConditionExpression: {rule}")
    return _key_test(operator, first, *others)


def _key_test(operator: KeyOperator, *operands: object) -> KeyTest:
    """The test of the one attribute among the operands."""
    attribute: str | None = None
    values: list[Parameter | Constant] = []
    for operand in operands:
        if isinstance(operand, Parameter | Constant):
            values.append(operand)
        elif not isinstance(operand, Path):
            raise invalid("KeyConditionExpressions cannot contain nested operations")
        elif attribute is not None:
            rule = "Multiple attribute names used in one condition"
            raise invalid(f"Invalid condition in KeyConditionExpression: {rule}")
        elif len(operand.steps) > 1:
            raise invalid("KeyConditionExpressions cannot have conditions on nested attributes")
        else:
            attribute = operand.attribute
    if attribute is None:
        raise invalid("Invalid condition in KeyConditionExpression: No key attribute specified")
    return KeyTest(attribute, operator, tuple(values))


def _require_equality(names: Sequence[str], tests: Mapping[str, KeyTest]) -> None:
    """Refuses partition attributes without a test, and if there are none, those whose test is no equality."""
    lacking = [name for name in names if name not in tests] or _unequal(names, tests)
    if lacking:
        raise _equality_needed("HASH", lacking)


def _require_order(sort: Sequence[str], tested: list[str], tests: Mapping[str, KeyTest]) -> None:
    """Refuses a test behind an attribute without one, and then one behind a test that is no equality."""
    for tested_before, name in enumerate(tested):
        if sort[tested_before] != name:
            before = sort[: sort.index(name)]
            raise _equality_needed("RANGE", [name for name in before if name not in tests], because=name)
    if lacking := _unequal(tested[:-1], tests):
        raise _equality_needed("RANGE", lacking, because=tested[-1])


def _unequal(names: Sequence[str], tests: Mapping[str, KeyTest]) -> list[str]:
    return [name for name in names if tests[name].operator != "="]


def _equality_needed(kind: Literal["HASH", "RANGE"], names: list[str], because: str | None = None) -> RequestRefused:
    rule = f"{kind} key attributes {', '.join(names)} must have equality conditions specified in the query"
    return invalid(f"{rule} because a condition is present on key attribute {because}" if because else rule)


def _missed(name: str) -> RequestRefused:
    return invalid(f"Query condition missed key schema element: {name}")


def _wrong_operator(operator: str) -> RequestRefused:
    return invalid(f"Invalid operator used in KeyConditionExpression: {operator}")
