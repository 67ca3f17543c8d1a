"""Geohash cells as derived values: computed from coordinates and expanded for areas."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import KeyRefused
from singletable.model.derived.derived_value import Reach
from singletable.model.derived.geohash_cell import MOST_CELLS, geohash
from singletable.model.geohash import distance_m
from singletable.model.parameter_types import AREA_TYPES, Area, Box, Equal, Nearest, Radius
from singletable.model.regular_language import literal, overlap

CELL = geohash("latitude", "longitude", precision=6)
LATITUDES, LONGITUDES = st.floats(-85, 85), st.floats(-180, 180)


def test_a_derived_geohash_cell_contains_its_point() -> None:
    # The example of the geohash article: 57.64911, 10.40744 is u4pruydqqvj.
    assert CELL.compute(57.64911, 10.40744) == "u4pruy"
    assert geohash("a", "b", precision=11).compute(57.64911, 10.40744) == "u4pruydqqvj"


@given(LATITUDES, LONGITUDES, st.integers(1, 12))
def test_a_derived_geohash_cell_has_a_fixed_width_and_is_in_its_language(
    latitude: float, longitude: float, precision: int
) -> None:
    derived = geohash("latitude", "longitude", precision=precision)
    text = derived.compute(latitude, longitude)
    assert len(text) == derived.width == precision
    assert overlap(derived.language("#"), literal(text))


@given(LATITUDES, LONGITUDES, st.floats(0, 2000), st.floats(-0.02, 0.02), st.floats(-0.02, 0.02))
def test_the_derived_geohash_cells_of_an_area_cover_every_point_in_it(
    latitude: float, longitude: float, meters: float, north: float, east: float
) -> None:
    area = Radius(latitude, longitude, meters)
    place = (latitude + north, longitude + east)
    if distance_m(latitude, longitude, *place) <= meters:
        cells = CELL.expand({"latitude": area, "longitude": area})
        assert CELL.compute(*place) in cells
        assert len(set(cells)) == len(cells)


def test_the_number_of_derived_geohash_cells_depends_on_the_area() -> None:
    count = Reach(None, "as many cells of precision 6 as the radius covers")
    assert CELL.reach({"latitude": Radius, "longitude": Radius}) == count
    in_a_box = Reach(None, "as many cells of precision 6 as the box touches")
    assert CELL.reach({"latitude": Box, "longitude": Box}) == in_a_box
    rings = "as many cells of precision 6 as needed, nearest cells first, up to a distance of meters"
    assert CELL.reach({"latitude": Nearest, "longitude": Nearest}) == Reach(None, rings)
    assert CELL.reach({"latitude": Radius, "longitude": Box}) is None
    assert CELL.reach({"latitude": Equal, "longitude": Equal}) == Reach(1, CELL.label)
    assert CELL.reach({"latitude": Equal}) is None
    assert CELL.reach({}) is None


def test_a_derived_geohash_cell_is_the_only_one_of_a_point() -> None:
    known = {"latitude": Equal(57.64911), "longitude": Equal(10.40744)}
    assert CELL.expand(known) == ("u4pruy",)
    with pytest.raises(KeyRefused, match="needs a value for latitude, longitude"):
        CELL.expand({"latitude": Equal(57.64911)})


def test_derived_geohash_cells_reject_an_area_with_too_many_cells() -> None:
    area = Radius(0.0, 0.0, 100_000.0)
    with pytest.raises(KeyRefused, match=f"but at most {MOST_CELLS} are allowed"):
        CELL.expand({"latitude": area, "longitude": area})


@pytest.mark.parametrize("place", [(91, 0), (float("nan"), 0), (0, float("inf")), ("north", 0)])
def test_a_derived_geohash_cell_rejects_invalid_coordinates(place: tuple[Any, Any]) -> None:
    with pytest.raises(KeyRefused):
        CELL.compute(*place)


def test_derived_geohash_cells_of_nearest_are_those_within_meters() -> None:
    circle, nearest = Radius(35.6586, 139.7454, 900.0), Nearest(35.6586, 139.7454, 3, meters=900.0)
    assert CELL.expand(dict.fromkeys(CELL.fields, nearest)) == CELL.expand(dict.fromkeys(CELL.fields, circle))


def test_derived_geohash_cells_of_a_box_are_those_it_touches() -> None:
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
def test_derived_geohash_cells_reject_invalid_areas(area: Area) -> None:
    with pytest.raises(KeyRefused):
        CELL.expand({"latitude": area, "longitude": area})


@pytest.mark.parametrize("precision", [0, 13, -1])
def test_a_derived_geohash_cell_has_a_precision_of_one_to_twelve(precision: int) -> None:
    with pytest.raises(ValueError, match="precision must be between 1 and 12"):
        geohash("latitude", "longitude", precision=precision)


@pytest.mark.parametrize(
    ("python_type", "fits"), [(float, True), (int, True), (str, False), (tuple[float, float], False)]
)
def test_a_derived_geohash_cell_needs_two_numeric_fields(python_type: Any, fits: bool) -> None:
    assert (CELL.problem_with({"latitude": python_type, "longitude": python_type}) is None) == fits


def test_a_derived_geohash_cell_covers_an_area_but_does_not_enforce_it() -> None:
    assert all(CELL.covers(area) for area in AREA_TYPES)
    assert not CELL.covers(Equal)
    assert not any(CELL.enforces(area) for area in AREA_TYPES)
    assert CELL.label == "geohash(latitude, longitude, precision=6)"
