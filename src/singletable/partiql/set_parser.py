"""The assignments of an UPDATE: a path, and the value, sum, longer list or changed set that it becomes."""

from __future__ import annotations

from typing import Any, Literal

from singletable.expressions.checks import SET_TYPES, Check, Values, kind_of, typed, update_function_checks
from singletable.expressions.tree import Arithmetic, Change, Constant, Function, Operand, Parameter, Path
from singletable.partiql.expression_parser import ExpressionParser
from singletable.partiql.lexer import Position, StatementRefused, Token, not_well_formed
from singletable.partiql.reader import Reader

_SETS: dict[str, Literal["ADD", "DELETE"]] = {"set_add": "ADD", "set_delete": "DELETE"}


def assignment(reader: Reader) -> Change:
    """One assignment of a SET."""
    path = reader.path()
    reader.take("=", "Expected '=' in the assignment")
    token = reader.next
    if reader.following() == "(" and token.kind == "name":
        reader.count_operator()
        return _called(reader, path, token)
    value = ExpressionParser(reader).sum()
    _refuse_functions((value,), token)
    if isinstance(value, Arithmetic):
        _refuse_functions((value.left, value.right), token)
        reader.checks += typed(value.operator, (value.left, value.right), frozenset({"N"}))
    return Change("SET", path, value)


def _called(reader: Reader, path: Path, token: Token) -> Change:
    name = token.text.lower()
    if name not in _SETS and name != "list_append":
        raise _unrecognized(name, token)
    reader.at += 1
    first = reader.tokens[min(reader.at + 1, len(reader.tokens) - 1)].position
    arguments = ExpressionParser(reader).arguments()
    _refuse_functions(arguments, token)
    if name == "list_append":
        function = Function(name, arguments)
        reader.checks += update_function_checks(function)
        return Change("SET", path, function)
    if len(arguments) != 2:
        raise _misused(name, "must have exactly two arguments", token.position)
    if arguments[0] != path:
        raise StatementRefused(
            f"The first argument to {name.upper()} must equal the assignment value at {token.position}", token.position
        )
    reader.checks.append(_set_check(name, arguments[1], first))
    return Change(_SETS[name], path, arguments[1])


def _refuse_functions(operands: tuple[Operand, ...], token: Token) -> None:
    """What a value is made of are paths, values and their sums."""
    for operand in operands:
        if isinstance(operand, Function):
            raise _unrecognized(operand.name, token)


def _set_check(name: str, operand: Operand, first: Position) -> Check:
    """That the second argument is a set; the service tells the place of the first one (captured)."""
    message = f"The second argument to {name.upper()} must be a value with type SET at {first}"

    def check(values: Values) -> str | None:
        value: Any = None
        if isinstance(operand, Constant):
            value = operand.value
        elif isinstance(operand, Parameter):
            value = values[operand.name]
        return None if value is not None and kind_of(value) in SET_TYPES else message

    return check


def _misused(name: str, rule: str, position: Position) -> StatementRefused:
    return StatementRefused(f"{name.upper()} {rule} at {position}", position)


def _unrecognized(name: str, token: Token) -> StatementRefused:
    if name == "size":
        return not_well_formed("The function size has no place in an assignment", token)
    return StatementRefused(f"Unrecognized function: {name} at {token.position}", token.position)
