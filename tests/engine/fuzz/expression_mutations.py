"""Mutations of the expressions in a request: tokens swapped, dropped, repeated or replaced, or thousands of tokens."""

from __future__ import annotations

import re
from typing import Any

from tests.engine.fuzz.json_mutations import Location, locations_of
from tests.engine.oracle.seeded_choices import SeededChoices

_TOKEN = re.compile(r"[#:]?\w+|'[^']*'|\"[^\"]*\"|<>|<=|>=|\s+|.", re.DOTALL)
_EXPRESSION = re.compile(r"(Expression|Statement)$")

_WORDS = r"""
    AND OR NOT BETWEEN IN SET REMOVE ADD DELETE set between
    attribute_exists attribute_not_exists attribute_type begins_with contains size if_not_exists list_append
    SELECT FROM WHERE INSERT INTO VALUE UPDATE RETURNING EXISTS IS MISSING NULL LIMIT ORDER BY DESC
    pk sk n m s l x gsiPk table a b year name size :n :p :s :x #m #n #x : # ::n ##
    ( ) [ ] . , = <> < <= > >= + - * / ' " ? { } << >> \ ; -- /* @ $ % & | ! ~ `
    0 1 -1 00 007 1.5 1e5 99999999999999999999 [0] [999999999999] .a [-1] 'a' 'it''s' {'a':1} [1,2] true
"""
WORDS = (
    *_WORDS.split(),
    *("\x00", "\n", "\t", "é", "\u00a0", "🦀", "٣", "\ud800", "x" * 256, "a." * 40 + "a", "a" + "[0]" * 40),
)
# Groups of tokens of one kind. If one replaces another, the expression can still be parsed.
SAME_KIND = (
    ("=", "<>", "<", "<=", ">", ">="),
    ("AND", "OR"),
    ("attribute_exists", "attribute_not_exists", "size"),
    ("attribute_type", "begins_with", "contains", "if_not_exists", "list_append"),
    ("SET", "REMOVE", "ADD", "DELETE"),
    ("+", "-"),
    (
        "pk",
        "sk",
        "gsiPk",
        "lsiSk",
        "n",
        "m",
        "s",
        "l",
        "b",
        "x",
        "y",
        "z",
        "w",
        "m.x",
        "m.x[0]",
        "l[1]",
        "size(b)",
        "size(l)",
    ),
    (":n", ":s", ":x", ":p", ":t", ":l", ":e", ":z", ":y", ":w", ":g"),
)
TIMES = (2, 33, 101, 301, 1_500)


def expressions_of(request: Any) -> list[Location]:
    """Return the locations of expressions in a request."""
    return [
        (container, key)
        for container, key in locations_of(request)
        if isinstance(key, str) and _EXPRESSION.search(key) and isinstance(container[key], str)
    ]


def mutate(chance: SeededChoices, request: Any) -> None:
    """Change one expression of the request, if it has any."""
    found = expressions_of(request)
    if not found:
        return
    container, key = chance.pick(found)
    container[key] = changed(chance, container[key])


def changed(chance: SeededChoices, text: str) -> str:
    """Return the text with one change."""
    tokens = _TOKEN.findall(text) or [""]
    at = chance.below(len(tokens))
    match chance.below(18):
        case 0:
            del tokens[at]
        case 1:
            tokens.insert(at, tokens[at])
        case 2:
            other = chance.below(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        case 3 | 4:
            tokens[at] = chance.pick(WORDS)
        case 5:
            tokens[at:at] = [" ", chance.pick(WORDS), " "]
        case 6:
            tokens[at:] = []
        case 7:
            tokens[at:at] = [" ", *(chance.pick(WORDS) + " " for _ in chance.times(1, 12))]
        case 8:
            return _long(chance, text)
        case 9:
            tokens[at:at] = tokens[chance.below(len(tokens)) :]
        case _:
            _replace_same_kind(chance, tokens)
    return "".join(tokens)


def _replace_same_kind(chance: SeededChoices, tokens: list[str]) -> None:
    """Replace a comparator, function or attribute with another one."""
    found = [(at, kind) for at, token in enumerate(tokens) for kind in SAME_KIND if token in kind]
    for at, kind in found and [chance.pick(found)]:
        tokens[at] = chance.pick(kind)


def _long(chance: SeededChoices, text: str) -> str:
    times = chance.pick(TIMES)
    match chance.below(6):
        case 0:
            return "(" * times + text + ")" * chance.pick([times, times - 1, times + 1, 0])
        case 1:
            return "NOT " * times + text
        case 2:
            return chance.pick([" AND ", " OR ", ", ", " "]).join([text] * times)
        case 3:
            return f"{text}{chance.pick(WORDS) * times}"
        case 4:
            return f"n IN ({', '.join([':n'] * times)})"
        case _:
            return f"{text}{'.a' * times}{'[0]' * times}"
