"""Geohash cells: the text of the cell a point lies in, and exactly those cells that a circle or a box touches.

A geohash of a precision is one cell of a grid of columns (longitude) and rows (latitude). Cells are found by exact
integer arithmetic on that grid, so a point on an edge is never rounded into the cell next door.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import zip_longest

ALPHABET = "0123456789bcdefghjkmnpqrstuvwxyz"
"""The 32 characters of a geohash; they ascend, so that cells sort as text the way they sort as numbers."""
EARTH_RADIUS_M = 6_371_008.8
"""The mean radius of the earth (IUGG), which is taken to be a sphere."""
PRECISION_MAX = 12

_BITS_PER_CHARACTER = 5
# A circle is drawn this much larger, which is a thousand times what rounding can take from it.
_SLACK_RATIO = 1e-9
_SLACK_M = 1e-6


def encode(latitude: float, longitude: float, precision: int) -> str:
    """The cell that holds this point; longitude goes around, and the north pole belongs to the topmost row."""
    grid = _grid(precision)
    row = grid.row_at(_valid_latitude(latitude))
    return _cell(grid, grid.column_at(_wrapped_longitude(longitude)) % grid.columns, row)


def cell_size_m(precision: int, latitude: float) -> tuple[float, float]:
    """The height of a cell, and its width along the parallel of this latitude."""
    grid = _grid(precision)
    parallel_ratio = math.cos(math.radians(_valid_latitude(latitude)))
    return math.pi * EARTH_RADIUS_M / grid.rows, math.tau * EARTH_RADIUS_M * parallel_ratio / grid.columns


def distance_m(lat1: float, lng1: float, lat2: float, lng2: float) -> float:
    """The great-circle distance of two points."""
    latitude, other_latitude = math.radians(_valid_latitude(lat1)), math.radians(_valid_latitude(lat2))
    half_turn = math.radians(_wrapped_longitude(lng2) - _wrapped_longitude(lng1)) / 2
    half_rise, middle = (other_latitude - latitude) / 2, (other_latitude + latitude) / 2
    # The haversine and its complement, each as a sum of squares: nothing cancels, not even between antipodes.
    near = math.hypot(math.sin(half_rise) * math.cos(half_turn), math.cos(middle) * math.sin(half_turn))
    far = math.hypot(math.cos(half_rise) * math.cos(half_turn), math.sin(middle) * math.sin(half_turn))
    return 2 * EARTH_RADIUS_M * math.atan2(near, far)


def cells_within(latitude: float, longitude: float, radius_m: float, precision: int, most: int) -> tuple[str, ...]:
    """The cells that the circle touches, sorted: every point within the radius lies in one of them.

    Raises ValueError when they are more than `most`, before any of them is made.
    """
    grid = _grid(precision)
    circle = _circle(latitude, longitude, radius_m)
    rows = range(grid.row_at(circle.south), grid.row_at(circle.north) + 1)
    columns_by_row: dict[int, range] = {}
    needed = len(rows)
    for row in rows:
        columns_by_row[row] = _columns_touched(grid, circle, row)
        needed += len(columns_by_row[row]) - 1
        if needed > most:
            raise ValueError(_too_many(f"a circle of {radius_m:g} m", "a smaller radius", precision, needed, most))
    return tuple(
        sorted(_cell(grid, column % grid.columns, row) for row, run in columns_by_row.items() for column in run)
    )


def cells_in_box(south: float, west: float, north: float, east: float, precision: int, most: int) -> tuple[str, ...]:
    """The cells that the box touches, sorted: every point in it, its edges included, lies in one of them.

    A `west` greater than `east` goes across the antimeridian. Raises ValueError for edges that make no box, and, before
    any cell is made, when there are more than `most`.
    """
    grid = _grid(precision)
    _check_box(south, west, north, east)
    rows = range(grid.row_at(south), grid.row_at(north) + 1)
    first, last = grid.column_at(west), grid.column_at(east) + (grid.columns if west > east else 0)
    columns = range(first, min(last + 1, first + grid.columns))
    needed = len(rows) * len(columns)
    if needed > most:
        box = f"a box of {_span(south, north):g} by {_span(west, east):g} degrees"
        raise ValueError(_too_many(box, "a smaller box", precision, needed, most))
    return tuple(sorted(_cell(grid, column % grid.columns, row) for row in rows for column in columns))


def is_in_box(south: float, west: float, north: float, east: float, latitude: float, longitude: float) -> bool:
    """Whether a point lies in a box or on its edges; 180 and -180 degrees are one meridian."""
    if not south <= latitude <= north:
        return False
    turned = _wrapped_longitude(longitude)
    same = (turned, -turned) if abs(turned) == 180 else (turned,)
    if west > east:
        return any(west <= each or each <= east for each in same)
    return any(west <= each <= east for each in same)


def eastward(west: float, longitude: float) -> tuple[bool, float]:
    """What longitudes are sorted by when one goes around the earth eastward, beginning at a meridian."""
    turned = _wrapped_longitude(longitude)
    turned = -180.0 if turned == 180 else turned
    return turned < west, turned


@dataclass(frozen=True)
class _Grid:
    """The cells of one precision, counted eastward from the antimeridian and northward from the south pole."""

    precision: int

    @property
    def column_bits(self) -> int:
        return (self.precision * _BITS_PER_CHARACTER + 1) // 2

    @property
    def row_bits(self) -> int:
        return self.precision * _BITS_PER_CHARACTER // 2

    @property
    def columns(self) -> int:
        return 1 << self.column_bits

    @property
    def rows(self) -> int:
        return 1 << self.row_bits

    def column_at(self, longitude: float) -> int:
        """The column of a longitude; outside -180 to 180 it counts on, and is to be taken modulo `columns`."""
        return _steps(longitude, 360, self.columns)

    def row_at(self, latitude: float) -> int:
        """The row of a latitude."""
        return min(_steps(latitude, 180, self.rows), self.rows - 1)

    def south_of(self, row: int) -> float:
        """The latitude where a row begins."""
        return 180 * row / self.rows - 90


@dataclass(frozen=True)
class _Circle:
    """All points within an angle of a centre, in degrees."""

    latitude: float
    longitude: float
    angle: float

    @property
    def south(self) -> float:
        return max(self.latitude - self.angle, -90.0)

    @property
    def north(self) -> float:
        return min(self.latitude + self.angle, 90.0)

    @property
    def widest_latitude(self) -> float:
        """Where a meridian touches the circle, which is poleward of its centre; the pole when that lies inside."""
        pole = math.copysign(90.0, self.latitude)
        to_pole = 90 - abs(self.latitude)
        if to_pole <= self.angle:
            return pole
        # Centre, pole and point of touch are a right triangle: tan²(b/2) = tan((c - a)/2) tan((c + a)/2).
        squared = math.tan(math.radians(to_pole - self.angle) / 2) * math.tan(math.radians(to_pole + self.angle) / 2)
        return math.copysign(90 - math.degrees(2 * math.atan(math.sqrt(squared))), pole)

    def half_width_at(self, latitude: float) -> float:
        """How far the circle reaches to the east and to the west along a parallel; 0 where it does not reach."""
        rise = abs(latitude - self.latitude)
        # The haversine formula solved for longitude, with sin²(a) - sin²(b) as a product so that nothing cancels.
        reach = math.sin(math.radians(self.angle + rise) / 2) * math.sin(math.radians(self.angle - rise) / 2)
        whole = math.cos(math.radians(self.latitude)) * math.cos(math.radians(latitude))
        if reach <= 0:
            return 0.0
        return 180.0 if reach >= whole else math.degrees(2 * math.asin(math.sqrt(reach / whole)))

    def half_width_between(self, south: float, north: float) -> float:
        """The widest half width on any parallel of a band.

        Away from the widest latitude the circle narrows, so the band is widest at its parallel nearest to that one.
        A circle around both poles is widest at both, and its bands at one of their edges.
        """
        nearest_to_widest = min(max(self.widest_latitude, south), north)
        return max(self.half_width_at(latitude) for latitude in (south, nearest_to_widest, north))


def _circle(latitude: float, longitude: float, radius_m: float) -> _Circle:
    if not (math.isfinite(radius_m) and radius_m >= 0):
        raise ValueError(f"radius {radius_m!r} is not a distance: pass 0 or more metres")
    angle = math.degrees((radius_m * (1 + _SLACK_RATIO) + _SLACK_M) / EARTH_RADIUS_M)
    return _Circle(_valid_latitude(latitude), _wrapped_longitude(longitude), min(angle, 180.0))


def _columns_touched(grid: _Grid, circle: _Circle, row: int) -> range:
    """The columns where the circle touches this row, which are one run; to be taken modulo the grid's columns."""
    half_width = circle.half_width_between(grid.south_of(row), grid.south_of(row + 1))
    first = grid.column_at(circle.longitude - half_width)
    last = grid.column_at(circle.longitude + half_width)
    return range(first, min(last + 1, first + grid.columns))


