"""Geohash cells, compared with plain bisection; the cells of a circle are complete and minimal."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from singletable.model import geohash
from singletable.model.geohash import cell_size_m, cells_within, distance_m, encode

UNLIMITED = 10**9
TOLERANCE_M = 1e-5

precisions = st.integers(1, 12)
latitudes = st.floats(-90, 90)
longitudes = st.floats(-180, 180) | st.sampled_from([-180.0, 180.0, 0.0, 179.9999999, -179.9999999])
ratios = st.floats(0, 1)


def naive_encode(latitude: float, longitude: float, precision: int) -> str:
    """A geohash by halving, one bit at a time; the longitude lies in [-180, 180)."""
    bounds = [[-180.0, 180.0], [-90.0, 90.0]]
    text, number = "", 0
    for position in range(5 * precision):
        bound, value = bounds[position % 2], (longitude, latitude)[position % 2]
        middle = (bound[0] + bound[1]) / 2
        upper = value >= middle
        bound[0 if upper else 1] = middle
        number = number * 2 + upper
        if position % 5 == 4:
            text, number = text + "0123456789bcdefghjkmnpqrstuvwxyz"[number], 0
    return text


def bounds_of(cell: str) -> tuple[float, float, float, float]:
    """South, north, west and east of a cell, by halving."""
    bounds = [[-180.0, 180.0], [-90.0, 90.0]]
    bits = "".join(f"{geohash.ALPHABET.index(character):05b}" for character in cell)
    for position, bit in enumerate(bits):
        bound = bounds[position % 2]
        bound[0 if bit == "1" else 1] = (bound[0] + bound[1]) / 2
    (west, east), (south, north) = bounds
    return south, north, west, east


def nearest_point(latitude: float, longitude: float, cell: str) -> tuple[float, float]:
    """Return the point of a cell that is nearest to a point.

    On every parallel that is the longitude turned least; along that meridian the distance is least where
    tan(nearest) = tan(latitude) / cos(turn) when that is inside the cell, and at a corner otherwise.
    """
    south, north, west, east = bounds_of(cell)
    inside = [longitude + turn for turn in (-360, 0, 360) if west <= longitude + turn <= east]
    side = inside[0] if inside else min(west, east, key=lambda edge: abs(math.remainder(edge - longitude, 360)))
    angle, turn = math.radians(latitude), math.radians(side - longitude)
    nearest = math.degrees(math.atan2(math.sin(angle), math.cos(angle) * math.cos(turn)))
    candidates = [south, north, min(max(nearest, south), north)]
    return min(candidates, key=lambda choice: distance_m(latitude, longitude, choice, side)), side


def nearest_distance_m(latitude: float, longitude: float, cell: str) -> float:
    return distance_m(latitude, longitude, *nearest_point(latitude, longitude, cell))


def vector(latitude: float, longitude: float) -> tuple[float, float, float]:
    around, up = math.radians(longitude), math.radians(latitude)
    return math.cos(up) * math.cos(around), math.cos(up) * math.sin(around), math.sin(up)


def travelled(latitude: float, longitude: float, way_m: float, bearing: float) -> tuple[float, float]:
    """The point reached from here in a straight line."""
    way, up = way_m / geohash.EARTH_RADIUS_M, math.radians(latitude)
    sine = math.sin(up) * math.cos(way) + math.cos(up) * math.sin(way) * math.cos(bearing)
    end = math.asin(min(max(sine, -1.0), 1.0))
    turn = math.atan2(math.sin(bearing) * math.sin(way) * math.cos(up), math.cos(way) - math.sin(up) * math.sin(end))
    return math.degrees(end), math.remainder(longitude + math.degrees(turn), 360)


def neighbourhood(latitude: float, longitude: float, precision: int) -> set[str]:
    """The cell of a point and the eight around it."""
    south, north, west, east = bounds_of(encode(latitude, longitude, precision))
    middle = (south + north) / 2, (west + east) / 2
    return {
        encode(middle[0] + up * (north - south), middle[1] + right * (east - west), precision)
        for up in (-1, 0, 1)
        for right in (-1, 0, 1)
    }


@st.composite
def circles(draw: st.DrawFn) -> tuple[float, float, float, int]:
    """Latitude, longitude, radius and precision, often near a pole or the antimeridian."""
    near_pole = draw(st.booleans())
    precision = draw(st.integers(3, 4 if near_pole else 6))
    height = cell_size_m(precision, 0)[0]
    rows_away = draw(st.floats(0, 4))
    pole = draw(st.sampled_from([-1, 1]))
    latitude = pole * (90 - rows_away * height / 111_195) if near_pole else draw(st.floats(-85, 85))
    return latitude, draw(longitudes), draw(st.floats(0, 3)) * height, precision


@pytest.mark.parametrize(
    ("latitude", "longitude", "cell"),
    [
        (57.64911, 10.40744, "u4pruydqqvj"),
        (42.605, -5.603, "ezs42"),
        (-25.382708, -49.265506, "6gkzwgjzn820"),
        (37.8324, 112.5584, "ww8p1r4t8"),
        (38.115556, 13.361389, "sqc8b49rny"),
        (37.502669, 15.087269, "sqdtr74hyu"),
        (35.6586, 139.7454, "xn76gg"),
        (90, 0, "upbpbp"),
        (-90, -180, "000000"),
        (90, math.nextafter(180, 0), "zzzzzz"),
    ],
)
def test_geohash_encode_returns_published_cells(latitude: float, longitude: float, cell: str) -> None:
    assert encode(latitude, longitude, len(cell)) == cell == naive_encode(latitude, longitude, len(cell))


@given(latitudes, st.floats(-180, 180, exclude_max=True), precisions)
@example(-5e-324, -5e-324, 12)
@example(math.nextafter(45, 0), math.nextafter(-45, -90), 12)
def test_geohash_encode_agrees_with_bisection(latitude: float, longitude: float, precision: int) -> None:
    assert encode(latitude, longitude, precision) == naive_encode(latitude, longitude, precision)


@given(latitudes, st.integers(-180, 179), st.integers(-1000, 1000), precisions)
def test_geohash_encode_wraps_longitudes_around(latitude: float, longitude: int, turns: int, precision: int) -> None:
    assert encode(latitude, longitude + 360 * turns, precision) == encode(latitude, longitude, precision)


@given(st.lists(st.tuples(latitudes, longitudes), min_size=2, max_size=2), precisions)
def test_a_geohash_starts_with_the_geohash_of_its_enclosing_cell(
    points: list[tuple[float, float]], precision: int
) -> None:
    for point in points:
        assert encode(*point, 12).startswith(encode(*point, precision))


@pytest.mark.parametrize("latitude", [90.0000001, -91, math.nan, math.inf, -math.inf])
def test_geohash_functions_reject_a_latitude_out_of_range(latitude: float) -> None:
    for call in (
        lambda: encode(latitude, 0, 6),
        lambda: cell_size_m(6, latitude),
        lambda: distance_m(latitude, 0, 0, 0),
        lambda: distance_m(0, 0, latitude, 0),
        lambda: cells_within(latitude, 0, 1, 6, 9),
    ):
        with pytest.raises(ValueError, match=r"latitude .* pass -90 to 90"):
            call()


@pytest.mark.parametrize("longitude", [math.nan, math.inf, -math.inf])
def test_geohash_functions_reject_a_longitude_that_is_not_a_number(longitude: float) -> None:
    for call in (
        lambda: encode(0, longitude, 6),
        lambda: distance_m(0, longitude, 0, 0),
        lambda: cells_within(0, longitude, 1, 6, 9),
    ):
        with pytest.raises(ValueError, match=r"longitude .* finite"):
            call()


@pytest.mark.parametrize("precision", [0, 13, -1])
def test_geohash_functions_reject_a_precision_above_twelve(precision: int) -> None:
    for call in (
        lambda: encode(0, 0, precision),
        lambda: cell_size_m(precision, 0),
        lambda: cells_within(0, 0, 1, precision, 9),
    ):
        with pytest.raises(ValueError, match=r"precision .* pass 1 to 12"):
            call()


@pytest.mark.parametrize("radius_m", [-1, math.nan, math.inf])
def test_geohashes_within_an_invalid_radius_are_rejected(radius_m: float) -> None:
    with pytest.raises(ValueError, match=r"radius .* 0 or more metres"):
        cells_within(0, 0, radius_m, 6, 9)


@given(precisions, st.floats(-89, 89))
def test_the_size_of_a_geohash_is_the_distance_between_its_edges(precision: int, latitude: float) -> None:
    height, width = cell_size_m(precision, latitude)
    south, north, west, east = bounds_of(encode(latitude, 1, precision))
    assert height == pytest.approx(distance_m(south, west, north, west), rel=1e-6)
    radius_of_parallel = geohash.EARTH_RADIUS_M * math.cos(math.radians(latitude))
    assert width == pytest.approx(math.radians(east - west) * radius_of_parallel)


def test_a_geohash_of_precision_six_is_611_metres_tall() -> None:
    assert cell_size_m(6, 0) == pytest.approx((610.8, 1221.6), abs=0.1)
    assert cell_size_m(6, 60) == pytest.approx((610.8, 610.8), abs=0.1)


def test_geohash_distances_of_known_points_are_correct() -> None:
    half_meridian = math.pi * geohash.EARTH_RADIUS_M
    assert distance_m(-90, 12, 90, -77) == pytest.approx(half_meridian)
    assert distance_m(0, 0, 0, 180) == pytest.approx(half_meridian)
    assert distance_m(0, 179.5, 0, -179.5) == pytest.approx(half_meridian / 180)
    # The Redis documentation gives 166274.1516 m from Palermo to Catania, with another earth radius.
    redis_m = 166_274.1516 * geohash.EARTH_RADIUS_M / 6_372_797.560856
    assert distance_m(38.115556, 13.361389, 37.502669, 15.087269) == pytest.approx(redis_m, rel=1e-5)


@given(latitudes, longitudes, latitudes, longitudes)
def test_geohash_distance_equals_the_angle_between_vectors(lat1: float, lng1: float, lat2: float, lng2: float) -> None:
    one, other = vector(lat1, lng1), vector(lat2, lng2)
    apart, sum_length = math.dist(one, other), math.hypot(*(a + b for a, b in zip(one, other, strict=True)))
    expected = 2 * math.atan2(apart, sum_length) * geohash.EARTH_RADIUS_M
    assert distance_m(lat1, lng1, lat2, lng2) == pytest.approx(expected, rel=1e-9, abs=1e-8)


@given(circles(), st.lists(st.tuples(ratios | st.floats(0.999999, 1), st.floats(0, math.tau)), min_size=20))
def test_geohashes_within_a_radius_contain_every_point_within_it(
    circle: tuple[float, float, float, int], ways: list[tuple[float, float]]
) -> None:
    latitude, longitude, radius_m, precision = circle
    cells = set(cells_within(*circle, UNLIMITED))
    for ratio, bearing in ways:
        point = travelled(latitude, longitude, ratio * radius_m, bearing)
        if distance_m(latitude, longitude, *point) <= radius_m:
            assert encode(*point, precision) in cells, point


@given(circles())
def test_geohashes_within_a_radius_each_contain_a_point_within_it(circle: tuple[float, float, float, int]) -> None:
    latitude, longitude, radius_m, _ = circle
    for cell in cells_within(*circle, UNLIMITED):
        assert nearest_distance_m(latitude, longitude, cell) <= radius_m * (1 + 1e-6) + TOLERANCE_M, cell


@given(latitudes | st.sampled_from([-90.0, 0.0, 90.0]), longitudes, st.floats(0, 21_000_000))
@example(0, 0, math.pi / 2 * geohash.EARTH_RADIUS_M)
@example(10, 180, 12_000_000)
@example(-90, 0, 0)
def test_geohashes_within_a_circle_are_exactly_the_cells_it_touches(
    latitude: float, longitude: float, radius_m: float
) -> None:
    cells = set(cells_within(latitude, longitude, radius_m, 2, UNLIMITED))
    for cell in (one + other for one in geohash.ALPHABET for other in geohash.ALPHABET):
        away_m = nearest_distance_m(latitude, longitude, cell)
        if away_m <= radius_m:
            assert cell in cells
        elif away_m > radius_m + 1:
            assert cell not in cells


@given(circles())
def test_geohashes_within_a_radius_are_sorted_and_unique(circle: tuple[float, float, float, int]) -> None:
    cells = cells_within(*circle, UNLIMITED)
    assert list(cells) == sorted(set(cells))
    assert {len(cell) for cell in cells} == {circle[3]}


@given(st.floats(-60, 60), longitudes, precisions)
def test_geohashes_within_a_zero_radius_are_the_cell_of_its_point(
    latitude: float, longitude: float, precision: int
) -> None:
    south, north, west, east = bounds_of(encode(latitude, longitude, precision))
    middle = (south + north) / 2, (west + east) / 2
    assert cells_within(*middle, 0, precision, 1) == (encode(*middle, precision),)


@pytest.mark.parametrize("pole", [-90.0, 90.0])
@pytest.mark.parametrize(("precision", "columns"), [(3, 256), (5, 8192), (6, 32768)])
def test_geohashes_within_a_circle_around_a_pole_cover_every_longitude(
    pole: float, precision: int, columns: int
) -> None:
    just_beside = math.copysign(89.9999, pole)
    cells = cells_within(just_beside, 17, 12, precision, columns)
    assert len(cells) == columns
    assert len(cells_within(just_beside, 17, 11, precision, columns)) < columns
    random_source = random.Random(20)
    for _ in range(100):
        assert encode(pole, random_source.uniform(-180, 180), precision) in cells


def test_geohashes_within_a_circle_can_cross_the_antimeridian() -> None:
    cells = cells_within(0.1, 180, 1_000, 4, 2)
    assert cells == cells_within(0.1, -180, 1_000, 4, 2) == cells_within(0.1, 540, 1_000, 4, 2)
    assert cells == tuple(sorted([encode(0.1, 179.99, 4), encode(0.1, -179.99, 4)]))


@given(st.floats(-60, 60), longitudes, st.integers(3, 12), st.floats(0, 0.999))
def test_geohashes_within_a_radius_up_to_the_shorter_side_are_at_most_nine(
    latitude: float, longitude: float, precision: int, ratio: float
) -> None:
    row_degrees = 180 / (1 << precision * 5 // 2)
    shorter_m = min(cell_size_m(precision, abs(latitude) + row_degrees))
    cells = cells_within(latitude, longitude, shorter_m * ratio, precision, 9)
    assert set(cells) <= neighbourhood(latitude, longitude, precision)


def test_geohashes_within_a_radius_are_complete_where_nine_cells_are_not() -> None:
    random_source = random.Random(6)
    radius_m, points, missed_by_nine = 1_000, 0, 0
    for _ in range(500):
        latitude, longitude = random_source.uniform(35, 36), random_source.uniform(139, 140)
        nine = neighbourhood(latitude, longitude, 6)
        cells = set(cells_within(latitude, longitude, radius_m, 6, 20))
        for _ in range(40):
            way_m = 0.999999 * radius_m * math.sqrt(random_source.random())
            cell = encode(*travelled(latitude, longitude, way_m, random_source.uniform(0, math.tau)), 6)
            points += 1
            missed_by_nine += cell not in nine
            assert cell in cells
    assert 0.06 < missed_by_nine / points < 0.08


@given(circles())
def test_geohashes_within_a_radius_are_limited_by_most(circle: tuple[float, float, float, int]) -> None:
    count = len(cells_within(*circle, UNLIMITED))
    assert len(cells_within(*circle, count)) == count
    with pytest.raises(
        ValueError, match=f"needs at least {count} geohash cells .* but at most {count - 1} are allowed"
    ):
        cells_within(*circle, count - 1)


@pytest.mark.parametrize(("latitude", "radius_m"), [(0, 20_000_000), (90, 1), (35.6, 100_000)])
def test_geohashes_within_a_radius_are_rejected_before_too_many_are_computed(
    latitude: float, radius_m: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(geohash, "_cell", lambda *_: pytest.fail("a cell was made"))
    with pytest.raises(ValueError, match=r"at least \d{5,} .* precision 12, .* use a smaller precision"):
        cells_within(latitude, 139.7, radius_m, 12, 50)


def test_geohashes_of_precision_one_suggest_a_smaller_radius() -> None:
    assert len(cells_within(0, 0, 30_000_000, 1, 32)) == 32
    with pytest.raises(ValueError, match="; use a smaller radius"):
        cells_within(0, 0, 30_000_000, 1, 31)
