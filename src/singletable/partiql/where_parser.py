"""The parser of the PartiQL expressions in WHERE and SET clauses, which builds trees of DynamoDB expressions.

OR has the lowest precedence, followed by AND, NOT, comparisons and sums. PartiQL can compare a condition with a value,
as in `contains(a, 'b') = false`. The tree has no node for such a comparison, so the parser rewrites it with AND, OR and
NOT.
"""

from __future__ import annotations

from typing import cast

from singletable.errors import invalid
from singletable.expressions.operand_checks import between_checks, comparison_checks, function_checks, in_checks
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
)
from singletable.partiql.literals import literal, starts_literal
from singletable.partiql.statement_lexer import StatementRefused, StatementToken, not_well_formed
from singletable.partiql.statement_reader import StatementReader

Node = Condition | Operand

PARENTHESES_MAX = 64  # each open parenthesis is a level of recursion
COMPARED_CONDITIONS_MAX = 4  # each comparison of a condition with a value may double the size of the tree

TESTS = frozenset({"attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains"})
TYPES = {
    "NULL": "NULL",
    "BOOL": "BOOL",
    "BOOLEAN": "BOOL",
    "BLOB": "B",
    "STRING": "S",
    "NUMERIC": "N",
    "STRUCT": "M",
    "TUPLE": "M",
    "LIST": "L",
}
_OTHER_TYPE_WORDS = """
    ANY BAG CHAR CHARACTER CLOB DATE DEC DECIMAL DOUBLE FLOAT INT INT2 INT4 INT8 INTEGER REAL SEXP SMALLINT SYMBOL TIME
    TIMESTAMP VARCHAR
"""
_OTHER_TYPES = frozenset(_OTHER_TYPE_WORDS.split())
_COMPARATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_NOT_FUNCTIONS = frozenset({"AND", "OR", "NOT", "IN", "IS", "BETWEEN", "LIKE", "SELECT", "FROM", "WHERE", "ORDER"})
_NO_RIGHT_SIDE = "Missing right-hand side expression of infix operator"
_OR, _AND, _NOT, _COMPARISON, _SUM, _TERM = range(6)
_PRECEDENCES = {
    "OR": _OR,
    "AND": _AND,
    **dict.fromkeys((*_COMPARATORS, "IN", "BETWEEN", "IS", "LIKE", "NOT"), _COMPARISON),
    "+": _SUM,
    "-": _SUM,
}


