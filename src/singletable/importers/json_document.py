"""JSON documents of other tools: parsing errors with line and column, values with paths, and lists of problems."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from singletable.errors import ImportRefused

NESTING_MAX = 200
"""The maximum nesting. It is several times that of a DynamoDB item, but less than Python's parser supports."""
_SHOWN_MAX = 60
_NEXT_MAX = 20
_MESSAGES = {
    "Expecting value": "expected a value",
    "Expecting property name enclosed in double quotes": "expected a name in double quotes",
    "Expecting ',' delimiter": "expected a comma",
    "Expecting ':' delimiter": "expected a colon",
    "Extra data": "expected the end of the document",
    "Illegal trailing comma before end of object": "unexpected comma before the end",
    "Illegal trailing comma before end of array": "unexpected comma before the end",
}
_BYTE_ORDER_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


class InvalidText(ValueError):
    """Bytes that are not UTF-8."""


class InvalidJson(ValueError):
    """Text that is not valid JSON, or that is nested too deeply. The error contains the line and column."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


def decode_text(content: bytes) -> str:
    """Decode a UTF-8 file. Raise InvalidText with the position of the first invalid byte."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        mark = _BYTE_ORDER_MARKS.get(content[:2])
        what = f"the file is {mark}, not UTF-8" if mark else f"byte {problem.start} (line {line}) is not UTF-8"
        raise InvalidText(f"{what}; save the file as UTF-8") from None


def load_json(text: str, **hooks: Any) -> Any:
    """Parse JSON. Raise InvalidJson. `hooks` are the hooks of `json.loads`."""
    if not text.strip():
        raise InvalidJson("the document is empty", 1, 1)
    place = opened_at(text, NESTING_MAX + 1)
    if place is not None:
        raise InvalidJson(f"the document is nested deeper than {NESTING_MAX} levels", *place)
    try:
        return json.loads(text, **hooks)
    except json.JSONDecodeError as problem:
        raise InvalidJson(_message(problem), problem.lineno, problem.colno) from None


def opened_at(text: str, level: int) -> tuple[int, int] | None:
    """Return the line and column where an object or array of this nesting level starts, or None."""
    depth = 0
    for match in re.finditer(r'"(?:[^"\\]|\\.)*+"|[\[\]{}]', text, re.DOTALL):
        if match[0] in "[{":
            depth += 1
            if depth == level:
                return text.count("\n", 0, match.start()) + 1, match.start() - text.rfind("\n", 0, match.start())
        elif match[0] in "]}":
            depth -= 1
    return None


def _message(problem: json.JSONDecodeError) -> str:
    message = _MESSAGES.get(problem.msg)
    if message is None:
        return f"{problem.msg[:1].lower()}{problem.msg[1:]}".removesuffix(" at").removesuffix(" starting")
    rest = problem.doc[problem.pos : problem.pos + _NEXT_MAX + 1].split("\n")[0].rstrip()
    if not rest:
        return f"{message}, but the document ends" if problem.pos >= len(problem.doc.rstrip()) else message
    found = rest if len(rest) <= _NEXT_MAX else f"{rest[:_NEXT_MAX]}..."
    return f"{message}, found {json.dumps(found, ensure_ascii=False)}"


def parse_document(text: str | bytes, name: str = "") -> Any:
    """Parse a file of another tool; raise ImportRefused with the file name, line and column."""
    try:
        return load_json(decode_text(text) if isinstance(text, bytes) else text.removeprefix("\ufeff"))
    except InvalidJson as problem:
        place = f"{name}:{problem.line}:{problem.column}: " if name else ""
        where = "" if name else f" at line {problem.line}, column {problem.column}"
        raise ImportRefused(f"{place}invalid JSON: {problem}{where}") from None
    except ValueError as problem:  # the text is not UTF-8, or has a number with more digits than Python parses
        raise ImportRefused(f"{f'{name}: ' if name else ''}invalid JSON: {problem}") from None


