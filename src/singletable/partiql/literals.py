"""The parser of literals in a statement: strings, numbers, lists, maps and bags, with DynamoDB's checks."""

from __future__ import annotations

from typing import Any

from singletable.errors import RequestRefused, invalid
from singletable.expressions.tree import Constant, Parameter
from singletable.partiql.statement_lexer import StatementRefused, not_well_formed
from singletable.partiql.statement_reader import StatementReader
from singletable.values.limits import NESTING_LEVELS_MAX
from singletable.values.scalars import canonical_number
from singletable.values.value_checks import check_value

ROOT = "root"

_CONSTANTS: dict[str, dict[str, Any]] = {"TRUE": {"BOOL": True}, "FALSE": {"BOOL": False}, "NULL": {"NULL": True}}
_STARTS = frozenset({"string", "number", "[", "{", "<<", "+", "-", *_CONSTANTS})


def starts_literal(reader: StatementReader) -> bool:
    """Return whether the next token starts a literal."""
    return reader.kind in _STARTS


def literal(reader: StatementReader) -> Constant:
    """Parse the next literal."""
    return Constant(_value(reader, ROOT, 0))


def item_literal(reader: StatementReader) -> tuple[tuple[str, Constant | Parameter], ...]:
    """Parse the item of an INSERT: a map whose values are literals or parameters."""
    if reader.kind == "?":
        raise _unsupported(reader, "Parameter", ROOT)
    reader.take("{", "Unexpected term")
    item: dict[str, Constant | Parameter] = {}
    while not reader.accept("}"):
        name = _member_name(reader)
        item[name] = reader.parameter() if reader.kind == "?" else Constant(_value(reader, ROOT, 0))
        _take_comma(reader, "}", "Expected RIGHT_CURLY")
    return tuple(item.items())


def _value(reader: StatementReader, path: str, level: int) -> dict[str, Any]:
    if level >= NESTING_LEVELS_MAX:
        raise invalid(f"Nesting Levels have exceeded supported limits under {path}")
    token = reader.next
    if token.kind in _CONSTANTS:
        reader.at += 1
        return dict(_CONSTANTS[token.kind])
    match token.kind:
        case "string":
            reader.at += 1
            return {"S": token.value}
        case "number" | "+" | "-":
            return {"N": _number(reader, path)[1]}
        case "[":
            return {"L": _elements(reader, path, level)}
        case "{":
            return {"M": _members(reader, path, level)}
        case "<<":
            return _bag(reader, path)
        case _:
            raise _not_a_literal(reader, path)


def _not_a_literal(reader: StatementReader, path: str) -> RequestRefused:
    """Return the error for a token that does not start a literal, such as a parameter, a function or a name."""
    if reader.kind == "?":
        return _unsupported(reader, "Parameter", path)
    if reader.kind == "name" or reader.kind_after_next() == "(":
        return _unsupported(reader, reader.next.text.lower(), path)
    return reader.no_term()


def _unsupported(reader: StatementReader, kind: str, path: str) -> StatementRefused:
    position = reader.next.position
    return StatementRefused(f"Unsupported data type: {kind} under key {path} at {position}", position)


def _number(reader: StatementReader, path: str) -> tuple[str, str]:
    """Parse a number, which can have several signs. Return its text and its canonical form."""
    sign = ""
    while reader.kind in ("+", "-"):
        sign = sign if reader.kind == "+" else {"": "-", "-": ""}[sign]
        reader.at += 1
    written = sign + reader.take("number", "Unexpected operator").text
    try:
        return written, canonical_number(written)
    except RequestRefused as error:
        raise invalid(f"{error.message} under {path}") from None


def _elements(reader: StatementReader, path: str, level: int) -> list[dict[str, Any]]:
    reader.at += 1
    elements: list[dict[str, Any]] = []
    while not reader.accept("]"):
        elements.append(_value(reader, f"{path}[{len(elements)}]", level + 1))
        _take_comma(reader, "]", "Expected RIGHT_BRACKET")
    return elements


def _members(reader: StatementReader, path: str, level: int) -> dict[str, Any]:
    reader.at += 1
    members: dict[str, Any] = {}
    while not reader.accept("}"):
        name = _member_name(reader)
        members[name] = _value(reader, f"{path}.{name}", level + 1)
        _take_comma(reader, "}", "Expected RIGHT_CURLY")
    return members


def _member_name(reader: StatementReader) -> str:
    name = str(reader.take("string", "Unexpected term").value)
    reader.take(":", "Expected COLON")
    return name


def _take_comma(reader: StatementReader, closing: str, otherwise: str) -> None:
    """Take the comma between two elements, unless the closing token follows.

    Reject a comma before the closing token.
    """
    if reader.kind == closing:
        return
    reader.take(",", otherwise)
    if reader.kind == closing:
        raise not_well_formed("Unexpected term", reader.next)


def _bag(reader: StatementReader, path: str) -> dict[str, Any]:
    """Parse a bag (`<<1, 2>>`), which is a set of strings or of numbers. PartiQL has no literal for binaries."""
    reader.at += 1
    kinds: set[str] = set()
    written: list[str] = []
    members: list[str] = []
    while not reader.accept(">>"):
        if reader.kind == "string":
            kinds.add("SS")
            members.append(str(reader.take("string", "Unexpected term").value))
            written.append(members[-1])
        elif reader.kind in ("number", "+", "-"):
            kinds.add("NS")
            as_written, number = _number(reader, path)
            members.append(number)
            written.append(as_written)
        else:
            kinds.add(reader.kind)
            break
        _take_comma(reader, ">>", "Expected RIGHT_DOUBLE_ANGLE_BRACKET")
    if not kinds:
        raise invalid("Empty bags are not supported")
    if not kinds <= {"SS", "NS"} or len(kinds) > 1:
        raise invalid("Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags")
    kind = kinds.pop()
    if kind == "NS" and len(set(members)) < len(members):
        rule = f"Input collection [{', '.join(written)}] contains duplicates! under {path}"
        raise invalid(f"One or more parameter values were invalid: {rule}")
    value = {kind: members}
    check_value(value)
    return value