class ExpressionParser:
    """Parses conditions and operands. Limits the depth of parentheses and the number of compared conditions."""

    def __init__(self, reader: StatementReader) -> None:
        self._reader = reader
        self._open_parentheses = 0
        self._compared_conditions = 0

    def condition(self) -> Condition:
        """Parse a condition."""
        start = self._reader.next
        return self._as_condition(self._expression(_OR), start)

    def sum(self) -> Operand:
        """Parse an operand, a sum or a difference."""
        start = self._reader.next
        return self._as_operand(self._expression(_SUM), start)

    def arguments(self) -> tuple[Operand, ...]:
        """Parse the arguments of a function, including the parentheses."""
        reader = self._reader
        reader.take("(", "Expected LEFT_PAREN")
        arguments: list[Operand] = []
        while not reader.accept(")"):
            if arguments:
                reader.take(",", "Expected RIGHT_PAREN")
            arguments.append(self._operand())
        return tuple(arguments)

    def _operand(self) -> Operand:
        start = self._reader.next
        operand = self._as_operand(self._expression(_SUM), start)
        if isinstance(operand, Arithmetic):
            raise _operator_error(operand.operator)
        return operand

    def _expression(self, precedence: int) -> Node:
        """Parse an expression up to the first operator with a lower precedence than this one."""
        reader = self._reader
        start = reader.next
        negations = 0
        while precedence <= _NOT and reader.accept("NOT"):
            reader.count_operator()
            negations += 1
        if negations:
            negated: Condition = self._as_condition(self._expression(_COMPARISON), start)
            for _ in range(negations):
                negated = Not(negated)
            node: Node = negated
        else:
            node = self._term()
        while (level := _PRECEDENCES.get(reader.kind)) is not None and level >= precedence:
            if reader.kind == "NOT" and reader.kind_after_next() not in ("IN", "BETWEEN", "LIKE"):
                break
            node = self._infix(node, start)
        return node

    def _infix(self, left: Node, start: StatementToken) -> Node:
        """Parse an operator and its right operand; `start` is the first token of the left operand."""
        reader = self._reader
        operator = reader.next
        reader.count_operator()
        if operator.kind in ("AND", "OR"):
            return self._chain(self._as_condition(left, start), operator.kind)
        reader.at += 1
        if operator.kind == "NOT":
            return Not(cast(Condition, self._infix(left, start)))
        match operator.kind:
            case "+" | "-":
                right = self._right_operand(_TERM)
                one, other = self._as_operand(left, start), self._as_operand(right, operator)
                if isinstance(one, Arithmetic):
                    raise invalid(f"Unsupported operator in Update Expression. Operator: {operator.kind}")
                return Arithmetic(operator.kind, one, other)
            case "IN":
                return self._in(left)
            case "BETWEEN":
                return self._between(self._as_operand(left, start))
            case "IS":
                return self._is(self._as_operand(left, start))
            case "LIKE":
                raise _operator_error("LIKE")
            case _:
                return self._comparison(cast(Comparator, operator.kind), left, self._right_operand(_SUM))

    def _chain(self, first: Condition, operator: str) -> Condition:
        """Parse a chain of conditions with the same operator, AND or OR, into one node."""
        parts = [first]
        while self._reader.accept(operator):
            start = self._reader.next
            parts.append(self._as_condition(self._right_operand(_NOT if operator == "AND" else _AND), start))
            if self._reader.kind == operator:
                self._reader.count_operator()
        return And(tuple(parts)) if operator == "AND" else Or(tuple(parts))

    def _right_operand(self, precedence: int) -> Node:
        if self._reader.kind in ("end", ";"):
            raise not_well_formed(_NO_RIGHT_SIDE, self._reader.next)
        return self._expression(precedence)

    def _term(self) -> Node:
        reader = self._reader
        if reader.kind == "(":
            return self._parenthesised()
        if reader.kind_after_next() == "(" and reader.next.text[:1].isalpha() and reader.kind not in _NOT_FUNCTIONS:
            return self._call()
        if reader.kind == "name":
            return reader.path()
        if reader.kind == "?":
            return reader.parameter()
        if starts_literal(reader):
            return literal(reader)
        raise reader.no_term()

    def _parenthesised(self) -> Node:
        reader = self._reader
        self._count_parenthesis()
        reader.at += 1
        node = self._expression(_OR)
        reader.take(")", "Expected RIGHT_PAREN")
        self._open_parentheses -= 1
        return node

    def _count_parenthesis(self) -> None:
        self._open_parentheses += 1
        if self._open_parentheses > PARENTHESES_MAX:
            raise not_well_formed(f"More than {PARENTHESES_MAX} parentheses are open", self._reader.next)

    def _call(self) -> Function:
        reader = self._reader
        token, name = reader.next, reader.next.text.lower()
        if name not in TESTS and name != "size":
            raise StatementRefused(f"Unrecognized function: {name} at {token.position}", token.position)
        self._count_parenthesis()
        reader.at += 1
        reader.count_operator()
        function = Function(name, self.arguments())
        self._open_parentheses -= 1
        reader.checks += function_checks(function)
        return function

    def _in(self, left: Node) -> Condition:
        reader = self._reader
        closing = "]" if reader.kind == "[" else ")"
        if not (reader.accept("[") or reader.accept("(")):
            raise reader.no_term()
        options = [self._operand()]
        while not reader.accept(closing):
            reader.take(",", "Expected RIGHT_BRACKET" if closing == "]" else "Expected RIGHT_PAREN")
            options.append(self._operand())
        if _is_condition(left):
            return Or(tuple(self._comparison("=", left, option) for option in options))
        operand = self._simple_operand(left)
        reader.checks += in_checks(operand, tuple(options))
        return In(operand, tuple(options))

    def _between(self, operand: Operand) -> Condition:
        low = self._operand()
        self._reader.take("AND", "Expected AND after BETWEEN")
        high = self._operand()
        operand = self._simple_operand(operand)
        self._reader.checks += between_checks(operand, low, high)
        return BetweenBounds(operand, low, high)

    def _is(self, operand: Operand) -> Condition:
        reader = self._reader
        is_negated = reader.accept("NOT")
        token = reader.next
        name = token.text.upper()
        if name != "MISSING" and name not in TYPES:
            if name not in _OTHER_TYPES:
                raise not_well_formed("Expected type name", token)
            supported = "[MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST]"
            rule = f"Unsupported data type for IS operator: {name}. Supported data types are {supported}"
            raise StatementRefused(rule, token.position)
        reader.at += 1
        if name == "MISSING":
            function = Function("attribute_exists" if is_negated else "attribute_not_exists", (operand,))
            reader.checks += function_checks(function)
            return function
        function = Function("attribute_type", (operand, Constant({"S": TYPES[name]})))
        return Not(function) if is_negated else function

    def _comparison(self, comparator: Comparator, left: Node, right: Node) -> Condition:
        if _is_condition(left) or _is_condition(right):
            if comparator not in ("=", "<>"):
                rule = "Incorrect operand type for operator or function; operator or function"
                raise invalid(f"{rule}: {comparator}, operand type: BOOL")
            equivalence = self._equivalence(left, right) if _is_condition(left) else self._equivalence(right, left)
            return equivalence if comparator == "=" else Not(equivalence)
        one, other = self._simple_operand(left), self._simple_operand(right)
        self._reader.checks += comparison_checks(comparator, one, other)
        return Compare(comparator, one, other)

    def _equivalence(self, condition: Node, other: Node) -> Condition:
        """Return a condition that is true if both operands are true, or if both are false."""
        first = cast(Condition, condition)
        if isinstance(other, Constant) and "BOOL" in other.value:
            return first if other.value["BOOL"] else Not(first)
        self._compared_conditions += 1
        if self._compared_conditions > COMPARED_CONDITIONS_MAX:
            raise invalid(
                f"At most {COMPARED_CONDITIONS_MAX} conditions can be compared with values other than booleans"
            )
        if isinstance(other, Constant):
            return And((first, Not(first)))
        if _is_condition(other):
            second = cast(Condition, other)
            return Or((And((first, second)), And((Not(first), Not(second)))))
        value = self._simple_operand(other)
        is_true, is_false = (Compare("=", value, Constant({"BOOL": truth})) for truth in (True, False))
        return Or((And((first, is_true)), And((Not(first), is_false))))

    def _simple_operand(self, node: Node) -> Operand:
        """Return an operand of a condition; reject a sum or a difference."""
        if isinstance(node, Arithmetic):
            raise _operator_error(node.operator)
        return cast(Operand, node)

    def _as_condition(self, node: Node, start: StatementToken) -> Condition:
        """Return a node as a condition; reject an operand. `start` is the first token of the node."""
        if _is_condition(node):
            return cast(Condition, node)
        if isinstance(node, Arithmetic):
            raise _operator_error(node.operator)
        raise not_well_formed(f"Expected a condition at {start.position}", start)

    def _as_operand(self, node: Node, start: StatementToken) -> Operand:
        """Return a node as an operand; reject a condition. `start` is the first token of the node."""
        if _is_condition(node):
            raise not_well_formed(f"Expected a value at {start.position}", start)
        return cast(Operand, node)


def _is_condition(node: Node) -> bool:
    if isinstance(node, Function):
        return node.name in TESTS
    return isinstance(node, Compare | BetweenBounds | In | And | Or | Not)


def _operator_error(operator: str) -> Exception:
    return invalid(f"Unsupported operator in Condition Expression. Operator: {operator}")