@dataclass(frozen=True)
class JsonNode:
    """A value with its path in the document, such as `DataModel[0].TableName`. Its methods raise ImportRefused."""

    value: Any
    path: str = ""

    def error(self, message: str) -> ImportRefused:
        """Return an error for this place of the document."""
        return ImportRefused(f"{self.path or 'the document'} {message}")

    def get(self, name: str) -> JsonNode | None:
        """Return a member of an object, or None if it is missing or null."""
        found = self.mapping().get(name)
        return None if found is None else self._member(name)

    def need(self, name: str) -> JsonNode:
        """Return a required member of an object."""
        found = self.get(name)
        if found is None:
            raise self.error(f"has no {name}")
        return found

    def mapping(self) -> dict[str, Any]:
        """Return the value as an object."""
        if not isinstance(self.value, dict):
            raise self.error(f"must be an object, got {_kind(self.value)}")
        return self.value

    def members(self) -> Iterator[tuple[str, JsonNode]]:
        """Yield the members of an object."""
        for name in self.mapping():
            yield name, self._member(name)

    def elements(self) -> list[JsonNode]:
        """Return the elements of an array."""
        if not isinstance(self.value, list):
            raise self.error(f"must be an array, got {_kind(self.value)}")
        return [JsonNode(each, f"{self.path}[{number}]") for number, each in enumerate(self.value)]

    def elements_of(self, name: str) -> list[JsonNode]:
        """Return the elements of a member, or none if it is missing."""
        found = self.get(name)
        return [] if found is None else found.elements()

    def text(self) -> str:
        """Return the value as a non-empty string."""
        if not isinstance(self.value, str) or not self.value:
            raise self.error(f"must be a string, got {_kind(self.value)}")
        return self.value

    def _member(self, name: str) -> JsonNode:
        return JsonNode(self.value[name], f"{self.path}.{name}" if self.path else name)


def _kind(value: object) -> str:
    if value is None or value == "":
        return "null" if value is None else "an empty string"
    names: dict[type[object], str] = {dict: "an object", list: "an array", str: "a string", bool: "a boolean"}
    return names.get(type(value), "a number")


class Problems:
    """Collects every problem of a document, in document order."""

    def __init__(self, name: str, kind: str) -> None:
        self.name = name
        self.kind = kind
        self.found: list[str] = []

    def add(self, path: str, message: str) -> None:
        """Add a problem at a path."""
        self.found.append(f"{path or 'the document'}: {message}")

    def raise_if_any(self) -> None:
        """Raise ImportRefused with all problems, if there are any."""
        if not self.found:
            return
        count = "1 problem" if len(self.found) == 1 else f"{len(self.found)} problems"
        lines = "".join(f"\n  {line}" for line in self.found)
        raise ImportRefused(f"{self.name} is not a valid {self.kind}: {count}{lines}")

    def mapping(self, value: Any, path: str, *, filled: bool = False) -> dict[str, Any]:
        """Return an object. If the value is not an object, add a problem and return an empty one."""
        if not isinstance(value, dict):
            self.add(path, f"must be an object, got {shown(value)}")
            return {}
        if filled and not value:
            self.add(path, "must not be empty")
        return value

    def rows(self, value: Any, path: str, *, filled: bool = False) -> list[tuple[str, Any]]:
        """Return the elements of an array with their paths.

        If the value is not an array, add a problem and return none.
        """
        if not isinstance(value, list):
            self.add(path, f"must be an array, got {shown(value)}")
            return []
        if filled and not value:
            self.add(path, "must not be empty")
        return [(f"{path}[{number}]", each) for number, each in enumerate(value)]

    def objects(self, owner: dict[str, Any], key: str, path: str, *, filled: bool = False) -> list[tuple[str, Any]]:
        """Return the objects of an array member with their paths. Elements that are not objects are problems."""
        rows = self.rows(owner.get(key) or [], f"{path}.{key}", filled=filled)
        return [
            (where, self.mapping(row, where))
            for where, row in rows
            if isinstance(row, dict) or self.mapping(row, where)
        ]

    def text(self, owner: dict[str, Any], key: str, path: str, *, needed: bool = True) -> str | None:
        """Return a member that is a non-empty string, or None."""
        if key not in owner or (owner[key] is None and not needed):
            if needed:
                self.add(f"{path}.{key}", "missing")
            return None
        value = owner[key]
        if not isinstance(value, str) or not value.strip():
            self.add(f"{path}.{key}", f"must be a string, got {shown(value)}")
            return None
        return value

    def word(self, owner: dict[str, Any], key: str, path: str, words: Sequence[str], *, needed: bool = True) -> None:
        """Check that a member is one of these words."""
        value = self.text(owner, key, path, needed=needed)
        if value is not None and value not in words:
            self.add(f"{path}.{key}", f"unknown {shown(value)}{suggestion(value, words)}; use {one_of(words)}")


def shown(value: Any) -> str:
    """Return a value as JSON on one line, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}..."


def suggestion(value: str, words: Iterable[str]) -> str:
    """Return the closest word as a question, or an empty text."""
    close = get_close_matches(value, list(words), 1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def one_of(words: Sequence[str]) -> str:
    """Return the words as a list, with `or` before the last one."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
