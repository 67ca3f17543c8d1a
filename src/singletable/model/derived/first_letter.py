"""`first_letter()`: spread items over 37 partitions by the first letter of a text."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from singletable.lazy_dataclass import dataclass
from singletable.model.derived.derived_value import DerivedValue, Reach
from singletable.model.parameter_types import Equal, Predicate, Prefix
from singletable.model.regular_language import Language, any_of

OTHER = "_"
LETTERS = (*"0123456789", *"ABCDEFGHIJKLMNOPQRSTUVWXYZ", OTHER)


@dataclass(frozen=True)
class FirstLetter(DerivedValue):
    """The first letter of a text, without accent and case: `0` to `9`, `A` to `Z`, or `_` for other characters."""

    @property
    def label(self) -> str:
        return f"first_letter({self.fields[0]})"

    @property
    def width(self) -> int:
        return 1

    def language(self, delimiter: str) -> Language:
        return any_of(LETTERS)

    def compute(self, *values: Any) -> str:
        letter = unicodedata.normalize("NFKD", str(values[0]))[:1].upper()
        return letter if letter in LETTERS else OTHER

    def problem_with(self, types: Mapping[str, Any]) -> str | None:
        return None if types[self.fields[0]] is str else "first_letter() needs a str field"

    def reach(self, known: Mapping[str, type]) -> Reach:
        return super().reach(known) or Reach(len(LETTERS), f"{len(LETTERS)} first letters of {self.fields[0]}")

    def expand(self, known: Mapping[str, Predicate]) -> tuple[str, ...]:
        predicate = known.get(self.fields[0])
        if isinstance(predicate, Equal):
            return (self.compute(predicate.value),)
        if isinstance(predicate, Prefix) and predicate.start:
            return (self.compute(predicate.start),)
        return LETTERS


def first_letter(field: str) -> FirstLetter:
    """Return a derived value: the first letter of a str field, `0` to `9`, `A` to `Z`, or `_` for other characters.

    The value spreads an alphabetical list over 37 partitions. A pattern with a `Prefix` or an exact value reads one
    partition.
    """
    return FirstLetter((field,))
