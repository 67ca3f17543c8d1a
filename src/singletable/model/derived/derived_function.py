"""`derive()`: a key value computed by your own function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.text_codec import escape, field_characters
from singletable.model.derived.derived_value import DerivedValue, Reach
from singletable.model.parameter_types import Equal, Predicate
from singletable.model.regular_language import Language, any_of, repeated


@dataclass(frozen=True)
class DerivedFunction(DerivedValue):
    """A value that your function computes from fields.

    A pattern can enumerate its partitions if you declare all its values.
    """

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
            raise KeyRefused(f"{self.label} returned {result!r}, which is not a str")
        if self.values is not None and result not in self.values:
            raise KeyRefused(f"{self.label} returned {result!r}, which is not one of its declared values {self.values}")
        return result

    def reach(self, known: Mapping[str, type]) -> Reach | None:
        if (one := super().reach(known)) or self.values is None:
            return one
        return Reach(len(self.values), f"{len(self.values)} values of {self.label}")

    def expand(self, known: Mapping[str, Predicate]) -> tuple[str, ...]:
        if all(isinstance(known.get(name), Equal) for name in self.fields) or self.values is None:
            return super().expand(known)
        return self.values


def derive(function: Callable[..., str], *fields: str, values: Iterable[str] | None = None) -> DerivedFunction:
    """Return a derived value that a function computes from these fields.

    The function must return a str, which depends only on its arguments. `values` lists all possible results, so that a
    pattern can read all partitions: `derive(region_of, "country", values=["EU", "US", "APAC"])`.
    """
    if not fields:
        raise ValueError("derive() needs at least one field: derive(function, 'region')")
    return DerivedFunction(fields, function, None if values is None else tuple(dict.fromkeys(values)))
