"""JSON as the text of a file: what is wrong with it, in words and with the line and column where it is."""

from __future__ import annotations

import json
import re
from typing import Any

NESTING_MAX = 200
"""How deep a document may be nested: several times as deep as any item, and far from what Python's parser takes."""
_SHOWN_MAX = 20
_WORDS = {
    "Expecting value": "a value is expected",
    "Expecting property name enclosed in double quotes": "a name in double quotes is expected",
    "Expecting ',' delimiter": "a comma is expected",
    "Expecting ':' delimiter": "a colon is expected",
    "Extra data": "the document has ended",
    "Illegal trailing comma before end of object": "a comma stands before the end",
    "Illegal trailing comma before end of array": "a comma stands before the end",
}
_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


class NoText(ValueError):
    """Bytes that are no UTF-8."""


class NoJson(ValueError):
    """Text that is no JSON, or none that can be read: what is wrong, and where."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


def text_of(content: bytes) -> str:
    """The text of a file in UTF-8; raises NoText with the byte and the line that are none."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        mark = _MARKS.get(content[:2])
        what = f"it is {mark}, and not UTF-8" if mark else f"byte {problem.start} (line {line}) is not UTF-8"
        raise NoText(f"{what}; save the file as UTF-8") from None


def json_of(text: str, **hooks: Any) -> Any:
    """The document that a text is; raises NoJson. `hooks` are those of `json.loads`, and raise what they raise."""
    if not text.strip():
        raise NoJson("there is nothing in it", 1, 1)
    place = opened_at(text, NESTING_MAX + 1)
    if place is not None:
        raise NoJson(f"it is nested deeper than {NESTING_MAX} levels", *place)
    try:
        return json.loads(text, **hooks)
    except json.JSONDecodeError as problem:
        raise NoJson(_spoken(problem), problem.lineno, problem.colno) from None


def opened_at(text: str, level: int) -> tuple[int, int] | None:
    """The line and column where an object or a list of this level begins; None where nothing is nested so deep."""
    depth = 0
    for match in re.finditer(r'"(?:[^"\\]|\\.)*+"|[\[\]{}]', text, re.DOTALL):
        if match[0] in "[{":
            depth += 1
            if depth == level:
                return text.count("\n", 0, match.start()) + 1, match.start() - text.rfind("\n", 0, match.start())
        elif match[0] in "]}":
            depth -= 1
    return None


def _spoken(problem: json.JSONDecodeError) -> str:
    said = _WORDS.get(problem.msg)
    if said is None:
        return f"{problem.msg[:1].lower()}{problem.msg[1:]}".removesuffix(" at").removesuffix(" starting")
    rest = problem.doc[problem.pos : problem.pos + _SHOWN_MAX + 1].split("\n")[0].rstrip()
    if not rest:
        return f"{said}, and there is nothing more" if problem.pos >= len(problem.doc.rstrip()) else said
    shown = rest if len(rest) <= _SHOWN_MAX else f"{rest[:_SHOWN_MAX]}..."
    return f"{said}, and here is {json.dumps(shown, ensure_ascii=False)}"
