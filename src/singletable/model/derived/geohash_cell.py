"""`geohash()`: partition items by the geohash cell of their coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model import geohash as cells
from singletable.model.derived.derived_value import DerivedValue, Reach
from singletable.model.parameter_types import AREA_TYPES, Box, Nearest, Predicate, Radius, cells_of
from singletable.model.regular_language import Language, fixed

MOST_CELLS = 1_000
"""An area that touches more cells than this is rejected before any request is sent."""
_REACHES = {
    Radius: "as many cells of precision {0} as the radius covers",
    Box: "as many cells of precision {0} as the box touches",
    Nearest: "as many cells of precision {0} as needed, nearest cells first, up to a distance of meters",
}

_NUMBERS = (int, float, Decimal)
_ALPHABET = tuple((ord(character), ord(character)) for character in cells.ALPHABET)


@dataclass(frozen=True)
class GeohashCell(DerivedValue):
    """The geohash cell of a latitude and a longitude."""

    precision: int

    @property
    def label(self) -> str:
        return f"geohash({', '.join(self.fields)}, precision={self.precision})"

    @property
    def width(self) -> int:
        return self.precision

    def language(self, delimiter: str) -> Language:
        return fixed(*[_ALPHABET] * self.precision)

    def compute(self, *values: Any) -> str:
        try:
            return cells.encode(float(values[0]), float(values[1]), self.precision)
        except ValueError as problem:
            raise KeyRefused(str(problem)) from problem

    def reach(self, known: Mapping[str, type]) -> Reach | None:
        test = known.get(self.fields[0])
        if test in _REACHES and all(known.get(name) is test for name in self.fields):
            return Reach(None, _REACHES[test].format(self.precision))
        return super().reach(known)

    def covers(self, test: type) -> bool:
        return test in AREA_TYPES

    def problem_with(self, types: Mapping[str, Any]) -> str | None:
        fits = all(types[name] in _NUMBERS for name in self.fields)
        return None if fits else "geohash() needs two number fields: latitude and longitude in degrees"

    def expand(self, known: Mapping[str, Predicate]) -> tuple[str, ...]:
        area = known.get(self.fields[0])
        if not isinstance(area, Radius | Box | Nearest):
            return super().expand(known)
        try:
            return cells_of(area, self.precision, MOST_CELLS)
        except ValueError as problem:
            raise KeyRefused(str(problem)) from problem


def geohash(latitude: str, longitude: str, *, precision: int) -> GeohashCell:
    """Return a derived value: the geohash cell of two fields with coordinates in degrees.

    The value makes it possible to search an entity by area with `within(...)`. `precision` is the number of characters,
    from 1 to 12; a cell of precision 6 is about 1.2 by 0.6 km. Choose cells that are about as large as the areas that
    you search.
    """
    if not 1 <= precision <= 12:
        raise ValueError(f"precision must be between 1 and 12, got {precision}")
    return GeohashCell((latitude, longitude), precision)
