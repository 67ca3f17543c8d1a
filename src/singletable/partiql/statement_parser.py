"""The parser of PartiQL statements: SELECT, INSERT, UPDATE, DELETE, and EXISTS in transactions."""

from __future__ import annotations

from typing import Any, Literal, cast

from singletable.errors import RequestRefused, invalid
from singletable.expressions.operand_checks import (
    SET_TYPES,
    Check,
    Values,
    kind_of,
    type_checks,
    update_function_checks,
)
from singletable.expressions.projection import target_checks
from singletable.expressions.tree import Arithmetic, Change, Condition, Constant, Function, Operand, Parameter, Path
from singletable.partiql.literals import item_literal
from singletable.partiql.statement_lexer import StatementRefused, StatementToken, TokenPosition, not_well_formed
from singletable.partiql.statement_reader import StatementReader
from singletable.partiql.statements import (
    DeleteStatement,
    ExistsStatement,
    InsertStatement,
    OrderBy,
    ParsedStatement,
    Returning,
    SelectStatement,
    Statement,
    UpdateStatement,
    column_name,
)
from singletable.partiql.where_parser import ExpressionParser

_SET_FUNCTIONS: dict[str, Literal["ADD", "DELETE"]] = {"set_add": "ADD", "set_delete": "DELETE"}
_TEXT_AFTER_END = "Unexpected token after expression"
_EXPECTED_STATEMENT = "Expected data manipulation"


def parse_statement(text: str) -> ParsedStatement:
    """Parse a statement. Raise RequestRefused if it is invalid, mostly as StatementRefused with a position."""
    reader = StatementReader(text)
    statement = _statement(reader)
    reader.accept(";")
    reader.take("end", _TEXT_AFTER_END)
    return ParsedStatement(statement, tuple(reader.checks), tuple(reader.parameters))


def _statement(reader: StatementReader) -> Statement:
    match reader.kind:
        case "SELECT":
            return _select(reader)
        case "INSERT":
            return _insert(reader)
        case "UPDATE":
            return _update(reader)
        case "DELETE":
            return _delete(reader)
        case "FROM":
            return _update_from(reader)
        case "EXISTS":
            return _exists(reader)
        case _:
            raise not_well_formed(_EXPECTED_STATEMENT, reader.next)


def _select(reader: StatementReader) -> SelectStatement:
    reader.take("SELECT", _EXPECTED_STATEMENT)
    columns = _columns(reader)
    reader.take("FROM", "Expected FROM")
    if reader.kind != "name":
        raise reader.no_term()
    source = reader.source()
    _reject_alias(reader)
    where = _where_clause(reader)
    order = _order_by_clause(reader)
    if reader.accept("LIMIT"):
        position = reader.next.position
        raise StatementRefused(f"Unsupported clause: LIMIT at {position}", position)
    return SelectStatement(source, columns, where, order)


def _columns(reader: StatementReader) -> tuple[Path, ...] | None:
    """Parse the columns of a SELECT; None means all attributes."""
    if reader.accept("*"):
        if reader.kind == ",":
            raise _star_with_columns_error()
        return None
    columns = [_column(reader)]
    while reader.accept(","):
        if reader.kind == "*":
            raise _star_with_columns_error()
        columns.append(_column(reader))
    names: set[str] = set()
    for name in map(column_name, columns):
        if name in names:
            raise invalid(f"Duplicate identifiers in select clause: {name}")
        names.add(name)
    return tuple(columns)


def _column(reader: StatementReader) -> Path:
    token = reader.next
    if reader.kind_after_next() == "(" and token.kind.isalpha():
        raise StatementRefused(f"Unexpected path component at {token.position}", token.position)
    if token.kind != "name":
        raise reader.no_term()
    path = reader.path()
    if reader.kind in ("AS", "name"):
        raise _alias_error()
    return path


def _star_with_columns_error() -> RequestRefused:
    return invalid("Other attributes should not be present in the projection when '*' is used.")


def _alias_error() -> RequestRefused:
    return invalid("Aliasing is not supported")


def _reject_alias(reader: StatementReader) -> None:
    if reader.kind in ("AS", "name"):
        raise _alias_error()


def _where_clause(reader: StatementReader) -> Condition | None:
    return ExpressionParser(reader).condition() if reader.accept("WHERE") else None


def _order_by_clause(reader: StatementReader) -> tuple[OrderBy, ...]:
    if not reader.accept("ORDER"):
        return ()
    reader.take("BY", "Expected BY")
    orders = [_order_by(reader)]
    while reader.accept(","):
        orders.append(_order_by(reader))
    return tuple(orders)


def _order_by(reader: StatementReader) -> OrderBy:
    attribute = reader.path("Unexpected term")
    if reader.accept("DESC"):
        return OrderBy(str(attribute), descending=True)
    reader.accept("ASC")
    return OrderBy(str(attribute))


def _insert(reader: StatementReader) -> InsertStatement:
    reader.take("INSERT", _EXPECTED_STATEMENT)
    reader.take("INTO", "Expected INTO")
    source = reader.source()
    if source.index is not None:
        raise invalid("FROM clause may only contain a single table name")
    if reader.kind == "name":
        raise not_well_formed(_TEXT_AFTER_END, reader.next)
    reader.take("VALUE", "Unexpected keyword" if reader.kind.isalpha() else "Expected VALUE")
    item = item_literal(reader)
    if reader.kind == "RETURNING":
        raise invalid("RETURNING is not supported in INSERT")
    return InsertStatement(source, item)


def _update(reader: StatementReader) -> UpdateStatement:
    reader.take("UPDATE", _EXPECTED_STATEMENT)
    source = reader.source()
    _reject_alias(reader)
    changes = _changes(reader)
    where = _where_clause(reader)
    return UpdateStatement(source, changes, where, _returning_clause(reader))


