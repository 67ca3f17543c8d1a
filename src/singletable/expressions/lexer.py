"""The tokens of DynamoDB's expressions, one set for every kind of expression, and where a text stops making sense."""

from __future__ import annotations

import re
from typing import NamedTuple

from singletable.errors import RequestRefused, invalid

EXPRESSION_BYTES_MAX = 4096

# The words of all expressions are words everywhere: `and` names no attribute in a projection either.
KEYWORDS = frozenset({"AND", "OR", "NOT", "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE"})
COMPARATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})

_TOKEN = re.compile(
    r"""[ \t\r\n]+
    | (?P<word> [A-Za-z][A-Za-z0-9_]*)
    | (?P<name> \#[A-Za-z0-9_]+)
    | (?P<value> :[A-Za-z0-9_]+)
    | (?P<index> 0 | [1-9][0-9]*)
    | (?P<symbol> <> | <= | >= | [=<>()\[\].,+-])
    | (?P<unknown> .)""",
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """A token and its place in the text; the kind of keywords and symbols is what they are."""

    kind: str
    text: str
    start: int
    end: int


def tokens_of(parameter: str, text: str) -> list[Token]:
    """The tokens of an expression, and one more for its end."""
    if not text:
        raise invalid(f"Invalid {parameter}: The expression can not be empty;")
    if (size := len(text.encode("utf-8", "surrogatepass"))) > EXPRESSION_BYTES_MAX:
        message = f"Expression size has exceeded the maximum allowed size; expression size: {size}"
        raise invalid(f"Invalid {parameter}: {message}")
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind is None:
            continue
        written = match.group()
        if kind == "symbol":
            kind = written
        elif kind == "word" and written.upper() in KEYWORDS:
            kind = written.upper()
        tokens.append(Token(kind, written, match.start(), match.end()))
    tokens.append(Token("end", "<EOF>", len(text), len(text)))
    return tokens


def syntax_error(parameter: str, text: str, tokens: list[Token], at: int) -> RequestRefused:
    """The refusal of the first token that cannot follow what stands before it, shown with both its neighbours."""
    start = tokens[at - 1].start if at else 0
    end = tokens[min(at + 1, len(tokens) - 1)].end
    return invalid(f'Invalid {parameter}: Syntax error; token: "{tokens[at].text}", near: "{text[start:end]}"')
