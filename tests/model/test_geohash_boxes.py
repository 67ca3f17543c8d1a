"""The cells of a box are complete and minimal, across the antimeridian and up to the poles."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from singletable.model import geohash
from singletable.model.geohash import cell_size_m, cells_in_box, eastward, encode, is_in_box
from tests.model.test_geohash import bounds_of, latitudes, longitudes

UNLIMITED = 10**9
Edges = tuple[float, float, float, float]
ratios = st.floats(0, 1) | st.sampled_from([0.0, 1.0])


@st.composite
def boxes(draw: st.DrawFn) -> tuple[Edges, int]:
    """The edges of a box of a few cells, and their precision; often at a pole, an edge of cells or the antimeridian."""
    precision = draw(st.integers(2, 7))
    rows, columns = 1 << precision * 5 // 2, 1 << (precision * 5 + 1) // 2
    on_an_edge = draw(st.booleans())
    south = draw(latitudes | st.sampled_from([-90.0, 90.0, 0.0]))
    west = draw(longitudes)
    if on_an_edge:
        south = math.floor((south + 90) / 180 * rows) / rows * 180 - 90
        west = round(west / 360 * columns) / columns * 360
    north = min(90.0, south + 180 / rows * draw(st.floats(0, 4) | st.sampled_from([0.0, 1.0, 2.0])))
    east = west + 360 / columns * draw(st.floats(0, 4) | st.sampled_from([0.0, 1.0, 2.0]))
    return (south, west, north, east - 360 if east > 180 else east), precision


def across(west: float, east: float) -> float:
    return east - west if west <= east else east - west + 360


@given(boxes(), st.lists(st.tuples(ratios, ratios), min_size=20))
def test_geohashes_in_a_box_contain_every_point_of_it(
    box: tuple[Edges, int], places: list[tuple[float, float]]
) -> None:
    (south, west, north, east), precision = box
    cells = set(cells_in_box(south, west, north, east, precision, UNLIMITED))
    for up, right in places:
        longitude = east if right == 1 else west + across(west, east) * right
        point = min(south + (north - south) * up, north), longitude
        if is_in_box(south, west, north, east, *point):
            assert encode(*point, precision) in cells, point


@given(boxes())
def test_geohashes_in_a_box_each_contain_a_point_of_it(box: tuple[Edges, int]) -> None:
    (south, west, north, east), precision = box
    for cell in cells_in_box(south, west, north, east, precision, UNLIMITED):
        cell_south, cell_north, cell_west, cell_east = bounds_of(cell)
        latitude = max(cell_south, south)
        assert latitude <= north
        assert latitude < cell_north or latitude == 90 == cell_north
        # The box begins in this column or west of it, and ends in it or east of it.
        begins_inside = any(cell_west <= west + turn < cell_east for turn in (-360, 0, 360))
        longitude = west if begins_inside else cell_west
        assert is_in_box(south, west, north, east, latitude, longitude), cell
        assert encode(latitude, longitude, precision) == cell


@given(boxes())
def test_geohashes_in_a_box_are_sorted_and_unique(box: tuple[Edges, int]) -> None:
    edges, precision = box
    cells = cells_in_box(*edges, precision, UNLIMITED)
    assert list(cells) == sorted(set(cells))
    assert {len(cell) for cell in cells} == {precision}


@given(latitudes, latitudes, longitudes, longitudes)
def test_geohashes_in_a_box_are_exactly_the_cells_it_touches(
    one: float, other: float, west: float, east: float
) -> None:
    south, north = min(one, other), max(one, other)
    cells = set(cells_in_box(south, west, north, east, 2, UNLIMITED))
    for cell in (first + second for first in geohash.ALPHABET for second in geohash.ALPHABET):
        cell_south, cell_north, cell_west, cell_east = bounds_of(cell)
        in_rows = (south < cell_north and cell_south <= north) or (south == 90 == cell_north)
        corners = [cell_west, *(edge for edge in (west, east) if cell_west <= edge < cell_east)]
        in_columns = any(is_in_box(-90, west, 90, east, 0, longitude) for longitude in corners)
        assert (cell in cells) == (in_rows and in_columns), cell


@given(latitudes, longitudes, latitudes, longitudes, latitudes, longitudes)
def test_a_geohash_box_or_the_rest_of_its_band_contains_a_point(
    one: float, west: float, other: float, east: float, latitude: float, longitude: float
) -> None:
    assume(west != east and {west, east} != {-180.0, 180.0})
    south, north = min(one, other), max(one, other)
    inside, beside = (is_in_box(south, w, north, e, latitude, longitude) for w, e in ((west, east), (east, west)))
    assert (inside or beside) == (south <= latitude <= north)
    on_an_edge = longitude in (west, east) or (abs(longitude) == 180 and 180 in (abs(west), abs(east)))
    assert (inside and beside) == (south <= latitude <= north and on_an_edge)


@pytest.mark.parametrize("edge", [-180.0, 180.0])
@pytest.mark.parametrize("longitude", [-180.0, 180.0, 540.0])
@pytest.mark.parametrize(("west", "east"), [(170, None), (None, -170), (None, None)])
def test_geohash_boxes_treat_longitudes_180_and_minus_180_as_the_same_meridian(
    edge: float, longitude: float, west: float | None, east: float | None
) -> None:
    box = (-1, edge if west is None else west, 1, edge if east is None else east)
    assert is_in_box(*box, 0, longitude)
    assert encode(0, longitude, 4) in cells_in_box(*box, 4, UNLIMITED)


def test_geohashes_in_a_box_around_the_earth_are_every_cell_once() -> None:
    assert len(cells_in_box(-90, -180, 90, 180, 1, 32)) == 32
    assert len(cells_in_box(-90, 10, 90, 9.99, 2, 1024)) == 1024


def test_geohashes_in_an_empty_box_are_the_cell_of_its_point() -> None:
    assert cells_in_box(57.64911, 10.40744, 57.64911, 10.40744, 11, 1) == ("u4pruydqqvj",)
    assert cells_in_box(90, 0, 90, 0, 3, 1) == (encode(90, 0, 3),)


@pytest.mark.parametrize(
    ("edges", "said"),
    [
        ((1, 0, -1, 5), "south 1 is greater than north -1: swap them"),
        ((-91, 0, 0, 5), "latitude -91 is out of range"),
        ((0, 0, 90.5, 5), "latitude 90.5 is out of range"),
        ((math.nan, 0, 1, 5), "latitude nan is out of range"),
        ((0, -181, 1, 5), "longitude -181 is not a valid edge of a box: pass -180 to 180 degrees"),
        ((0, 0, 1, 190), "longitude 190 is not a valid edge of a box"),
        ((0, math.inf, 1, 5), "longitude inf is not a valid edge of a box"),
        ((0, 0, 1, math.nan), "longitude nan is not a valid edge of a box"),
    ],
)
def test_geohashes_in_a_box_reject_invalid_edges(edges: Edges, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        cells_in_box(*edges, 6, 9)


def test_geohashes_in_a_box_are_rejected_before_too_many_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(geohash, "_cell", lambda *_: pytest.fail("a cell was made"))
    said = r"a box of 10 by 20 degrees needs at least \d{9,} geohash cells of precision 9, but at most 50 are allowed"
    with pytest.raises(ValueError, match=f"{said}; use a smaller precision or a smaller box"):
        cells_in_box(0, 170, 10, -170, 9, 50)
    with pytest.raises(ValueError, match="; use a smaller box"):
        cells_in_box(-90, -180, 90, 180, 1, 31)


@given(boxes())
def test_geohashes_in_a_box_are_limited_by_most(box: tuple[Edges, int]) -> None:
    edges, precision = box
    count = len(cells_in_box(*edges, precision, UNLIMITED))
    assert len(cells_in_box(*edges, precision, count)) == count
    with pytest.raises(ValueError, match=f"needs at least {count} geohash cells"):
        cells_in_box(*edges, precision, count - 1)


@given(longitudes, longitudes, longitudes)
def test_geohash_eastward_sorts_longitudes_from_a_meridian(west: float, one: float, other: float) -> None:
    def way(longitude: float) -> float:
        return math.fmod(longitude - west + 720, 360)

    if abs(way(one) - way(other)) > 1e-9 and min(way(one), way(other)) > 1e-9:
        assert (eastward(west, one) < eastward(west, other)) == (way(one) < way(other))


def test_the_size_of_a_geohash_is_that_of_its_box() -> None:
    height, width = cell_size_m(5, 0)
    south, north, west, east = bounds_of(encode(0, 0, 5))
    assert geohash.distance_m(south, west, north, west) == pytest.approx(height)
    assert geohash.distance_m(0, west, 0, east) == pytest.approx(width)