def _update_from(reader: StatementReader) -> UpdateStatement:
    """Parse the form `FROM table WHERE ... SET ...` of an UPDATE, which has the condition before the changes."""
    reader.take("FROM", _EXPECTED_STATEMENT)
    source = reader.source()
    _reject_alias(reader)
    where = _where_clause(reader)
    changes = _changes(reader)
    return UpdateStatement(source, changes, where, _returning_clause(reader))


def _changes(reader: StatementReader) -> tuple[Change, ...]:
    """Parse all SET and REMOVE clauses; a SET clause can have several assignments, a REMOVE clause has one path."""
    changes: list[Change] = []
    while reader.kind in ("SET", "REMOVE"):
        if reader.accept("REMOVE"):
            changes.append(Change("REMOVE", reader.path()))
            continue
        reader.at += 1
        changes.append(_assignment(reader))
        while reader.accept(","):
            changes.append(_assignment(reader))
    if not changes:
        raise not_well_formed(_EXPECTED_STATEMENT, reader.next)
    reader.checks += target_checks([(change.path, []) for change in changes])
    return tuple(changes)


def _assignment(reader: StatementReader) -> Change:
    """Parse one assignment of a SET clause, such as `a = a + 1` or `a = set_add(a, ?)`."""
    path = reader.path()
    reader.take("=", "Expected '=' in the assignment")
    token = reader.next
    if reader.kind_after_next() == "(" and token.kind == "name":
        reader.count_operator()
        return _function_change(reader, path, token)
    value = ExpressionParser(reader).sum()
    _reject_functions((value,), token)
    if isinstance(value, Arithmetic):
        _reject_functions((value.left, value.right), token)
        reader.checks += type_checks(value.operator, (value.left, value.right), frozenset({"N"}))
    return Change("SET", path, value)


def _function_change(reader: StatementReader, path: Path, token: StatementToken) -> Change:
    name = token.text.lower()
    if name not in _SET_FUNCTIONS and name != "list_append":
        raise _function_error(name, token)
    reader.at += 1
    first = reader.tokens[min(reader.at + 1, len(reader.tokens) - 1)].position
    arguments = ExpressionParser(reader).arguments()
    _reject_functions(arguments, token)
    if name == "list_append":
        function = Function(name, arguments)
        reader.checks += update_function_checks(function)
        return Change("SET", path, function)
    if len(arguments) != 2:
        raise _argument_error(name, "must have exactly two arguments", token.position)
    if arguments[0] != path:
        raise StatementRefused(
            f"The first argument to {name.upper()} must equal the assignment value at {token.position}", token.position
        )
    reader.checks.append(_set_check(name, arguments[1], first))
    return Change(_SET_FUNCTIONS[name], path, arguments[1])


def _reject_functions(operands: tuple[Operand, ...], token: StatementToken) -> None:
    """Reject function calls. Only paths, values, sums and differences can be assigned or passed to a function."""
    for operand in operands:
        if isinstance(operand, Function):
            raise _function_error(operand.name, token)


def _set_check(name: str, operand: Operand, first: TokenPosition) -> Check:
    """Return the check that the second argument is a set. Its error has the position `first` (captured from AWS)."""
    message = f"The second argument to {name.upper()} must be a value with type SET at {first}"

    def check(values: Values) -> str | None:
        value: Any = None
        if isinstance(operand, Constant):
            value = operand.value
        elif isinstance(operand, Parameter):
            value = values[operand.name]
        return None if value is not None and kind_of(value) in SET_TYPES else message

    return check


def _argument_error(name: str, rule: str, position: TokenPosition) -> StatementRefused:
    return StatementRefused(f"{name.upper()} {rule} at {position}", position)


def _function_error(name: str, token: StatementToken) -> StatementRefused:
    if name == "size":
        return not_well_formed("The function size has no place in an assignment", token)
    return StatementRefused(f"Unrecognized function: {name} at {token.position}", token.position)


def _delete(reader: StatementReader) -> DeleteStatement:
    reader.take("DELETE", _EXPECTED_STATEMENT)
    reader.take("FROM", "Expected FROM")
    source = reader.source()
    _reject_alias(reader)
    where = _where_clause(reader)
    returning = _returning_clause(reader)
    if returning not in (None, "ALL OLD"):
        raise invalid(
            f"Invalid returning clause: RETURNING {returning} *. "
            "Only RETURNING ALL OLD * is allowed in DELETE statements."
        )
    return DeleteStatement(source, where, returning)


def _returning_clause(reader: StatementReader) -> Returning | None:
    if not reader.accept("RETURNING"):
        return None
    part: Literal["ALL", "MODIFIED"] = "ALL"
    if not reader.accept("ALL"):
        if not reader.accept_word("MODIFIED"):
            raise not_well_formed("Expected ALL or MODIFIED after RETURNING", reader.next)
        part = "MODIFIED"
    age: Literal["OLD", "NEW"] = "OLD"
    if not reader.accept_word("OLD"):
        if not reader.accept_word("NEW"):
            raise not_well_formed("Expected OLD or NEW in RETURNING", reader.next)
        age = "NEW"
    reader.take("*", "Expected * at the end of RETURNING")
    return cast(Returning, f"{part} {age}")


def _exists(reader: StatementReader) -> ExistsStatement:
    reader.take("EXISTS", _EXPECTED_STATEMENT)
    reader.take("(", "Expected LEFT_PAREN")
    select = _select(reader)
    reader.take(")", "Expected RIGHT_PAREN")
    return ExistsStatement(select)
