"""Geohash cells: the cell of a point, and exactly the cells that a circle or a box touches.

The cells of a precision form a grid of columns (longitude) and rows (latitude). Positions on the grid are computed with
exact integer arithmetic, so a point on an edge is never rounded into the neighbouring cell.
"""

from __future__ import annotations

import math
from itertools import zip_longest

from singletable.lazy_dataclass import dataclass

ALPHABET = "0123456789bcdefghjkmnpqrstuvwxyz"
"""The 32 characters of a geohash.

They are in ascending order, so the text order of cells equals their numeric order.
"""
EARTH_RADIUS_M = 6_371_008.8
"""The mean radius of the earth (IUGG); distances assume a sphere."""
PRECISION_MAX = 12

_BITS_PER_CHARACTER = 5
# This slack enlarges every circle, so that rounding errors, which are a thousand times smaller, exclude no point.
_SLACK_RATIO = 1e-9
_SLACK_M = 1e-6


def encode(latitude: float, longitude: float, precision: int) -> str:
    """Return the cell of a point; longitudes wrap around, and the north pole is in the top row."""
    grid = _grid(precision)
    row = grid.row_at(_valid_latitude(latitude))
    return _cell(grid, grid.column_at(_wrapped_longitude(longitude)) % grid.columns, row)


def cell_size_m(precision: int, latitude: float) -> tuple[float, float]:
    """Return the height of a cell and its width at this latitude, in metres."""
    grid = _grid(precision)
    parallel_ratio = math.cos(math.radians(_valid_latitude(latitude)))
    return math.pi * EARTH_RADIUS_M / grid.rows, math.tau * EARTH_RADIUS_M * parallel_ratio / grid.columns


def distance_m(lat1: float, lng1: float, lat2: float, lng2: float) -> float:
    """Return the great-circle distance between two points, in metres."""
    latitude, other_latitude = math.radians(_valid_latitude(lat1)), math.radians(_valid_latitude(lat2))
    half_turn = math.radians(_wrapped_longitude(lng2) - _wrapped_longitude(lng1)) / 2
    half_rise, middle = (other_latitude - latitude) / 2, (other_latitude + latitude) / 2
    # The haversine and its complement are computed as sums of squares, so no precision is lost, even between antipodes.
    near = math.hypot(math.sin(half_rise) * math.cos(half_turn), math.cos(middle) * math.sin(half_turn))
    far = math.hypot(math.cos(half_rise) * math.cos(half_turn), math.sin(middle) * math.sin(half_turn))
    return 2 * EARTH_RADIUS_M * math.atan2(near, far)


def cells_within(latitude: float, longitude: float, radius_m: float, precision: int, most: int) -> tuple[str, ...]:
    """Return the cells that a circle touches, sorted. Every point within the radius is in one of these cells.

    Raise ValueError before any cell is computed if there are more than `most` cells.
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
    """Return the cells that a box touches, sorted. Every point in the box or on its edges is in one of these cells.

    If `west` is greater than `east`, the box crosses the antimeridian. Raise ValueError before any cell is computed if
    the edges are invalid or if there are more than `most` cells.
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
    """Return whether a point is in a box or on its edges; 180 and -180 degrees are the same meridian."""
    if not south <= latitude <= north:
        return False
    turned = _wrapped_longitude(longitude)
    same = (turned, -turned) if abs(turned) == 180 else (turned,)
    if west > east:
        return any(west <= each or each <= east for each in same)
    return any(west <= each <= east for each in same)


def eastward(west: float, longitude: float) -> tuple[bool, float]:
    """Return a sort key that orders longitudes eastward, starting at a meridian."""
    turned = _wrapped_longitude(longitude)
    turned = -180.0 if turned == 180 else turned
    return turned < west, turned


