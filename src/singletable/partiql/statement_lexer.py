"""The lexer of PartiQL statements: tokens with positions, reserved words and syntax errors."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from singletable.errors import RequestRefused

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


class TokenPosition(NamedTuple):
    """The line and column of a token, both counted from 1, and its length. DynamoDB shows them as `1:8:5`."""

    line: int
    column: int
    length: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}:{self.length}"


class StatementRefused(RequestRefused):
    """The error for an invalid statement, with the position of the invalid token."""

    def __init__(self, message: str, position: TokenPosition) -> None:
        super().__init__("ValidationException", message)
        self.position = position


class StatementToken(NamedTuple):
    """A token. The kind of a symbol or reserved word is the symbol, or the word in capitals.

    The other kinds are `name`, `string`, `number` and `end`. The value of a name or string is its text without quotes.
    """

    kind: str
    text: str
    value: Any
    position: TokenPosition


def not_well_formed(detail: str, token: StatementToken) -> StatementRefused:
    """Return the syntax error for an unexpected token."""
    return StatementRefused(f"{NOT_WELL_FORMED}{detail}", token.position)


def tokens_of(text: str) -> list[StatementToken]:
    """Return the tokens of a statement without its comments, followed by an end token."""
    tokens: list[StatementToken] = []
    at, line, line_start = 0, 1, 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise StatementRefused(NOT_WELL_FORMED, TokenPosition(line, at - line_start + 1, 1))
        written = match.group()
        position = TokenPosition(line, at - line_start + 1, len(written))
        if match.lastgroup != "space":
            tokens.append(_token(str(match.lastgroup), written, position))
        at = match.end()
        if "\n" in written:
            line += written.count("\n")
            line_start = match.start() + written.rindex("\n") + 1
    tokens.append(StatementToken("end", "", None, TokenPosition(line, at - line_start + 1, 0)))
    return tokens


def _token(group: str, written: str, position: TokenPosition) -> StatementToken:
    match group:
        case "word":
            upper = written.upper()
            return StatementToken(upper if upper in RESERVED_WORDS else "name", written, written, position)
        case "quoted":
            return StatementToken("name", written, written[1:-1].replace('""', '"'), position)
        case "string":
            return StatementToken("string", written, written[1:-1].replace("''", "'"), position)
        case "number":
            _check_exponent(written, position)
            return StatementToken("number", written, written, position)
        case _:
            return StatementToken("<>" if written == "!=" else written, written, None, position)


def _check_exponent(written: str, position: TokenPosition) -> None:
    """Reject a number if its exponent does not fit in 32 bits, as written or minus the number of fractional digits."""
    match = _EXPONENT.search(written)
    if match is None or match.group(2) is None:
        return
    fraction, exponent = match.groups("")
    # Count the digits first, because int() is slow for thousands of digits, or raises an error.
    power = int(exponent) if len(exponent.lstrip("+-0")) <= 10 else _INT32_MAX + 1
    if not (_INT32_MIN <= power <= _INT32_MAX and _INT32_MIN <= len(fraction) - power <= _INT32_MAX):
        raise StatementRefused(NOT_WELL_FORMED, position)


# The reserved words of SQL-92, and some of PartiQL. An attribute name that is a reserved word needs double quotes. The
# list omits ONLY, a reserved word of SQL-92, because DynamoDB accepts it as a name (captured from AWS).
_SQL = """
    ABSOLUTE ACTION ADD ALL ALLOCATE ALTER AND ANY ARE AS ASC ASSERTION AT AUTHORIZATION AVG BEGIN BETWEEN BIT
    BIT_LENGTH BY CASCADE CASCADED CASE CAST CATALOG CHAR CHARACTER CHARACTER_LENGTH CHAR_LENGTH CHECK CLOSE COALESCE
    COLLATE COLLATION COLUMN COMMIT CONNECT CONNECTION CONSTRAINT CONSTRAINTS CONTINUE CONVERT CORRESPONDING COUNT
    CREATE CROSS CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER CURSOR DATE DEALLOCATE DEC DECIMAL
    DECLARE DEFAULT DEFERRABLE DEFERRED DELETE DESC DESCRIBE DESCRIPTOR DIAGNOSTICS DISCONNECT DISTINCT DOMAIN DOUBLE
    DROP ELSE END ESCAPE EXCEPT EXCEPTION EXEC EXECUTE EXISTS EXTERNAL EXTRACT FALSE FETCH FIRST FLOAT FOR FOREIGN
    FOUND FROM FULL GET GLOBAL GO GOTO GRANT GROUP HAVING IDENTITY IMMEDIATE IN INDICATOR INITIALLY INNER INPUT
    INSENSITIVE INSERT INT INTEGER INTERSECT INTERVAL INTO IS ISOLATION JOIN KEY LANGUAGE LAST LEFT LEVEL LIKE LOCAL
    LOWER MATCH MAX MIN MODULE NAMES NATIONAL NATURAL NCHAR NEXT NO NOT NULL NULLIF NUMERIC OCTET_LENGTH OF ON OPEN
    OPTION OR ORDER OUTER OUTPUT OVERLAPS PAD PARTIAL POSITION PRECISION PREPARE PRESERVE PRIMARY PRIOR PRIVILEGES
    PROCEDURE PUBLIC READ REAL REFERENCES RELATIVE RESTRICT REVOKE RIGHT ROLLBACK ROWS SCHEMA SCROLL SECTION SELECT
    SESSION SESSION_USER SET SIZE SMALLINT SOME SPACE SQL SQLCODE SQLERROR SQLSTATE SUBSTRING SUM SYSTEM_USER TABLE
    TEMPORARY THEN TIME TIMESTAMP TO TRAILING TRANSACTION TRANSLATE TRANSLATION TRIM TRUE UNION UNIQUE UNKNOWN UPDATE
    UPPER USAGE USER USING VALUE VALUES VARCHAR VARYING VIEW WHEN WHENEVER WHERE WITH WORK WRITE ZONE
"""
_PARTIQL = "LIMIT MISSING PIVOT REMOVE RETURNING UNPIVOT"

RESERVED_WORDS = frozenset(f"{_SQL} {_PARTIQL}".split())
