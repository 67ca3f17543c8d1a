"""Policy text with wildcards and policy variables, and its comparison with the values of a request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from singletable.engine.access.condition_keys import variable_key
from singletable.errors import PolicyRefused

Values = Mapping[str, tuple[str, ...]]
"""The values of condition keys, by the name of the key in lower case. A key without values is absent."""


@dataclass(frozen=True)
class PolicyVariable:
    """A policy variable: a condition key of the principal, and the text to use if the key has no value."""

    key: str
    default: str | None = None


Wildcard = Literal["*", "?"]
_VARIABLE = re.compile(r"\$\{(?P<name>[^}]*)\}")
_WITH_DEFAULT = re.compile(r"(?P<key>[^,]*?), '(?P<default>[^']*)'")
# In a policy variable, these characters have no special meaning.
_ESCAPES = ("*", "?", "$")


@dataclass(frozen=True)
class _Wild:
    """A wildcard. It is not a string, so literal text cannot be mistaken for it."""

    is_any: bool


_ANY, _ONE = _Wild(True), _Wild(False)
Token = str | _Wild | PolicyVariable


@dataclass(frozen=True)
class PolicyPattern:
    """A sequence of literal text, wildcards and policy variables."""

    text: str
    tokens: tuple[Token, ...]

    def matches(self, value: str, known: Values, *, ignore_case: bool = False) -> bool:
        """Return whether a value matches. A pattern with a variable that has no value matches nothing."""
        wanted = self._resolved(known)
        if wanted is None:
            return False
        if ignore_case:
            value, wanted = value.lower(), [each.lower() if isinstance(each, str) else each for each in wanted]
        return _matches(wanted, value)

    def _resolved(self, known: Values) -> list[str | _Wild] | None:
        """Return the tokens with the values of the variables. Wildcards in these values are ordinary characters."""
        resolved: list[str | _Wild] = []
        for token in self.tokens:
            if isinstance(token, PolicyVariable):
                found = known.get(token.key, ())
                text = found[0] if found else token.default
                if text is None:
                    return None
                resolved.append(text)
            else:
                resolved.append(token)
        return resolved


def parse_pattern(text: str, place: str, *, has_wildcards: bool, has_variables: bool) -> PolicyPattern:
    """Return the pattern of a text; raise PolicyRefused for an unknown or malformed policy variable."""
    tokens: list[Token] = []
    start = 0
    for found in _VARIABLE.finditer(text) if has_variables else ():
        tokens += _literals(text[start : found.start()], place, has_wildcards, has_variables)
        tokens.append(_variable(found["name"], place))
        start = found.end()
    tokens += _literals(text[start:], place, has_wildcards, has_variables)
    return PolicyPattern(text, tuple(tokens))


def _literals(text: str, place: str, has_wildcards: bool, has_variables: bool) -> Iterator[Token]:
    if has_variables and "${" in text:
        raise PolicyRefused(f"{place}: {text!r} has a policy variable without a closing brace: write ${{key}}")
    for part in re.split(r"([*?])", text) if has_wildcards else [text]:
        if has_wildcards and part == "*":
            yield _ANY
        elif has_wildcards and part == "?":
            yield _ONE
        elif part:
            yield part


def _variable(name: str, place: str) -> Token:
    if name in _ESCAPES:
        return name
    with_default = _WITH_DEFAULT.fullmatch(name)
    if with_default is not None:
        return PolicyVariable(variable_key(with_default["key"], place), with_default["default"])
    return PolicyVariable(variable_key(name, place))


def _matches(tokens: list[str | _Wild], value: str) -> bool:
    """Match with one pass per `*`, because a regular expression can need exponential time for a malicious value."""
    pieces: list[list[str | _Wild]] = [[]]
    for token in tokens:
        if token is _ANY:
            pieces.append([])
        else:
            pieces[-1].append(token)
    first, *others = pieces
    at = _end_of(first, value, 0)
    if at is None:
        return False
    if not others:
        return at == len(value)
    *middle, last = others
    for piece in middle:
        at = _find(piece, value, at)
        if at is None:
            return False
    start = len(value) - _length(last)
    return start >= at and _end_of(last, value, start) is not None


def _length(piece: list[str | _Wild]) -> int:
    return sum(len(token) if isinstance(token, str) else 1 for token in piece)


def _end_of(piece: list[str | _Wild], value: str, at: int) -> int | None:
    """Return the position after the piece of text if it is at the given position."""
    for token in piece:
        if isinstance(token, str):
            if not value.startswith(token, at):
                return None
            at += len(token)
        elif at < len(value):
            at += 1
        else:
            return None
    return at


def _find(piece: list[str | _Wild], value: str, start: int) -> int | None:
    """Return the position after the first occurrence of a piece of text."""
    for at in range(start, len(value) - _length(piece) + 1):
        end = _end_of(piece, value, at)
        if end is not None:
            return end
    return None