@dataclass(frozen=True)
class _Grid:
    """The grid of one precision. Columns count eastward from the antimeridian, rows northward from the south pole."""

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
        """Return the column of a longitude. Outside -180 to 180 degrees, take the result modulo `columns`."""
        return _steps(longitude, 360, self.columns)

    def row_at(self, latitude: float) -> int:
        """Return the row of a latitude."""
        return min(_steps(latitude, 180, self.rows), self.rows - 1)

    def south_of(self, row: int) -> float:
        """Return the southern latitude of a row."""
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
        """The latitude where a meridian is tangent to the circle, or the pole if the circle contains it."""
        pole = math.copysign(90.0, self.latitude)
        to_pole = 90 - abs(self.latitude)
        if to_pole <= self.angle:
            return pole
        # Centre, pole and tangent point form a right triangle: tan²(b/2) = tan((c - a)/2) tan((c + a)/2).
        squared = math.tan(math.radians(to_pole - self.angle) / 2) * math.tan(math.radians(to_pole + self.angle) / 2)
        return math.copysign(90 - math.degrees(2 * math.atan(math.sqrt(squared))), pole)

    def half_width_at(self, latitude: float) -> float:
        """Return how far the circle extends east and west along a parallel. The result is 0 outside the circle."""
        rise = abs(latitude - self.latitude)
        # This is the haversine formula solved for the longitude. sin²(a) - sin²(b) is computed as a product, for
        # precision.
        reach = math.sin(math.radians(self.angle + rise) / 2) * math.sin(math.radians(self.angle - rise) / 2)
        whole = math.cos(math.radians(self.latitude)) * math.cos(math.radians(latitude))
        if reach <= 0:
            return 0.0
        return 180.0 if reach >= whole else math.degrees(2 * math.asin(math.sqrt(reach / whole)))

    def half_width_between(self, south: float, north: float) -> float:
        """Return the maximum half width of the circle on the parallels of a band.

        The circle narrows away from its widest latitude, so the maximum is at the parallel nearest to that latitude. A
        circle that contains both poles is widest at both poles, so the maximum of a band is at one of its edges.
        """
        nearest_to_widest = min(max(self.widest_latitude, south), north)
        return max(self.half_width_at(latitude) for latitude in (south, nearest_to_widest, north))


def _circle(latitude: float, longitude: float, radius_m: float) -> _Circle:
    if not (math.isfinite(radius_m) and radius_m >= 0):
        raise ValueError(f"radius {radius_m!r} is not a distance: pass 0 or more metres")
    angle = math.degrees((radius_m * (1 + _SLACK_RATIO) + _SLACK_M) / EARTH_RADIUS_M)
    return _Circle(_valid_latitude(latitude), _wrapped_longitude(longitude), min(angle, 180.0))


def _columns_touched(grid: _Grid, circle: _Circle, row: int) -> range:
    """Return the range of columns where the circle touches a row. Take each column modulo the number of columns."""
    half_width = circle.half_width_between(grid.south_of(row), grid.south_of(row + 1))
    first = grid.column_at(circle.longitude - half_width)
    last = grid.column_at(circle.longitude + half_width)
    return range(first, min(last + 1, first + grid.columns))


def _steps(degrees: float, span: int, count: int) -> int:
    """Return the exact number of whole steps from -span/2 up to an angle. The span consists of `count` steps."""
    numerator, denominator = degrees.as_integer_ratio()
    return (2 * numerator + span * denominator) * count // (2 * span * denominator)


def _cell(grid: _Grid, column: int, row: int) -> str:
    """Return the geohash of a cell. It consists of alternating bits of column and row, five per character."""
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
        raise ValueError(f"latitude {latitude!r} is out of range: pass -90 to 90 degrees")
    return latitude


def _wrapped_longitude(longitude: float) -> float:
    if not math.isfinite(longitude):
        raise ValueError(f"longitude {longitude!r} is not finite: pass a number of degrees")
    return math.remainder(longitude, 360)


def _check_box(south: float, west: float, north: float, east: float) -> None:
    _valid_latitude(south)
    _valid_latitude(north)
    for longitude in (west, east):
        if not -180 <= longitude <= 180:
            raise ValueError(f"longitude {longitude!r} is not a valid edge of a box: pass -180 to 180 degrees")
    if south > north:
        raise ValueError(f"south {south!r} is greater than north {north!r}: swap them")


def _span(low: float, high: float) -> float:
    return high - low if low <= high else high - low + 360


def _too_many(what: str, less: str, precision: int, needed: int, most: int) -> str:
    way_out = f"use a smaller precision or {less}" if precision > 1 else f"use {less}"
    return (
        f"{what} needs at least {needed} geohash cells of precision {precision}, "
        f"but at most {most} are allowed; {way_out}"
    )
