"""Object literals of a JavaScript or TypeScript file, read without executing the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

DEPTH_MAX = 40
_SKIPPED = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/|as\s+const\b|satisfies\s+[\w.<>]+)+", re.DOTALL)
_STRING = re.compile(r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`""", re.DOTALL)
_NUMBER = re.compile(r"-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?")
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\s*\.\s*[A-Za-z_$][\w$]*)*")
_PATTERN = re.compile(r"/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_START = re.compile(r"(?:export\s+default|[=(])\s*(?=\{)")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "undefined": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class NotALiteral(ValueError):
    """The error for a place of the file that does not contain a plain value."""

    def __init__(self, message: str, position: int) -> None:
        self.position = position
        super().__init__(message)


def objects_in(text: str) -> Iterator[dict[str, Any] | NotALiteral]:
    """Yield every object that the file assigns, exports or passes, or the reason why it cannot be read."""
    for start in _START.finditer(text):
        try:
            value, _ = _value(text, start.end(), 0)
        except NotALiteral as problem:
            yield problem
        else:
            yield value


_NEW = re.compile(r"new\s+(?=[A-Za-z_$][\w$.]*\s*\()")
"""The operator of a call such as `new Date()`."""
_ARROW = re.compile(r"(?:async\s+)?(?:\([\w$\s,:]*\)|[A-Za-z_$][\w$]*)\s*=>")
"""The head of a function such as `() => uuid()`."""
_BRACKET = re.compile(r"[()\[\]{},]|//[^\n]*|/\*.*?\*/|" + _STRING.pattern, re.DOTALL)


def _skipped(text: str, at: int) -> int:
    found = _SKIPPED.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    """Return the value at a position, and the position after it. Names stay names."""
    at = _skipped(text, at)
    if found := _NEW.match(text, at):
        at = found.end()
    if depth > DEPTH_MAX:
        raise NotALiteral("the object is nested too deeply", at)
    if found := _ARROW.match(text, at):  # the result of a function is not known
        return None, _after_expression(text, found.end())
    if text.startswith("{", at):
        return _object(text, at + 1, depth)
    if text.startswith("[", at):
        return _array(text, at + 1, depth)
    if found := _STRING.match(text, at):
        return _unquoted(found[0]), _skipped(text, found.end())
    if found := _NUMBER.match(text, at):
        return _number(found[0].replace("_", "")), _skipped(text, found.end())
    if found := _NAME.match(text, at):
        name = re.sub(r"\s+", "", found[0])
        after = _skipped(text, found.end())
        if text.startswith("(", after):  # the result of a call is not known
            return None, _after_call(text, after)
        return _WORDS.get(name, name), after
    if found := _PATTERN.match(text, at):
        return found[0], _skipped(text, found.end())
    raise NotALiteral("expected a plain value", at)


def _object(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    members: dict[str, Any] = {}
    while True:
        at = _skipped(text, at)
        if text.startswith("}", at):
            return members, _skipped(text, at + 1)
        found = _STRING.match(text, at) or _NAME.match(text, at)
        if found is None:
            raise NotALiteral("expected a member name", at)
        name = _unquoted(found[0]) if found[0][0] in "'\"`" else found[0]
        at = _skipped(text, found.end())
        if text.startswith(":", at):
            members[name], at = _value(text, at + 1, depth + 1)
        else:
            members[name] = name  # {field} is a short form of {field: field}
        at = _next(text, at, "}")


def _array(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    elements: list[Any] = []
    while True:
        at = _skipped(text, at)
        if text.startswith("]", at):
            return elements, _skipped(text, at + 1)
        value, at = _value(text, at, depth + 1)
        elements.append(value)
        at = _next(text, at, "]")


def _next(text: str, at: int, end: str) -> int:
    if text.startswith(",", at):
        return at + 1
    if text.startswith(end, at):
        return at
    raise NotALiteral("expected a comma or the end of the object", at)


def _after_call(text: str, at: int) -> int:
    opened = 0
    for found in re.compile(r"[()]|" + _STRING.pattern, re.DOTALL).finditer(text, at):
        opened += {"(": 1, ")": -1}.get(found[0], 0)
        if opened == 0:
            return _skipped(text, found.end())
    raise NotALiteral("the call has no end", at)


def _after_expression(text: str, at: int) -> int:
    """Return the position after the body of a function: the next comma or bracket that belongs to the object."""
    opened = 0
    for found in _BRACKET.finditer(text, at):
        if found[0] in "([{":
            opened += 1
        elif found[0] == "," and not opened:
            return found.start()
        elif found[0] in ")]}":
            if not opened:
                return found.start()
            opened -= 1
    raise NotALiteral("the function has no end", at)


def _number(digits: str) -> int | float:
    try:
        return int(digits)
    except ValueError:
        return float(digits)


def _unquoted(quoted: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), quoted[1:-1], flags=re.DOTALL)
