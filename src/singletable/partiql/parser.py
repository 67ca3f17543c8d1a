"""PartiQL statements: SELECT, INSERT, UPDATE, DELETE and the EXISTS of transactions."""

from __future__ import annotations

from typing import Literal, cast

from singletable.errors import RequestRefused, invalid
from singletable.expressions.projection_parser import target_checks
from singletable.expressions.tree import Change, Condition, Path
from singletable.partiql.expression_parser import ExpressionParser
from singletable.partiql.lexer import StatementRefused, not_well_formed
from singletable.partiql.literals import item_literal
from singletable.partiql.reader import Reader
from singletable.partiql.set_parser import assignment
from singletable.partiql.statements import (
    Delete,
    Exists,
    Insert,
    Order,
    ReadStatement,
    Returning,
    Select,
    Statement,
    Update,
    column_name,
)

_LEFT_OVER = "Unexpected token after expression"
_NO_STATEMENT = "Expected data manipulation"


def parse_statement(text: str) -> ReadStatement:
    """Read a statement; one that is not well formed is refused, with the place where it stops making sense."""
    reader = Reader(text)
    statement = _statement(reader)
    reader.accept(";")
    reader.take("end", _LEFT_OVER)
    return ReadStatement(statement, tuple(reader.checks), tuple(reader.parameters))


def _statement(reader: Reader) -> Statement:
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
            raise not_well_formed(_NO_STATEMENT, reader.next)


def _select(reader: Reader) -> Select:
    reader.take("SELECT", _NO_STATEMENT)
    columns = _columns(reader)
    reader.take("FROM", "Expected FROM")
    if reader.kind != "name":
        raise reader.no_term()
    source = reader.source()
    _refuse_alias(reader)
    where = _where(reader)
    order = _order(reader)
    if reader.accept("LIMIT"):
        position = reader.next.position
        raise StatementRefused(f"Unsupported clause: LIMIT at {position}", position)
    return Select(source, columns, where, order)


def _columns(reader: Reader) -> tuple[Path, ...] | None:
    """The columns of a SELECT; None for all that an item has."""
    if reader.accept("*"):
        if reader.kind == ",":
            raise _star_with_others()
        return None
    columns = [_column(reader)]
    while reader.accept(","):
        if reader.kind == "*":
            raise _star_with_others()
        columns.append(_column(reader))
    names: set[str] = set()
    for name in map(column_name, columns):
        if name in names:
            raise invalid(f"Duplicate identifiers in select clause: {name}")
        names.add(name)
    return tuple(columns)


def _column(reader: Reader) -> Path:
    token = reader.next
    if reader.following() == "(" and token.kind.isalpha():
        raise StatementRefused(f"Unexpected path component at {token.position}", token.position)
    if token.kind != "name":
        raise reader.no_term()
    path = reader.path()
    if reader.kind in ("AS", "name"):
        raise _no_alias()
    return path


def _star_with_others() -> RequestRefused:
    return invalid("Other attributes should not be present in the projection when '*' is used.")


def _no_alias() -> RequestRefused:
    return invalid("Aliasing is not supported")


def _refuse_alias(reader: Reader) -> None:
    if reader.kind in ("AS", "name"):
        raise _no_alias()


def _where(reader: Reader) -> Condition | None:
    return ExpressionParser(reader).condition() if reader.accept("WHERE") else None


def _order(reader: Reader) -> tuple[Order, ...]:
    if not reader.accept("ORDER"):
        return ()
    reader.take("BY", "Expected BY")
    orders = [_ordered_by(reader)]
    while reader.accept(","):
        orders.append(_ordered_by(reader))
    return tuple(orders)


def _ordered_by(reader: Reader) -> Order:
    attribute = reader.path("Unexpected term")
    if reader.accept("DESC"):
        return Order(str(attribute), descending=True)
    reader.accept("ASC")
    return Order(str(attribute))


def _insert(reader: Reader) -> Insert:
    reader.take("INSERT", _NO_STATEMENT)
    reader.take("INTO", "Expected INTO")
    source = reader.source()
    if source.index is not None:
        raise invalid("FROM clause may only contain a single table name")
    if reader.kind == "name":
        raise not_well_formed(_LEFT_OVER, reader.next)
    reader.take("VALUE", "Unexpected keyword" if reader.kind.isalpha() else "Expected VALUE")
    item = item_literal(reader)
    if reader.kind == "RETURNING":
        raise invalid("RETURNING is not supported in INSERT")
    return Insert(source, item)


def _update(reader: Reader) -> Update:
    reader.take("UPDATE", _NO_STATEMENT)
    source = reader.source()
    _refuse_alias(reader)
    changes = _changes(reader)
    where = _where(reader)
    return Update(source, changes, where, _returning(reader))


def _update_from(reader: Reader) -> Update:
    """The other form of an UPDATE, with its condition before the changes."""
    reader.take("FROM", _NO_STATEMENT)
    source = reader.source()
    _refuse_alias(reader)
    where = _where(reader)
    changes = _changes(reader)
    return Update(source, changes, where, _returning(reader))


def _changes(reader: Reader) -> tuple[Change, ...]:
    """Every SET and REMOVE; a SET may have several assignments, a REMOVE has one path."""
    changes: list[Change] = []
    while reader.kind in ("SET", "REMOVE"):
        if reader.accept("REMOVE"):
            changes.append(Change("REMOVE", reader.path()))
            continue
        reader.at += 1
        changes.append(assignment(reader))
        while reader.accept(","):
            changes.append(assignment(reader))
    if not changes:
        raise not_well_formed(_NO_STATEMENT, reader.next)
    reader.checks += target_checks([(change.path, []) for change in changes])
    return tuple(changes)


def _delete(reader: Reader) -> Delete:
    reader.take("DELETE", _NO_STATEMENT)
    reader.take("FROM", "Expected FROM")
    source = reader.source()
    _refuse_alias(reader)
    where = _where(reader)
    returning = _returning(reader)
    if returning not in (None, "ALL OLD"):
        raise invalid(
            f"Invalid returning clause: RETURNING {returning} *. "
            "Only RETURNING ALL OLD * is allowed in DELETE statements."
        )
    return Delete(source, where, returning)


def _returning(reader: Reader) -> Returning | None:
    if not reader.accept("RETURNING"):
        return None
    which: Literal["ALL", "MODIFIED"] = "ALL"
    if not reader.accept("ALL"):
        if not reader.accept_word("MODIFIED"):
            raise not_well_formed("Expected ALL or MODIFIED after RETURNING", reader.next)
        which = "MODIFIED"
    when: Literal["OLD", "NEW"] = "OLD"
    if not reader.accept_word("OLD"):
        if not reader.accept_word("NEW"):
            raise not_well_formed("Expected OLD or NEW in RETURNING", reader.next)
        when = "NEW"
    reader.take("*", "Expected * at the end of RETURNING")
    return cast(Returning, f"{which} {when}")


def _exists(reader: Reader) -> Exists:
    reader.take("EXISTS", _NO_STATEMENT)
    reader.take("(", "Expected LEFT_PAREN")
    select = _select(reader)
    reader.take(")", "Expected RIGHT_PAREN")
    return Exists(select)
