"""The tokens of a PartiQL statement, each with its place, and how a statement that makes no sense is refused."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from singletable.errors import RequestRefused
from singletable.partiql.reserved_words import RESERVED_WORDS

NOT_WELL_FORMED = "Statement wasn't well formed, can't be processed: "

_INT32_MIN, _INT32_MAX = -(2**31), 2**31 - 1
_TOKEN = re.compile(
    r"""(?P<space> [ \t\r\n\f\v]+ | --[^\n]* | /\*.*?\*/)
    | (?P<word> [A-Za-z_$][A-Za-z0-9_$]*)
    | (?P<quoted> "(?:[^"]|"")*")
    | (?P<string> '(?:[^']|'')*')
    | (?P<number> (?:[0-9]+(?:\.[0-9]*)? | \.[0-9]+) (?:[eE][+-]?[0-9]+)?)
    | (?P<symbol> << | >> | <> | != | <= | >= | [=<>()\[\]{}.,:;?*+-])""",
    re.VERBOSE | re.DOTALL,
)
_EXPONENT = re.compile(r"(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$")


class Position(NamedTuple):
    """Where a token stands, counted from 1, and how long it is; the service writes it as `1:8:5`."""

    line: int
    column: int
    length: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}:{self.length}"


class StatementRefused(RequestRefused):
    """A statement that cannot be read, and where."""

    def __init__(self, message: str, position: Position) -> None:
        super().__init__("ValidationException", message)
        self.position = position


class Token(NamedTuple):
    """A token; the kind of symbols and reserved words is what they are, in capitals.

    The others are `name` (with the name as its value), `string`, `number` and `end`.
    """

    kind: str
    text: str
    value: Any
    position: Position


def not_well_formed(detail: str, token: Token) -> StatementRefused:
    """The refusal of a statement at the token that cannot stand where it stands."""
    return StatementRefused(f"{NOT_WELL_FORMED}{detail}", token.position)


def tokens_of(text: str) -> list[Token]:
    """The tokens of a statement, without its comments, and one more for its end."""
    tokens: list[Token] = []
    at, line, line_start = 0, 1, 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise StatementRefused(NOT_WELL_FORMED, Position(line, at - line_start + 1, 1))
        written = match.group()
        position = Position(line, at - line_start + 1, len(written))
        if match.lastgroup != "space":
            tokens.append(_token(str(match.lastgroup), written, position))
        at = match.end()
        if "\n" in written:
            line += written.count("\n")
            line_start = match.start() + written.rindex("\n") + 1
    tokens.append(Token("end", "", None, Position(line, at - line_start + 1, 0)))
    return tokens


def _token(group: str, written: str, position: Position) -> Token:
    match group:
        case "word":
            upper = written.upper()
            return Token(upper if upper in RESERVED_WORDS else "name", written, written, position)
        case "quoted":
            return Token("name", written, written[1:-1].replace('""', '"'), position)
        case "string":
            return Token("string", written, written[1:-1].replace("''", "'"), position)
        case "number":
            _refuse_exponent(written, position)
            return Token("number", written, written, position)
        case _:
            return Token("<>" if written == "!=" else written, written, None, position)


def _refuse_exponent(written: str, position: Position) -> None:
    """An exponent, and the digits behind the point without it, fit into 32 bits, or nothing is said about them."""
    match = _EXPONENT.search(written)
    if match is None or match.group(2) is None:
        return
    fraction, exponent = match.groups("")
    # The digits are counted first: Python reads some thousands of them slowly, or not at all.
    power = int(exponent) if len(exponent.lstrip("+-0")) <= 10 else _INT32_MAX + 1
    if not (_INT32_MIN <= power <= _INT32_MAX and _INT32_MIN <= len(fraction) - power <= _INT32_MAX):
        raise StatementRefused(NOT_WELL_FORMED, position)
