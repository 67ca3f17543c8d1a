"""Shards by first letter: an alphabetical register in 37 drawers."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from singletable.model.derived.derived import Derived, Reach
from singletable.model.language import Language, any_of
from singletable.model.ranges import Equal, Predicate, Prefix

OTHER = "_"
LETTERS = (*"0123456789", *"ABCDEFGHIJKLMNOPQRSTUVWXYZ", OTHER)


@dataclass(frozen=True)
class FirstLetter(Derived):
    """The first letter of a text without accent or case: `0` to `9`, `A` to `Z`, and `_` for everything else."""

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
        return None if types[self.fields[0]] is str else "only text has a first letter"

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
    """Spread items over partitions by the first letter of a field: `A` to `Z`, `0` to `9`, or `_` for any other."""
    return FirstLetter((field,))
