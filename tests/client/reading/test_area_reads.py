"""Circles, boxes and nearest objects equal a search through all of ten thousand points, across all cell borders."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol

import pytest

from singletable import (
    ArgumentRefused,
    Box,
    KeyRefused,
    Nearest,
    Radius,
    Table,
    entity,
    geohash,
    pattern,
    within,
)
from singletable.model.geohash import cells_within, distance_m, encode
from tests.client.between import Between, between

TOKYO = (35.6586, 139.7454)
FIJI = (-16.8, 180.0)
SEED = 20_261


@entity(key=("SPOT#{id}", "META"), gsi1=("GEO#{cell}", "{id}"), derived={"cell": geohash("lat", "lng", precision=1)})
@dataclass(frozen=True)
class Wide:
    id: str
    lat: float
    lng: float
    kind: str = "tree"


@entity(key=("SPOT#{id}", "META"), gsi1=("GEO#{cell}", "{id}"), derived={"cell": geohash("lat", "lng", precision=3)})
@dataclass(frozen=True)
class Middle:
    id: str
    lat: float
    lng: float
    kind: str = "tree"


@entity(key=("SPOT#{id}", "META"), gsi1=("GEO#{cell}", "{id}"), derived={"cell": geohash("lat", "lng", precision=6)})
@dataclass(frozen=True)
class Narrow:
    id: str
    lat: float
    lng: float
    kind: str = "tree"


class Spot(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def lat(self) -> float: ...
    @property
    def lng(self) -> float: ...


class Earth(Table, entities=[Wide]):
    """Cells as large as continents."""

    @pattern(fanout=32)
    def near(self, area: Radius) -> list[Wide]:
        return within(Wide)

    @pattern(fanout=32)
    def in_box(self, area: Box) -> list[Wide]:
        return within(Wide)

    @pattern(fanout=32)
    def nearest(self, area: Nearest) -> list[Wide]:
        return within(Wide)


class Land(Table, entities=[Middle]):
    """Cells of 156 kilometres."""

    @pattern(fanout=1000)
    def near(self, area: Radius) -> list[Middle]:
        return within(Middle)

    @pattern(fanout=1000)
    def in_box(self, area: Box) -> list[Middle]:
        return within(Middle)

    @pattern(fanout=1000)
    def nearest(self, area: Nearest) -> list[Middle]:
        return within(Middle)


class City(Table, entities=[Narrow]):
    """Cells of 1.2 by 0.6 kilometres."""

    @pattern(fanout=1000)
    def near(self, area: Radius) -> list[Narrow]:
        return within(Narrow)

    @pattern(fanout=1000)
    def in_box(self, area: Box) -> list[Narrow]:
        return within(Narrow)

    @pattern(fanout=1000)
    def nearest(self, area: Nearest) -> list[Narrow]:
        return within(Narrow)

    @pattern(fanout=24)
    def few(self, area: Nearest) -> list[Narrow]:
        return within(Narrow)

    @pattern(fanout=1000)
    def nearest_of_kind(self, area: Nearest, wanted: str) -> list[Narrow]:
        return within(Narrow, filter=lambda spot: spot.kind == wanted)


def _points() -> Iterator[tuple[float, float]]:
    """Return ten thousand points: over the whole sphere, in clusters, at the poles, and on cell edges."""
    chance = random.Random(SEED)
    for pole in (-90.0, 90.0):
        for _ in range(40):
            yield pole, chance.uniform(-180, 180)
        for _ in range(400):
            yield math.copysign(90 - chance.expovariate(1), pole), chance.uniform(-180, 180)
    for _ in range(300):  # corners of cells of precision 3, and the antimeridian as 180 and -180
        yield 180 * chance.randrange(129) / 128 - 90, 360 * chance.randrange(257) / 256 - 180
    for latitude, longitude in (TOKYO, FIJI):
        for _ in range(2_000):
            east = longitude + chance.gauss(0, 0.05)
            yield latitude + chance.gauss(0, 0.05), east if east <= 180 else east - 360
    while True:
        yield math.degrees(math.asin(chance.uniform(-1, 1))), chance.uniform(-180, 180)


POINTS = [(f"s{number:05}", *point) for number, point in zip(range(10_000), _points(), strict=False)]


def _opened(table: Any, cls: Any) -> Iterator[Any]:
    with table.open("memory:") as opened:
        opened.put_many(
            cls(id, latitude, longitude, "well" if id.endswith("7") else "tree") for id, latitude, longitude in POINTS
        )
        yield opened


@pytest.fixture(scope="module")
def earth() -> Iterator[Earth]:
    yield from _opened(Earth, Wide)


@pytest.fixture(scope="module")
def land() -> Iterator[Land]:
    yield from _opened(Land, Middle)


@pytest.fixture(scope="module")
def city() -> Iterator[City]:
    yield from _opened(City, Narrow)


def ids(spots: list[Any]) -> list[str]:
    return [spot.id for spot in spots]


@cache
def by_distance(latitude: float, longitude: float, meters: float) -> list[str]:
    """Return the ids of the points within a distance, nearest first, from a search through all points."""
    away = [(distance_m(latitude, longitude, lat, lng), id) for id, lat, lng in POINTS]
    return [id for meters_away, id in sorted(away) if meters_away <= meters]


def by_box(box: Box) -> list[str]:
    """Return the ids of the points in a box, from a search through all points, eastward from its western edge."""
    found = []
    width = box.east - box.west + (360 if box.west > box.east else 0)
    for id, latitude, longitude in POINTS:
        if box.south <= latitude <= box.north:
            ways = [longitude - box.west + turn for turn in (-360, 0, 360) if 0 <= longitude - box.west + turn <= width]
            found += [(latitude, min(ways), id)] if ways else []
    return [id for *_, id in sorted(found)]


WORLD = [(90.0, 17.0), (-90.0, 0.0), (89.9, -180.0), (-89.5, 179.999), (0.0, 180.0), (0.0, 0.0), TOKYO]


def circles(seed: int, largest_m: float) -> list[Radius]:
    """Return circles at special places, at stored points, and at random points."""
    chance, made = random.Random(seed), []
    for number in range(8):
        anywhere = (math.degrees(math.asin(chance.uniform(-1, 1))), chance.uniform(-180, 180))
        stored = chance.choice(POINTS)[1:]
        centre = (WORLD[number % len(WORLD)], stored, WORLD[-1 - number % len(WORLD)], anywhere)[number % 4]
        made.append(Radius(*centre, largest_m * chance.random() ** 2))
    return made


@pytest.mark.parametrize("area", circles(1, 21_000_000), ids=str)
def test_pattern_reads_of_large_circles_equal_brute_force(earth: Earth, area: Radius) -> None:
    assert ids(earth.near(area)) == by_distance(area.latitude, area.longitude, area.meters)


@pytest.mark.parametrize("area", circles(2, 300_000), ids=str)
def test_pattern_reads_of_circles_in_countries_equal_brute_force(land: Land, area: Radius) -> None:
    assert ids(land.near(area)) == by_distance(area.latitude, area.longitude, area.meters)


@pytest.mark.parametrize(
    "area", [Radius(*place, m) for place in (TOKYO, FIJI) for m in (0, 300, 3_000, 9_000)], ids=str
)
def test_pattern_reads_of_circles_in_crowds_equal_brute_force(city: City, area: Radius) -> None:
    expected = by_distance(area.latitude, area.longitude, area.meters)
    assert ids(city.near(area)) == expected
    assert (len(expected) > 10) == (area.meters >= 3_000)


@pytest.mark.parametrize("table", ["earth", "land"])
@pytest.mark.parametrize("id", ["s00000", "s00041", "s00500", "s00900", "s01000", "s09999"])
def test_pattern_reads_of_a_circle_with_radius_zero_find_objects_at_the_point(
    table: str, id: str, request: pytest.FixtureRequest
) -> None:
    _, latitude, longitude = POINTS[int(id[1:])]
    expected = by_distance(latitude, longitude, 0)
    assert id in expected
    assert ids(request.getfixturevalue(table).near(Radius(latitude, longitude, 0))) == expected


def boxes(chance: random.Random, tall: float, wide: float) -> Iterator[Box]:
    for _ in range(12):
        south, west = chance.uniform(-90, 90), chance.uniform(-180, 180)
        east = west + wide * chance.random()
        yield Box(south, west, min(90, south + tall * chance.random()), east if east <= 180 else east - 360)


@pytest.mark.parametrize(
    "box",
    [
        *boxes(random.Random(3), 180, 360),
        Box(-90, -180, 90, 180),
        Box(-90, 180, 90, -180),
        Box(0, -180, 0, 180),
        Box(-90, 0.5, 90, 0.25),
        Box(89.99, -180, 90, 180),
    ],
    ids=str,
)
def test_pattern_reads_of_large_boxes_equal_brute_force(earth: Earth, box: Box) -> None:
    assert ids(earth.in_box(box)) == by_box(box)


@pytest.mark.parametrize(
    "box",
    [
        *boxes(random.Random(4), 15, 30),
        Box(85, 170, 90, -170),
        Box(-90, -180, -88, 180),
        Box(-20, 179, -10, -179),
        Box(-20, 180, -10, 180),
        Box(-20, -180, -10, -179),
        Box(-20, 179, -10, 180),
        Box(-1.40625, 0, 1.40625, 2.8125),
    ],
    ids=str,
)
def test_pattern_reads_of_boxes_in_countries_equal_brute_force(land: Land, box: Box) -> None:
    assert ids(land.in_box(box)) == by_box(box)


def test_pattern_reads_of_a_box_include_its_edges_and_go_from_south_to_north(city: City) -> None:
    ordered = sorted(((lat, lng, id) for id, lat, lng in POINTS[1_180:1_200]), key=lambda point: point[0])
    (south, _, first), (north, _, last) = ordered[0], ordered[-1]
    west, east = min(lng for _, lng, _ in ordered), max(lng for _, lng, _ in ordered)
    crowd = Box(south, west, south + 0.02, east)
    found = ids(city.in_box(crowd))
    assert found == by_box(crowd)
    assert found[0] == first
    assert ids(city.in_box(Box(north, west, north, east))) == [last]


def test_pattern_reads_of_a_box_across_the_antimeridian_equal_two_boxes(city: City) -> None:
    whole = city.in_box(Box(-16.85, 179.95, -16.75, -179.95))
    west, east = city.in_box(Box(-16.85, 179.95, -16.75, 180)), city.in_box(Box(-16.85, -180, -16.75, -179.95))
    assert min(len(west), len(east)) > 50
    assert sorted(ids(whole)) == sorted({*ids(west), *ids(east)})


def nearest(area: Nearest) -> list[str]:
    return by_distance(area.latitude, area.longitude, area.meters)[: area.count]


@pytest.mark.parametrize("area", circles(5, 21_000_000), ids=str)
@pytest.mark.parametrize("count", [1, 200])
def test_pattern_reads_of_the_nearest_objects_on_earth_equal_brute_force(
    earth: Earth, area: Radius, count: int
) -> None:
    asked = Nearest(area.latitude, area.longitude, count, meters=area.meters)
    assert ids(earth.nearest(asked)) == nearest(asked)


@pytest.mark.parametrize("area", circles(6, 300_000), ids=str)
@pytest.mark.parametrize("count", [1, 25])
def test_pattern_reads_of_the_nearest_objects_in_a_country_equal_brute_force(
    land: Land, area: Radius, count: int
) -> None:
    asked = Nearest(area.latitude, area.longitude, count, meters=area.meters)
    assert ids(land.nearest(asked)) == nearest(asked)


@pytest.mark.parametrize("place", [TOKYO, FIJI, (-16.8, -179.9), (35.5, 139.5)])
@pytest.mark.parametrize("count", [1, 10, 100, 5_000])
def test_pattern_reads_of_the_nearest_objects_in_a_crowd_equal_brute_force(
    city: City, place: tuple[float, float], count: int
) -> None:
    asked = Nearest(*place, count, meters=8_000)
    assert ids(city.nearest(asked)) == nearest(asked)


def test_pattern_reads_of_more_nearest_objects_than_exist_return_all(earth: Earth) -> None:
    assert ids(earth.nearest(Nearest(*FIJI, 12_000, meters=2.1e7))) == by_distance(*FIJI, 2.1e7)
    assert len(by_distance(*FIJI, 2.1e7)) == len(POINTS)


def test_pattern_reads_of_an_empty_area_return_nothing(city: City) -> None:
    assert city.near(Radius(48.0, -40.0, 500)) == []
    assert city.in_box(Box(48.0, -40.0, 48.01, -39.99)) == []
    assert city.nearest(Nearest(48.0, -40.0, 3, meters=500)) == []


def test_pattern_reads_of_an_area_order_objects_at_the_same_distance_by_key() -> None:
    with City.open("memory:") as city:
        city.put_many(Narrow(f"s{number}", 0.001 * sign, 0.002) for number, sign in ((3, 1), (1, -1), (2, 1), (0, -1)))
        city.put(Narrow("a", 0.0, -0.1))
        everything = ["s0", "s1", "s2", "s3"]
        assert ids(city.near(Radius(0, 0.002, 500))) == everything
        assert ids(city.nearest(Nearest(0, 0.002, 3, meters=500))) == everything[:3]
        assert ids(city.in_box(Box(-1e-3, 0.002, 1e-3, 0.002))) == everything


def test_pattern_reads_of_the_nearest_objects_apply_a_filter_before_the_count(city: City) -> None:
    found = city.nearest_of_kind(Nearest(*TOKYO, 5, meters=8_000), "well")
    assert ids(found) == [id for id in by_distance(*TOKYO, 8_000) if id.endswith("7")][:5]


def test_pattern_reads_of_areas_work_with_asyncio(city: City) -> None:
    async def awaited() -> None:
        radius, box = Radius(*FIJI, 2_000), Box(-16.81, 179.99, -16.79, -179.99)
        assert await city.near.aio(radius) == city.near(radius)
        assert await city.in_box.aio(box) == city.in_box(box)
        asked = Nearest(*FIJI, 25, meters=5_000)
        assert await city.nearest.aio(asked) == city.nearest(asked)

    asyncio.run(awaited())


@pytest.fixture
def watched() -> Iterator[tuple[City, Between]]:
    """Return a separate city with recorded requests."""
    with City.open("memory:") as city:
        city.put_many(Narrow(*point) for point in POINTS[1_180:1_780])
        yield city, between(city)


def cells_asked(seen: Between) -> list[str]:
    keys = [request["ExpressionAttributeValues"] for request in seen.requests]
    return [value["S"].removeprefix("GEO#") for values in keys for value in values.values()]


@pytest.mark.parametrize("count", [1, 5, 20, 150])
def test_pattern_reads_of_nearest_objects_query_only_cells_with_nearer_ones_and_none_twice(
    watched: tuple[City, Between], count: int
) -> None:
    city, seen = watched
    found = city.nearest(Nearest(*TOKYO, count, meters=8_000))
    cells = cells_asked(seen)
    assert len(cells) == len(set(cells))
    last_m = distance_m(*TOKYO, found[-1].lat, found[-1].lng)
    assert set(cells) >= set(cells_within(*TOKYO, last_m, 6, 1_000))
    # The results of earlier rings limit the last ring, which extends by at most one row of cells.
    assert set(cells) <= set(cells_within(*TOKYO, last_m + 2 * 1_400, 6, 1_000))
    assert len(cells) < len(cells_within(*TOKYO, 8_000, 6, 1_000)) / (2 if count < 150 else 1)


def test_pattern_reads_of_a_nearest_object_in_the_middle_of_its_cell_query_one_ring() -> None:
    with City.open("memory:") as city:
        city.put(Narrow("here", *TOKYO))
        seen = between(city)
        assert ids(city.nearest(Nearest(*TOKYO, 1, meters=8_000))) == ["here"]
        assert cells_asked(seen) == [encode(*TOKYO, 6)]


def test_pattern_reads_of_nearest_objects_without_results_end_at_the_distance(watched: tuple[City, Between]) -> None:
    city, seen = watched
    assert city.nearest(Nearest(10.0, 10.0, 1, meters=5_000)) == []
    assert sorted(cells_asked(seen)) == list(cells_within(10.0, 10.0, 5_000, 6, 1_000))


def test_pattern_reads_of_an_area_with_more_cells_than_declared_are_rejected(watched: tuple[City, Between]) -> None:
    city, seen = watched
    with pytest.raises(ArgumentRefused, match=r"few: these arguments need \d+ Queries, .* fanout=24"):
        city.few(Nearest(*TOKYO, 1, meters=5_000))
    assert seen.requests == []
    assert len(city.few(Nearest(*TOKYO, 1, meters=1_000))) == 1


@pytest.mark.parametrize(
    ("name", "area", "said"),
    [
        ("near", Radius(91, 0, 5), "latitude 91.0 is out of range"),
        ("near", Radius("north", 0, 5), "latitude 'north' is not a number"),  # type: ignore[arg-type]
        ("near", Radius(0, None, 5), "longitude None is not a number"),  # type: ignore[arg-type]
        ("in_box", Box(1, 0, -1, 5), "south 1.0 is greater than north -1.0: swap them"),
        ("in_box", Box(0, 0, 1, 190), "longitude 190.0 is not a valid edge of a box"),
        ("in_box", Box(0, 0, math.nan, 1), "latitude nan is out of range"),
        ("in_box", Box(0, 0, 10, 10), "a box of 10 by 10 degrees needs at least .* cells of precision 6"),
        ("nearest", Nearest(0, 0, 0, meters=5), "count must be an int, 1 or greater, got 0"),
        ("nearest", Nearest(0, 0, True, meters=5), "count must be an int, 1 or greater, got True"),
        ("nearest", Nearest(0, 0, 2.5, meters=5), "count must be an int, 1 or greater, got 2.5"),  # type: ignore[arg-type]
        ("nearest", Nearest(0, 0, 1, meters=-1), "radius -1.0 is not a distance"),
        ("nearest", Nearest(0, 0, 1, meters=math.inf), "radius inf is not a distance"),
        ("nearest", Nearest(0, 0, 1, meters=100_000), "a circle of 100000 m needs at least .* cells of precision 6"),
    ],
)
def test_pattern_reads_reject_an_argument_that_is_not_an_area(name: str, area: Any, said: str) -> None:
    with City.open("memory:") as city:
        seen = between(city)
        with pytest.raises(KeyRefused, match=said):
            getattr(city, name)(area)
        assert seen.requests == []
    with pytest.raises(KeyRefused, match=said):
        getattr(City, name).explain(area)


def test_pattern_reads_reject_another_area_than_declared(city: City) -> None:
    with pytest.raises(ArgumentRefused, match=r"area must be Radius\(...\), got Box"):
        city.near(Box(0, 0, 1, 1))  # type: ignore[arg-type]  # the mistake


def test_pattern_reads_of_an_area_have_no_pages(city: City) -> None:
    for paged in (city.near.using(limit=5), city.near.using(cursor="x")):
        with pytest.raises(ArgumentRefused, match="returns a whole area and takes no limit or cursor"):
            paged(Radius(*TOKYO, 100))


def test_an_explanation_of_an_area_shows_every_cell_that_pattern_reads_may_query() -> None:
    asked = Nearest(*TOKYO, 3, meters=1_000)
    explained = City.few.explain(asked)
    assert len(explained.requests) == len(City.near.explain(Radius(*TOKYO, 1_000)).requests)
    assert (
        "one Query per {cell*}: as many cells of precision 6 as needed, nearest cells first, up to a distance of meters"
        in (explained.proof)
    )
    assert "order: by distance" in explained.proof
    boxed = City.in_box.explain(Box(35.65, 139.74, 35.66, 139.75))
    assert "one Query per {cell*}: as many cells of precision 6 as the box touches" in boxed.proof
    assert "order: south to north, then west to east" in boxed.proof
    assert len(boxed.requests) == 6
    with pytest.raises(ArgumentRefused, match="declares fanout=24"):
        City.few.explain(replace(asked, meters=5_000))
