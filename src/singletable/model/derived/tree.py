"""Places in a tree: the parent and the depth of a path, for indexes that list direct children."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from singletable.errors import KeyRefused
from singletable.model.codecs.text import field_characters
from singletable.model.derived.derived import Derived, Reach
from singletable.model.language import DIGITS, Language, repeated
from singletable.model.ranges import Children, Equal, Predicate

_PATH = "a path is a tuple[str, ...]"


def checked_path(path: Any) -> tuple[str, ...]:
    """The path itself, if it is one: a tuple of texts, none of them empty."""
    if isinstance(path, tuple) and all(isinstance(name, str) and name for name in path):
        return path
    raise KeyRefused(f"{path!r} is not a path, a tuple of texts none of which is empty")


@dataclass(frozen=True)
class Parent(Derived):
    """The path without its last element, as one segment; empty at the top of the tree."""

    @property
    def label(self) -> str:
        return f"parent({self.fields[0]})"

    def language(self, delimiter: str) -> Language:
        return repeated(field_characters(delimiter))

    def compute(self, *values: Any) -> str:
        return self._text(checked_path(values[0])[:-1])

    def _text(self, path: tuple[str, ...]) -> str:
        # "/" joins the elements inside the one segment; "~" makes an element's own "/" and "~" different from it.
        return "/".join(name.replace("~", "~0").replace("/", "~1") for name in path)

    def reach(self, known: Mapping[str, type]) -> Reach | None:
        return Reach(1, self.label) if known.get(self.fields[0]) is Children else super().reach(known)

    def expand(self, known: Mapping[str, Predicate]) -> tuple[str, ...]:
        predicate = known.get(self.fields[0])
        return (
            (self._text(checked_path(predicate.parent)),) if isinstance(predicate, Children) else super().expand(known)
        )

    def enforces(self, test: type) -> bool:
        return test is Children

    def problem_with(self, types: Mapping[str, Any]) -> str | None:
        return None if types[self.fields[0]] == tuple[str, ...] else _PATH


@dataclass(frozen=True)
class Depth(Derived):
    """The number of elements of a path."""

    @property
    def label(self) -> str:
        return f"depth({self.fields[0]})"

    def language(self, delimiter: str) -> Language:
        return repeated(DIGITS)

    def compute(self, *values: Any) -> str:
        return str(len(checked_path(values[0])))

    def reach(self, known: Mapping[str, type]) -> Reach | None:
        return Reach(1, self.label) if known.get(self.fields[0]) in (Children, Equal) else None

    def expand(self, known: Mapping[str, Predicate]) -> tuple[str, ...]:
        predicate = known.get(self.fields[0])
        return (
            (str(len(checked_path(predicate.parent)) + 1),)
            if isinstance(predicate, Children)
            else super().expand(known)
        )

    def problem_with(self, types: Mapping[str, Any]) -> str | None:
        return None if types[self.fields[0]] == tuple[str, ...] else _PATH


def parent(field: str) -> Parent:
    """The parent of a path, so that an index can hold the children of one node together."""
    return Parent((field,))


def depth(field: str) -> Depth:
    """The depth of a path, so that an index can hold one level of a tree together."""
    return Depth((field,))
