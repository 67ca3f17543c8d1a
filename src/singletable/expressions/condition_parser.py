"""The parser of condition, filter and key condition expressions. NOT has precedence over AND, and AND over OR."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from singletable.expressions.expression_reader import AllowedFunctions, ExpressionReader
from singletable.expressions.lexer import COMPARATORS
from singletable.expressions.operand_checks import Check, between_checks, comparison_checks, function_checks, in_checks
from singletable.expressions.tree import (
    And,
    BetweenBounds,
    Comparator,
    Compare,
    Condition,
    Function,
    In,
    Not,
    Operand,
    Or,
)
from singletable.lazy_dataclass import dataclass

_TESTS = frozenset({"attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains"})
_FUNCTIONS = AllowedFunctions("a condition", _TESTS | {"size"}, function_checks)


@dataclass(frozen=True)
class ParsedCondition:
    """A parsed condition with its placeholders and attributes, and the checks that need the values of a request."""

    tree: Condition
    checks: tuple[Check, ...]
    used_names: frozenset[str]
    used_values: frozenset[str]
    attributes: frozenset[str]
    nested_attributes: frozenset[str]


def parse_condition(parameter: str, text: str, names: Mapping[str, str]) -> ParsedCondition:
    """Parse a condition; `parameter` is its name in the request, such as FilterExpression."""
    reader = ExpressionReader(parameter, text, names, _FUNCTIONS)
    tree = _ConditionParser(reader).read()
    reader.finish()
    return ParsedCondition(
        tree,
        tuple(reader.checks),
        frozenset(reader.used_names),
        frozenset(reader.used_values),
        frozenset(reader.attributes),
        frozenset(reader.nested_attributes),
    )


@dataclass
class _Group:
    """The conditions and operators between two parentheses, or in the whole text.

    `opened` is the position of the opening parenthesis. `conjuncts` are the conditions after the last OR.
    """

    opened: int = -1
    negations: int = 0
    conjuncts: tuple[Condition, ...] = ()
    disjuncts: tuple[Condition, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.negations or self.conjuncts or self.disjuncts)

    def add(self, condition: Condition) -> None:
        for _ in range(self.negations):
            condition = Not(condition)
        self.negations = 0
        self.conjuncts += (condition,)

    def end_conjunction(self) -> None:
        self.disjuncts += (self.conjuncts[0] if len(self.conjuncts) == 1 else And(self.conjuncts),)
        self.conjuncts = ()

    def result(self) -> Condition:
        self.end_conjunction()
        return self.disjuncts[0] if len(self.disjuncts) == 1 else Or(self.disjuncts)


class _ConditionParser:
    """Parses a condition with a stack of open groups; the last group is the innermost one."""

    def __init__(self, reader: ExpressionReader) -> None:
        self._reader = reader
        self._groups = [_Group()]

    def read(self) -> Condition:
        """Parse the whole text."""
        reader, groups = self._reader, self._groups
        while True:
            self._open_groups()
            condition = self._condition()
            groups[-1].add(condition)
            while reader.kind == ")" and len(groups) > 1:
                group = groups.pop()
                reader.close(group.opened)
                groups[-1].add(group.result())
            operator = reader.take("AND", "OR") if len(groups) > 1 else reader.take("AND", "OR", "end")
            if operator.kind == "end":
                return groups[0].result()
            reader.operators += 1
            if operator.kind == "OR":
                groups[-1].end_conjunction()

    def _open_groups(self) -> None:
        reader = self._reader
        while reader.kind in ("NOT", "("):
            if reader.kind == "(":
                self._groups.append(_Group(reader.open()))
            else:
                reader.take("NOT")
                reader.operators += 1
                self._groups[-1].negations += 1

    def _condition(self) -> Condition:
        """Parse a comparison or a function. Some of the open groups may be parentheses around its first operand."""
        reader, groups = self._reader, self._groups
        reader.postpone_parentheses_check()
        operand, called_at = reader.operand(), reader.called_at
        while reader.kind == ")" and len(groups) > 1 and groups[-1].is_empty:
            reader.close(groups.pop().opened)
        if reader.kind in COMPARATORS or reader.kind in ("BETWEEN", "IN"):
            reader.reject_redundant_parentheses()
            reader.operators += 1
            self._reject_boolean_function(operand, called_at)
            return self._comparison(operand)
        if not isinstance(operand, Function):
            raise reader.unexpected()
        reader.reject_redundant_parentheses()
        if operand.name == "size":
            reader.add_misuse(called_at)
        return operand

    def _comparison(self, left: Operand) -> Condition:
        reader = self._reader
        operator = reader.take(*COMPARATORS, "BETWEEN", "IN").kind
        if operator == "BETWEEN":
            low = self._operand()
            reader.take("AND")
            high = self._operand()
            reader.checks += between_checks(left, low, high)
            return BetweenBounds(left, low, high)
        if operator == "IN":
            options = self._options()
            reader.checks += in_checks(left, options)
            return In(left, options)
        right = self._operand()
        reader.checks += comparison_checks(operator, left, right)
        return Compare(cast(Comparator, operator), left, right)

    def _options(self) -> tuple[Operand, ...]:
        reader = self._reader
        reader.take("(")
        options = [self._operand()]
        while reader.take(",", ")").kind == ",":
            options.append(self._operand())
        return tuple(options)

    def _operand(self) -> Operand:
        operand = self._reader.operand()
        self._reject_boolean_function(operand, self._reader.called_at)
        return operand

    def _reject_boolean_function(self, operand: Operand, called_at: int) -> None:
        """Reject a boolean function as an operand of a comparison, because it returns no value."""
        if isinstance(operand, Function) and operand.name in _TESTS:
            self._reader.add_misuse(called_at)
