"""`parent()` and `depth()`: derived values of tree paths, for indexes that list direct children."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.text_codec import field_characters
from singletable.model.derived.derived_value import DerivedValue, Reach
from singletable.model.parameter_types import Children, Equal, Predicate
from singletable.model.regular_language import DIGITS, Language, repeated

_PATH = "the field must be a path (tuple[str, ...])"


def checked_path(path: Any) -> tuple[str, ...]:
    """Return the path if it is valid: a tuple of non-empty strings. Otherwise raise KeyRefused."""
    if isinstance(path, tuple) and all(isinstance(name, str) and name for name in path):
        return path
    raise KeyRefused(f"{path!r} is not a path; pass a tuple of non-empty strings")


@dataclass(frozen=True)
class Parent(DerivedValue):
    """The path without its last element, as one segment of a key. It is empty for a top-level path."""

    @property
    def label(self) -> str:
        return f"parent({self.fields[0]})"

    def language(self, delimiter: str) -> Language:
        return repeated(field_characters(delimiter))

    def compute(self, *values: Any) -> str:
        return self._text(checked_path(values[0])[:-1])

    def _text(self, path: tuple[str, ...]) -> str:
        # "/" joins the elements within one segment; "~" escapes a "/" or "~" inside an element.
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
class Depth(DerivedValue):
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
    """Return a derived value: the parent of a path field, for an index that lists the children of a node."""
    return Parent((field,))


def depth(field: str) -> Depth:
    """Return a derived value: the number of elements of a path field, for an index that lists one level of a tree."""
    return Depth((field,))
