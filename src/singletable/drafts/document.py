"""A JSON document from elsewhere: read once, with everything that is wrong in it, each by its path."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from singletable.drafts.json_text import NoJson, json_of
from singletable.errors import ImportRefused

SHOWN_MAX = 60


def parsed(text: str, name: str) -> Any:
    """The document that the text is; raises ImportRefused with line and column where it is none."""
    try:
        return json_of(text.removeprefix("\ufeff"))
    except NoJson as problem:
        raise ImportRefused(f"{name}:{problem.line}:{problem.column}: this JSON cannot be read: {problem}") from None
    except ValueError as problem:  # a number of more digits than Python reads
        raise ImportRefused(f"{name}: this JSON cannot be read: {problem}") from None


class Problems:
    """Everything that is wrong in a document, in the order in which it was met."""

    def __init__(self, name: str, kind: str) -> None:
        self.name = name
        self.kind = kind
        self.found: list[str] = []

    def add(self, path: str, message: str) -> None:
        """One thing that is wrong, at a place."""
        self.found.append(f"{path or 'the document'}: {message}")

    def refuse(self) -> None:
        """Raise ImportRefused with all of them, if there are any."""
        if not self.found:
            return
        count = "1 problem" if len(self.found) == 1 else f"{len(self.found)} problems"
        lines = "".join(f"\n  {line}" for line in self.found)
        raise ImportRefused(f"{self.name} is no {self.kind} that can be read: {count}{lines}")

    def mapping(self, value: Any, path: str, *, filled: bool = False) -> dict[str, Any]:
        """The value as an object, an empty one where it is none."""
        if not isinstance(value, dict):
            self.add(path, f"this is {shown(value)}, and must be an object")
            return {}
        if filled and not value:
            self.add(path, "this is empty")
        return value

    def rows(self, value: Any, path: str, *, filled: bool = False) -> list[tuple[str, Any]]:
        """The elements of an array, each with its path; none where it is no array."""
        if not isinstance(value, list):
            self.add(path, f"this is {shown(value)}, and must be an array")
            return []
        if filled and not value:
            self.add(path, "this is empty")
        return [(f"{path}[{number}]", each) for number, each in enumerate(value)]

    def text(self, owner: dict[str, Any], key: str, path: str, *, needed: bool = True) -> str | None:
        """A member that is text and not empty, or None."""
        if key not in owner or (owner[key] is None and not needed):
            if needed:
                self.add(f"{path}.{key}", "this is missing")
            return None
        value = owner[key]
        if not isinstance(value, str) or not value.strip():
            self.add(f"{path}.{key}", f"this is {shown(value)}, and must be text")
            return None
        return value

    def word(self, owner: dict[str, Any], key: str, path: str, words: Sequence[str], *, needed: bool = True) -> None:
        """A member that is one of these words."""
        value = self.text(owner, key, path, needed=needed)
        if value is not None and value not in words:
            self.add(f"{path}.{key}", f"{shown(value)} is unknown{meant(value, words)}; it is {one_of(words)}")


def shown(value: Any) -> str:
    """A value as it stands in the document, on one line and not too long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}..."


def meant(value: str, words: Iterable[str]) -> str:
    """The word that is closest, as a question."""
    close = get_close_matches(value, list(words), 1)
    return f" (is {close[0]!r} meant?)" if close else ""


def one_of(words: Sequence[str]) -> str:
    """The words in a sentence."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
