"""Key conditions: one test per key attribute, and the key range that these tests define for a Query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

from singletable.errors import RequestRefused, invalid
from singletable.expressions.operand_checks import Check
from singletable.expressions.tree import (
    And,
    BetweenBounds,
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
from singletable.lazy_dataclass import dataclass

KeyOperator = Literal["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"]
Accept = Callable[[str, Any], None]

_WITH_SWAPPED_OPERANDS: dict[str, KeyOperator] = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NOT_SUPPORTED = "Query key condition not supported"


@dataclass(frozen=True)
class KeyTest:
    """A test of a key attribute: an operator, and the operands with which the attribute is compared."""

    attribute: str
    operator: KeyOperator
    operands: tuple[Parameter | Constant, ...]


class BoundKeyTest(NamedTuple):
    """A key test with the values of its operands."""

    attribute: str
    operator: KeyOperator
    values: tuple[Any, ...]


class KeyRange(NamedTuple):
    """A range of keys: values for all partition attributes and for zero or more leading sort attributes.

    `last` is the test of the next sort attribute, if this test has an operator other than `=`.
    """

    partition: tuple[Any, ...]
    sort: tuple[Any, ...] = ()
    last: BoundKeyTest | None = None


class KeyCondition:
    """The tests of a key condition by attribute name, with the values of the request."""

    __slots__ = ("checks", "error", "tests", "values")

    def __init__(
        self,
        tests: Mapping[str, KeyTest],
        values: Mapping[str, Any],
        error: str | None = None,
        checks: tuple[Check, ...] = (),
    ) -> None:
        self.tests = tests
        self.values = values
        self.error = error
        self.checks = checks
        """The checks that the values have passed. Other values for the same expression must pass them too."""

    def check(self) -> None:
        """Raise the error of an invalid key condition, which DynamoDB reports after it has parsed all expressions."""
        if self.error is not None:
            raise invalid(self.error)

    def range_of(
        self, partition: Sequence[str], sort: Sequence[str], types: Mapping[str, str], accept: Accept | None = None
    ) -> KeyRange:
        """Return the range for a key with these attributes and types. `accept` can reject the value of an attribute."""
        self.check()
        tests = self.tests
        if len(partition) > 1 or len(sort) > 1 or len(tests) > 1 + len(sort):
            self._require_supported_number(partition, sort)
        values: list[Any] = []
        for name in partition:
            if name not in tests:
                raise _missing_key(name)
            values.append(self._values(tests[name], types[name], accept, is_partition=True)[0])
        if len(tests) == len(values):
            return KeyRange(tuple(values))
        return self._range_with_sort_key(tuple(values), sort, types, accept)

    def _range_with_sort_key(
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
            raise _missing_key(next(name for name in sort if name not in tests))
        return KeyRange(partition, tuple(equal), last)

    def _require_supported_number(self, partition: Sequence[str], sort: Sequence[str]) -> None:
        """Reject more tests than the key has attributes, and partition attributes without an equality test."""
        is_simple = len(partition) == 1 and len(sort) <= 1
        if is_simple and len(self.tests) > 2:
            raise invalid("Conditions can be of length 1 or 2 only")
        if len(self.tests) > len(partition) + len(sort):
            raise invalid(_NOT_SUPPORTED)
        if not is_simple:
            _require_equality(partition, self.tests)

    def _values(self, test: KeyTest, kind: str, accept: Accept | None, is_partition: bool = False) -> tuple[Any, ...]:
        """Return the values of a test; reject values of another type, and a partition test other than equality."""
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
    """Return the tests of a key condition by attribute name; reject a condition that is not a key condition."""
    tests: dict[str, KeyTest] = {}
    pending = [condition]
    while pending:
        node = pending.pop()
        if isinstance(node, And):
            pending += reversed(node.parts)
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
            operator = _WITH_SWAPPED_OPERANDS[comparator] if isinstance(right, Path) else cast(KeyOperator, comparator)
            return _key_test(operator, left, right)
        case BetweenBounds(operand, low, high):
            return _test_of_first_operand("BETWEEN", operand, low, high)
        case Function("begins_with", (operand, start)):
            return _test_of_first_operand("begins_with", operand, start)
        case Function(name):
            raise _wrong_operator(name)
        case And():
            raise TypeError("the parts of an And must be tested one by one")


def _test_of_first_operand(operator: Literal["BETWEEN", "begins_with"], first: object, *others: object) -> KeyTest:
    if isinstance(first, Parameter | Constant):
        rule = f"{operator} operator must have the key attribute as its first operand"
        raise invalid(f"Invalid condition in KeyConditionExpression: {rule}")
    return _key_test(operator, first, *others)


def _key_test(operator: KeyOperator, *operands: object) -> KeyTest:
    """Return the test of the attribute among the operands; reject operands with no attribute or with several."""
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
    """Reject partition attributes without a test, then partition attributes with a test other than equality."""
    missing = [name for name in names if name not in tests] or _without_equality(names, tests)
    if missing:
        raise _equality_needed("HASH", missing)


def _require_order(sort: Sequence[str], tested: list[str], tests: Mapping[str, KeyTest]) -> None:
    """Reject a test of a sort attribute if an earlier sort attribute has no test, or a test other than equality."""
    for position, name in enumerate(tested):
        if sort[position] != name:
            before = sort[: sort.index(name)]
            raise _equality_needed("RANGE", [name for name in before if name not in tests], because=name)
    if missing := _without_equality(tested[:-1], tests):
        raise _equality_needed("RANGE", missing, because=tested[-1])


def _without_equality(names: Sequence[str], tests: Mapping[str, KeyTest]) -> list[str]:
    return [name for name in names if tests[name].operator != "="]


def _equality_needed(kind: Literal["HASH", "RANGE"], names: list[str], because: str | None = None) -> RequestRefused:
    rule = f"{kind} key attributes {', '.join(names)} must have equality conditions specified in the query"
    return invalid(f"{rule} because a condition is present on key attribute {because}" if because else rule)


def _missing_key(name: str) -> RequestRefused:
    return invalid(f"Query condition missed key schema element: {name}")


def _wrong_operator(operator: str) -> RequestRefused:
    return invalid(f"Invalid operator used in KeyConditionExpression: {operator}")
