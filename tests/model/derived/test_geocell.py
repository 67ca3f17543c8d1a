"""Geohash cells as derived values: written, listed for an area, and never parsed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import KeyRefused
from singletable.model.areas import AREA_TYPES, Area, Box, Nearest, Radius
from singletable.model.derived.derived import Reach
from singletable.model.derived.geocell import MOST_CELLS, geohash
from singletable.model.geohash import distance_m
from singletable.model.language import literal, overlap
from singletable.model.ranges import Equal

CELL = geohash("latitude", "longitude", precision=6)
LATITUDES, LONGITUDES = st.floats(-85, 85), st.floats(-180, 180)


def test_a_place_is_in_its_cell() -> None:
    # The example of the geohash article: 57.64911, 10.40744 is u4pruydqqvj.
    assert CELL.compute(57.64911, 10.40744) == "u4pruy"
    assert geohash("a", "b", precision=11).compute(57.64911, 10.40744) == "u4pruydqqvj"


@given(LATITUDES, LONGITUDES, st.integers(1, 12))
def test_a_cell_belongs_to_its_language_and_has_one_width(latitude: float, longitude: float, precision: int) -> None:
    derived = geohash("latitude", "longitude", precision=precision)
    text = derived.compute(latitude, longitude)
    assert len(text) == derived.width == precision
    assert overlap(derived.language("#"), literal(text))


@given(LATITUDES, LONGITUDES, st.floats(0, 2000), st.floats(-0.02, 0.02), st.floats(-0.02, 0.02))
def test_the_cells_of_an_area_hold_every_place_in_it(
    latitude: float, longitude: float, meters: float, north: float, east: float
) -> None:
    area = Radius(latitude, longitude, meters)
    place = (latitude + north, longitude + east)
    if distance_m(latitude, longitude, *place) <= meters:
        cells = CELL.expand({"latitude": area, "longitude": area})
        assert CELL.compute(*place) in cells
        assert len(set(cells)) == len(cells)


def test_the_cells_of_an_area_are_counted_when_it_is_known() -> None:
    count = Reach(None, "as many cells of precision 6 as the radius covers")
    assert CELL.reach({"latitude": Radius, "longitude": Radius}) == count
    in_a_box = Reach(None, "as many cells of precision 6 as the box touches")
    assert CELL.reach({"latitude": Box, "longitude": Box}) == in_a_box
    rings = "as many cells of precision 6 as it takes, ring by ring and no farther than meters"
    assert CELL.reach({"latitude": Nearest, "longitude": Nearest}) == Reach(None, rings)
    assert CELL.reach({"latitude": Radius, "longitude": Box}) is None
    assert CELL.reach({"latitude": Equal, "longitude": Equal}) == Reach(1, CELL.label)
    assert CELL.reach({"latitude": Equal}) is None
    assert CELL.reach({}) is None


def test_one_place_is_in_one_cell() -> None:
    known = {"latitude": Equal(57.64911), "longitude": Equal(10.40744)}
    assert CELL.expand(known) == ("u4pruy",)
    with pytest.raises(KeyRefused, match="needs latitude, longitude"):
        CELL.expand({"latitude": Equal(57.64911)})


def test_an_area_of_too_many_cells_is_refused() -> None:
    area = Radius(0.0, 0.0, 100_000.0)
    with pytest.raises(KeyRefused, match=f"more than the {MOST_CELLS} allowed"):
        CELL.expand({"latitude": area, "longitude": area})


@pytest.mark.parametrize("place", [(91, 0), (float("nan"), 0), (0, float("inf")), ("north", 0)])
def test_what_is_no_place_is_refused(place: tuple[Any, Any]) -> None:
    with pytest.raises(KeyRefused):
        CELL.compute(*place)


def test_the_nearest_lie_in_the_cells_of_their_bound() -> None:
    circle, nearest = Radius(35.6586, 139.7454, 900.0), Nearest(35.6586, 139.7454, 3, meters=900.0)
    assert CELL.expand(dict.fromkeys(CELL.fields, nearest)) == CELL.expand(dict.fromkeys(CELL.fields, circle))


def test_a_box_is_in_the_cells_it_touches() -> None:
    box = Box(57.64911, 10.40744, 57.64911, 10.40744)
    assert CELL.expand(dict.fromkeys(CELL.fields, box)) == ("u4pruy",)


@pytest.mark.parametrize(
    "area",
    [
        Radius(91, 0, 5),
        Radius(0, 0, -1),
        Radius(0, 0, float("nan")),
        Box(1, 0, 0, 1),
        Box(0, 0, 1, float("inf")),
        Nearest(0, 0, 0, meters=5),
        Nearest(0, 0, 1, meters=-5),
    ],
)
def test_what_is_no_area_is_refused(area: Area) -> None:
    with pytest.raises(KeyRefused):
        CELL.expand({"latitude": area, "longitude": area})


@pytest.mark.parametrize("precision", [0, 13, -1])
def test_a_geohash_has_one_to_twelve_characters(precision: int) -> None:
    with pytest.raises(ValueError, match="a precision of 1 to 12 characters"):
        geohash("latitude", "longitude", precision=precision)


@pytest.mark.parametrize(
    ("python_type", "fits"), [(float, True), (int, True), (str, False), (tuple[float, float], False)]
)
def test_a_place_is_two_numbers(python_type: Any, fits: bool) -> None:
    assert (CELL.problem_with({"latitude": python_type, "longitude": python_type}) is None) == fits


def test_a_cell_covers_an_area_and_is_sifted_afterwards() -> None:
    assert all(CELL.covers(area) for area in AREA_TYPES)
    assert not CELL.covers(Equal)
    assert not any(CELL.enforces(area) for area in AREA_TYPES)
    assert CELL.label == "geohash(latitude, longitude, precision=6)"