def _steps(degrees: float, span: int, count: int) -> int:
    """How many whole steps lie below an angle, when `count` of them make up the span around zero; exact."""
    numerator, denominator = degrees.as_integer_ratio()
    return (2 * numerator + span * denominator) * count // (2 * span * denominator)


def _cell(grid: _Grid, column: int, row: int) -> str:
    """The geohash of a cell: the bits of column and row in turn, column first, five to a character."""
    pairs = zip_longest(f"{column:0{grid.column_bits}b}", f"{row:0{grid.row_bits}b}", fillvalue="")
    number = int("".join(map("".join, pairs)), 2)
    shifts = range((grid.precision - 1) * _BITS_PER_CHARACTER, -1, -_BITS_PER_CHARACTER)
    return "".join(ALPHABET[number >> shift & 31] for shift in shifts)


def _grid(precision: int) -> _Grid:
    if not 1 <= precision <= PRECISION_MAX:
        raise ValueError(f"precision {precision!r} is not a geohash precision: pass 1 to {PRECISION_MAX}")
    return _Grid(precision)


def _valid_latitude(latitude: float) -> float:
    if not -90 <= latitude <= 90:
        raise ValueError(f"latitude {latitude!r} is not on the earth: pass -90 to 90 degrees")
    return latitude


def _wrapped_longitude(longitude: float) -> float:
    if not math.isfinite(longitude):
        raise ValueError(f"longitude {longitude!r} is not on the earth: pass a finite number of degrees")
    return math.remainder(longitude, 360)


def _check_box(south: float, west: float, north: float, east: float) -> None:
    _valid_latitude(south)
    _valid_latitude(north)
    for longitude in (west, east):
        if not -180 <= longitude <= 180:
            raise ValueError(f"longitude {longitude!r} is no edge of a box: pass -180 to 180 degrees")
    if south > north:
        raise ValueError(f"south {south!r} lies north of north {north!r}: swap them")


def _span(low: float, high: float) -> float:
    return high - low if low <= high else high - low + 360


def _too_many(what: str, less: str, precision: int, needed: int, most: int) -> str:
    way_out = "a smaller precision covers it with fewer" if precision > 1 else f"only {less} needs fewer"
    return (
        f"{what} needs at least {needed} geohash cells of precision {precision}, "
        f"more than the {most} allowed; {way_out}"
    )
