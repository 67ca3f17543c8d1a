"""Reads of the places in an area: of all cells that it touches, or of rings around a point until they suffice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from singletable.client.items.decoder import key_value
from singletable.client.items.rows import Row
from singletable.client.options import Options
from singletable.client.reading.ranges import Range
from singletable.client.reading.reader import Reader
from singletable.client.steps import Steps
from singletable.errors import ArgumentRefused
from singletable.model.areas import AREA_TYPES, Area, Box, Nearest, contains, distance_from
from singletable.model.derived.geocell import GeoCell
from singletable.model.geohash import cell_size_m, eastward
from singletable.planner.bind import Request, check_fanout, further_requests, read_requests
from singletable.planner.plan import Plan

Arguments = Mapping[str, Any]


def read_area(reader: Reader, plan: Plan, arguments: Arguments, options: Options) -> Steps[list[Any]]:
    """The items inside the area among the arguments, in its order."""
    if options.limit is not None or options.cursor is not None:
        raise ArgumentRefused(
            f"{plan.pattern.name} answers a whole area, without limit and cursor; "
            "Nearest(..., count, meters=...) asks for so many places"
        )
    cells = next(spread.source for spread in plan.spreads if isinstance(spread.source, GeoCell))
    name, area = next((name, value) for name, value in arguments.items() if isinstance(value, AREA_TYPES))
    places = _Places(area, cells, reader.design.table.key_attributes)
    if isinstance(area, Nearest):
        yield from _read_rings(reader, plan, arguments, options, name, places)
        return places.in_order[: area.count]
    yield from _read(reader, plan, read_requests(reader.design, plan, arguments), options, places)
    return places.in_order


@dataclass
class _Places:
    """The places of an area as they are found, each with what it is sorted by."""

    area: Any
    cells: GeoCell
    key_names: tuple[str, ...]
    found: list[tuple[tuple[Any, ...], Any]] = field(default_factory=list)

    def add(self, item: Mapping[str, Any] | Row, each: Any) -> None:
        """Takes an object and its item, if it lies in the area."""
        latitude, longitude = (float(getattr(each, name)) for name in self.cells.fields)
        if contains(self.area, latitude, longitude):
            key = tuple(_in_key_order(key_value(item[name])) for name in self.key_names)
            self.found.append(((*_rank(self.area, latitude, longitude), *key), each))

    @property
    def in_order(self) -> list[Any]:
        """The objects in the order of the area; those of one rank by their key, which no two share."""
        return [each for _, each in sorted(self.found, key=lambda pair: pair[0])]

    def distance_of(self, count: int) -> float | None:
        """How far away the last of so many is, when there are so many."""
        distances = sorted(rank[0] for rank, _ in self.found)
        return distances[count - 1] if len(distances) >= count else None


def _rank(area: Area, latitude: float, longitude: float) -> tuple[float, ...]:
    if isinstance(area, Box):
        return latitude, *eastward(area.west, longitude)
    return (distance_from(area, latitude, longitude),)


def _in_key_order(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


def _read_rings(
    reader: Reader, plan: Plan, arguments: Arguments, options: Options, name: str, places: _Places
) -> Steps[None]:
    """Reads outward, a row of cells farther in each round, until nothing that is not read can be among the nearest.

    All within `covered` metres has been read, so places that are found nearer than that have nothing unread before
    them. Once there are enough, the last of them bounds the search: one more round reads whatever could be nearer.
    """
    area: Nearest = places.area
    check_fanout(plan, arguments)  # refuses what could take more than is declared, whatever lies there
    step = cell_size_m(places.cells.precision, 0)[0]
    asked: set[tuple[str, ...]] = set()
    covered = 0.0
    while True:
        ring = {**arguments, name: replace(area, meters=covered)}
        requests = further_requests(reader.design, plan, ring, asked)
        if requests:
            yield from _read(reader, plan, requests, options, places)
        last = places.distance_of(area.count)
        if covered >= area.meters or (last is not None and last <= covered):
            return
        covered = min(covered + step, area.meters) if last is None else last


def _read(reader: Reader, plan: Plan, requests: Sequence[Request], options: Options, places: _Places) -> Steps[None]:
    """Reads all of these Queries, and keeps what lies in the area."""
    unreadable = reader.unreadable_items(warn_as=plan.pattern.name)
    found = Range(reader, plan, requests, [None] * len(requests), options, unreadable=unreadable)
    while items := (yield from found.take(None)):
        for item, each in zip(*reader.readable(items, plan, unreadable), strict=True):
            places.add(item, each)
