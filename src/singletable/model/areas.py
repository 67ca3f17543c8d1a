"""Areas as parameter types: a circle, a box, or the places nearest to a point, and which places lie in them."""

from __future__ import annotations

from dataclasses import dataclass, field

from singletable.model.geohash import cells_in_box, cells_within, distance_m, is_in_box


@dataclass(frozen=True)
class Radius:
    """The places within `meters` of a point, nearest first."""

    latitude: float
    longitude: float
    meters: float


@dataclass(frozen=True)
class Box:
    """The places between two parallels and two meridians, edges included, from south to north, then west to east.

    A `west` that is greater than `east` makes a box across the antimeridian. A place is inside by its coordinates: a
    place at a pole has the longitude that it was stored with.
    """

    south: float
    west: float
    north: float
    east: float


@dataclass(frozen=True)
class Nearest:
    """The `count` places nearest to a point, nearest first, none of them farther away than `meters`.

    The bound has no default: it is what keeps a search in an empty land from asking for all of it, and together with
    the precision of the cells it says how many requests a call can take.
    """

    latitude: float
    longitude: float
    count: int
    meters: float = field(kw_only=True)


Area = Radius | Box | Nearest
AREA_TYPES: tuple[type, ...] = (Radius, Box, Nearest)


def cells_of(area: Area, precision: int, most: int) -> tuple[str, ...]:
    """The geohash cells that an area touches, sorted; ValueError when it is no area, or needs more than `most`."""
    if isinstance(area, Box):
        edges = [_number(name, getattr(area, name)) for name in ("south", "west", "north", "east")]
        return cells_in_box(edges[0], edges[1], edges[2], edges[3], precision, most)
    if isinstance(area, Nearest) and (type(area.count) is not int or area.count < 1):
        raise ValueError(f"count {area.count!r} is not a number of places: pass 1 or more")
    return cells_within(
        _number("latitude", area.latitude),
        _number("longitude", area.longitude),
        _number("meters", area.meters),
        precision,
        most,
    )


def contains(area: Area, latitude: float, longitude: float) -> bool:
    """Whether a place lies in an area; how many are nearer is not asked here."""
    if isinstance(area, Box):
        return is_in_box(area.south, area.west, area.north, area.east, latitude, longitude)
    return distance_from(area, latitude, longitude) <= area.meters


def distance_from(area: Radius | Nearest, latitude: float, longitude: float) -> float:
    """How far a place is from the centre of an area, in metres."""
    return distance_m(float(area.latitude), float(area.longitude), latitude, longitude)


def _number(name: str, value: object) -> float:
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        return float(value)  # type: ignore[arg-type]  # whatever can be a number, such as a Decimal
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} {value!r} is not a number") from None
