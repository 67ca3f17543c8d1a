"""Parameter types of patterns: ranges (`Between`, `Since`, ...), paths and areas, and the values that they match."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Generic, TypeVar

from singletable.lazy_dataclass import dataclass
from singletable.model.geohash import cells_in_box, cells_within, distance_m, is_in_box

T = TypeVar("T")


@dataclass(frozen=True)
class Between(Generic[T]):
    """An inclusive range from `low` to `high`.

    Annotate the parameter with `created_at: Between[datetime]` and pass `Between(monday, sunday)`.
    """

    low: T
    high: T


@dataclass(frozen=True)
class Since(Generic[T]):
    """A range that starts at `low`, included, and has no upper bound."""

    low: T


@dataclass(frozen=True)
class Until(Generic[T]):
    """A range that ends at `high`, included, and has no lower bound."""

    high: T


@dataclass(frozen=True)
class Prefix(Generic[T]):
    """All texts that start with `start`: `name: Prefix[str]`, called with `Prefix("Ann")`."""

    start: T


@dataclass(frozen=True)
class Subtree(Generic[T]):
    """A path and all paths below it. `("eng",)` does not match `("engineering",)`."""

    root: T


@dataclass(frozen=True)
class Children(Generic[T]):
    """The paths directly below `parent`. The children of `()` are the top-level paths."""

    parent: T


@dataclass(frozen=True)
class Radius:
    """A circle: the locations within `meters` of a point, nearest first."""

    latitude: float
    longitude: float
    meters: float


@dataclass(frozen=True)
class Box:
    """The locations between two latitudes and two longitudes, edges included, sorted from south to north.

    If `west` is greater than `east`, the box crosses the antimeridian. Locations are compared by their coordinates, so
    a location at a pole matches by its stored longitude.
    """

    south: float
    west: float
    north: float
    east: float


@dataclass(frozen=True)
class Nearest:
    """The `count` locations nearest to a point and at most `meters` away, nearest first.

    `meters` has no default, because it limits the number of requests. Without a limit, a search in an empty region
    would read all cells.
    """

    latitude: float
    longitude: float
    count: int
    meters: float = field(kw_only=True)


@dataclass(frozen=True)
class Equal:
    """A single value: the predicate of a parameter that has the type of its field."""

    value: Any


@dataclass(frozen=True)
class Present:
    """Any value except None: the predicate of `exists(o.field)`, and of every item in a sparse index."""


Area = Radius | Box | Nearest
AREA_TYPES: tuple[type, ...] = (Radius, Box, Nearest)

Predicate = (
    Equal
    | Between[Any]
    | Since[Any]
    | Until[Any]
    | Prefix[Any]
    | Subtree[Any]
    | Children[Any]
    | Radius
    | Box
    | Nearest
    | Present
)
"""A predicate on the value of a field."""

RANGE_TYPES: tuple[type, ...] = (Between, Since, Until, Prefix, Subtree, Children)


def holds(predicate: Predicate, value: Any) -> bool:
    """Return whether a value satisfies a predicate. Tests compare the results of every plan with this definition."""
    match predicate:
        case Equal(expected):
            return bool(value == expected)
        case Between(low, high):
            return bool(low <= value <= high)
        case Since(low):
            return bool(low <= value)
        case Until(high):
            return bool(value <= high)
        case Prefix(start):
            return bool(value.startswith(start))
        case Subtree(root):
            return tuple(value[: len(root)]) == tuple(root)
        case Children(parent):
            return tuple(value[:-1]) == tuple(parent)
        case Present():
            return value is not None
        case Radius() | Box() | Nearest():
            latitude, longitude = value
            return contains(predicate, float(latitude), float(longitude))


def cells_of(area: Area, precision: int, most: int) -> tuple[str, ...]:
    """Return the geohash cells that an area touches, sorted.

    Raise ValueError if the area is invalid or touches more than `most` cells.
    """
    if isinstance(area, Box):
        edges = [_number(name, getattr(area, name)) for name in ("south", "west", "north", "east")]
        return cells_in_box(edges[0], edges[1], edges[2], edges[3], precision, most)
    if isinstance(area, Nearest) and (type(area.count) is not int or area.count < 1):
        raise ValueError(f"count must be an int, 1 or greater, got {area.count!r}")
    return cells_within(
        _number("latitude", area.latitude),
        _number("longitude", area.longitude),
        _number("meters", area.meters),
        precision,
        most,
    )


def contains(area: Area, latitude: float, longitude: float) -> bool:
    """Return whether a location is in an area; for `Nearest`, whether it is within `meters`."""
    if isinstance(area, Box):
        return is_in_box(area.south, area.west, area.north, area.east, latitude, longitude)
    return distance_from(area, latitude, longitude) <= area.meters


def distance_from(area: Radius | Nearest, latitude: float, longitude: float) -> float:
    """Return the distance of a location from the centre of an area, in metres."""
    return distance_m(float(area.latitude), float(area.longitude), latitude, longitude)


def _number(name: str, value: object) -> float:
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        return float(value)  # type: ignore[arg-type]  # any number type, such as Decimal
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} {value!r} is not a number") from None
