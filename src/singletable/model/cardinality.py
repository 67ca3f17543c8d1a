"""How many values a field has, and how unevenly traffic falls on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Cardinality:
    """The number of a field's values, and the share of the traffic that the most frequent one draws."""

    values: int
    hottest: float

    def __post_init__(self) -> None:
        if type(self.values) is not int or self.values < 1:
            raise ValueError(f"a field has a whole number of values from 1 on, not {self.values!r}")
        if not 1 / self.values <= self.hottest <= 1:
            raise ValueError(
                f"of {self.values} values the most frequent one draws from {1 / self.values:g} to 1 of the traffic, "
                f"not {self.hottest!r}"
            )


def skewed(values: int, *, hottest: float) -> Cardinality:
    """So many values, of which one draws this share of the traffic: `skewed(12, hottest=0.6)`."""
    return Cardinality(values, hottest)


def cardinalities(declared: Mapping[str, int | Cardinality] | None) -> dict[str, Cardinality]:
    """What was declared; a mere number of values is one of values that all draw the same."""
    return {
        name: given if isinstance(given, Cardinality) else Cardinality(given, 1 / given if given > 0 else 1)
        for name, given in (declared or {}).items()
    }


def unknown_fields(declared: Mapping[str, Cardinality], fields: Mapping[str, object]) -> Iterator[str]:
    """The names that are no fields."""
    return (name for name in declared if name not in fields)
