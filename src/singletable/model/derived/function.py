"""Shards by any function of the user's own: a region, a tenant class, a hash of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from singletable.errors import KeyRefused
from singletable.model.codecs.text import escape, field_characters
from singletable.model.derived.derived import Derived, Reach
from singletable.model.language import Language, any_of, repeated
from singletable.model.ranges import Equal, Predicate


@dataclass(frozen=True)
class FunctionOf(Derived):
    """What a function makes of some fields; enumerable when its values are declared."""

    function: Callable[..., str]
    values: tuple[str, ...] | None

    @property
    def label(self) -> str:
        return f"derive({getattr(self.function, '__name__', 'function')}, {', '.join(self.fields)})"

    def language(self, delimiter: str) -> Language:
        if self.values is not None:
            return any_of(escape(value, delimiter) for value in self.values)
        return repeated(field_characters(delimiter))

    def compute(self, *values: Any) -> str:
        result = self.function(*values)
        if not isinstance(result, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # the user's own function
            raise KeyRefused(f"{self.label} made {result!r}, which is not text")
        if self.values is not None and result not in self.values:
            raise KeyRefused(f"{self.label} made {result!r}, which is not among its declared values {self.values}")
        return result

    def reach(self, known: Mapping[str, type]) -> Reach | None:
        if (one := super().reach(known)) or self.values is None:
            return one
        return Reach(len(self.values), f"{len(self.values)} values of {self.label}")

    def expand(self, known: Mapping[str, Predicate]) -> tuple[str, ...]:
        if all(isinstance(known.get(name), Equal) for name in self.fields) or self.values is None:
            return super().expand(known)
        return self.values


def derive(function: Callable[..., str], *fields: str, values: Iterable[str] | None = None) -> FunctionOf:
    """A key value made by a function of these fields; `values` names all it can return, for fan-out reads."""
    if not fields:
        raise ValueError("a derived value is made of at least one field: derive(function, 'region')")
    return FunctionOf(fields, function, None if values is None else tuple(dict.fromkeys(values)))
