"""The printer of PartiQL statements, the inverse of the parser: prints names in quotes and values as literals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.expressions.printer import Placeholders, Printer
from singletable.expressions.tree import Change, Condition, Constant, Function, Operand, Parameter, Path
from singletable.partiql.statements import (
    DeleteStatement,
    ExistsStatement,
    InsertStatement,
    SelectStatement,
    Statement,
    StatementSource,
    UpdateStatement,
)

_SET_FUNCTIONS = {"ADD": "set_add", "DELETE": "set_delete"}


class _Literals(Placeholders):
    """Prints quoted names and literals instead of placeholders."""

    def name(self, attribute: str) -> str:
        return quoted(attribute)

    def value(self, value: object) -> str:
        return str(value)


def statement_text(statement: Statement) -> str:
    """Return the text of a statement."""
    match statement:
        case SelectStatement(source, columns, where, order):
            shown = "*" if columns is None else ", ".join(map(_path, columns))
            orders = ", ".join(f"{quoted(each.attribute)} {'DESC' if each.descending else 'ASC'}" for each in order)
            words = ["SELECT", shown, "FROM", _source(source), *_where(where)]
            return " ".join([*words, "ORDER BY", orders] if orders else words)
        case InsertStatement(source, item):
            members = ", ".join(f"{_string(name)}: {shown_value(value)}" for name, value in item)
            return " ".join(["INSERT INTO", _source(source), f"VALUE {{{members}}}"])
        case UpdateStatement(source, changes, where, returning):
            return " ".join(["UPDATE", _source(source), *map(_change, changes), *_where(where), *_returning(returning)])
        case DeleteStatement(source, where, returning):
            return " ".join(["DELETE FROM", _source(source), *_where(where), *_returning(returning)])
        case ExistsStatement(select):
            return f"EXISTS({statement_text(select)})"


def condition_text(condition: Condition, values: Mapping[str, Any] | None = None) -> str:
    """Return the text of a condition. Print the parameters in `values` as literals, and all others as `?`."""
    return _printer(values or {}).condition(condition)


def quoted(name: str) -> str:
    """Return a name in double quotes."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def shown_value(value: Constant | Parameter, values: Mapping[str, Any] | None = None) -> str:
    """Return a value as a literal. Return `?` for an unknown parameter, and for a binary, which has no literal."""
    if isinstance(value, Parameter):
        return _literal(values[value.name]) if values and value.name in values else "?"
    return _literal(value.value)


def _printer(values: Mapping[str, Any]) -> Printer:
    return Printer(_Literals(), lambda name: name, lambda value: shown_value(value, values))


def _source(source: StatementSource) -> str:
    return quoted(source.table) if source.index is None else f"{quoted(source.table)}.{quoted(source.index)}"


def _where(where: Condition | None) -> list[str]:
    return [] if where is None else ["WHERE", condition_text(where)]


def _returning(returning: str | None) -> list[str]:
    return [] if returning is None else ["RETURNING", returning, "*"]


def _change(change: Change) -> str:
    path = _path(change.path)
    if change.action == "REMOVE" or change.value is None:
        return f"REMOVE {path}"
    if change.action in _SET_FUNCTIONS:
        return f"SET {path} = {_SET_FUNCTIONS[change.action]}({path}, {_operand(change.value)})"
    value = Function("list_append", (change.path, change.value)) if change.action == "APPEND" else change.value
    return f"SET {path} = {_operand(value)}"


def _path(path: Path) -> str:
    return _operand(path)


def _operand(operand: Operand) -> str:
    return _printer({}).operand(operand)


def _literal(value: dict[str, Any]) -> str:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return _string(content)
        case "N":
            return str(content)
        case "BOOL":
            return "true" if content else "false"
        case "NULL":
            return "null"
        case "L":
            return f"[{', '.join(map(_literal, content))}]"
        case "M":
            return f"{{{', '.join(f'{_string(name)}: {_literal(inner)}' for name, inner in content.items())}}}"
        case "SS":
            return f"<<{', '.join(map(_string, content))}>>"
        case "NS":
            return f"<<{', '.join(content)}>>"
        case _:
            return "?"


def _string(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'"
