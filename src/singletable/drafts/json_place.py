"""A value of a JSON document with the place it stands in, so that what is wrong is said with where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from singletable.drafts.json_text import NoJson, json_of, text_of
from singletable.errors import ImportRefused


@dataclass(frozen=True)
class Place:
    """A value, and the way to it: `DataModel[0].TableName`."""

    value: Any
    path: str = ""

    def refuse(self, message: str) -> ImportRefused:
        """The error that says what is wrong here."""
        return ImportRefused(f"{self.path or 'the document'} {message}")

    def get(self, name: str) -> Place | None:
        """A member of an object, or None when it is missing or null."""
        found = self.mapping().get(name)
        return None if found is None else Place(found, f"{self.path}.{name}" if self.path else name)

    def need(self, name: str) -> Place:
        """A member of an object that has to be there."""
        found = self.get(name)
        if found is None:
            raise self.refuse(f"has no {name}")
        return found

    def mapping(self) -> dict[str, Any]:
        """The value as an object."""
        if not isinstance(self.value, dict):
            raise self.refuse(f"is {_kind(self.value)}, and should be an object")
        return self.value

    def members(self) -> Iterator[tuple[str, Place]]:
        """The members of an object."""
        for name in self.mapping():
            yield name, Place(self.value[name], f"{self.path}.{name}" if self.path else name)

    def elements(self) -> list[Place]:
        """The elements of a list."""
        if not isinstance(self.value, list):
            raise self.refuse(f"is {_kind(self.value)}, and should be a list")
        return [Place(each, f"{self.path}[{number}]") for number, each in enumerate(self.value)]

    def text(self) -> str:
        """The value as text that is not empty."""
        if not isinstance(self.value, str) or not self.value:
            raise self.refuse(f"is {_kind(self.value)}, and should be text")
        return self.value

    def elements_of(self, name: str) -> list[Place]:
        """The elements of a member that may be missing."""
        found = self.get(name)
        return [] if found is None else found.elements()


def read_json(text: str | bytes) -> Place:
    """The document; raises ImportRefused where it is no JSON."""
    try:
        return Place(json_of(text_of(text) if isinstance(text, bytes) else text.removeprefix("\ufeff")))
    except NoJson as problem:
        where = f"line {problem.line}, column {problem.column}"
        raise ImportRefused(f"this JSON cannot be read: {problem}, at {where}") from None
    except ValueError as problem:  # bytes that are no UTF-8, and a number of more digits than Python reads
        raise ImportRefused(f"this JSON cannot be read: {problem}") from None


def _kind(value: object) -> str:
    if value is None:
        return "null"
    names: dict[type[object], str] = {
        dict: "an object",
        list: "a list",
        str: "text",
        bool: "a truth value",
        int: "a number",
        float: "a number",
    }
    return names.get(type(value), "something else") if value != "" else "an empty text"
