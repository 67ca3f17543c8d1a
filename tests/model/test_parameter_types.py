"""Parameter types: the definition of every predicate, and areas."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from singletable.model.geohash import distance_m
from singletable.model.parameter_types import (
    Between,
    Box,
    Children,
    Equal,
    Nearest,
    Predicate,
    Prefix,
    Present,
    Radius,
    Since,
    Subtree,
    Until,
    cells_of,
    contains,
    distance_from,
    holds,
)

ROME, NEAR_ROME, MILAN = (41.9, 12.5), (41.9, 12.51), (45.46, 9.19)


@pytest.mark.parametrize(
    ("predicate", "inside", "outside"),
    [
        (Equal(3), [3], [2, None]),
        (Between(2, 4), [2, 3, 4], [1, 5]),
        (Between(4, 2), [], [1, 2, 3, 4, 5]),
        (Since(3), [3, 9], [2]),
        (Until(3), [3, -9], [4]),
        (Prefix("eng"), ["eng", "engineering"], ["en", "Eng", ""]),
        (Prefix(""), ["", "a"], []),
        (
            Subtree(("a", "b")),
            [("a", "b"), ("a", "b", "c"), ("a", "b", "c", "d")],
            [("a",), ("a", "bc"), ("b", "a", "b")],
        ),
        (Subtree(()), [("a",), ("a", "b")], []),
        (Children(("a",)), [("a", "b"), ("a", "bc")], [("a",), ("a", "b", "c"), ("b", "a")]),
        (Children(()), [("a",)], [("a", "b")]),
        (Present(), [0, "", False, ()], [None]),
        (Radius(*ROME, 1000), [ROME, NEAR_ROME], [MILAN]),
        (Radius(*ROME, 0), [ROME], [NEAR_ROME]),
        (Nearest(*ROME, 1, meters=1000), [ROME, NEAR_ROME], [MILAN]),
        (Box(*ROME, *NEAR_ROME), [ROME, NEAR_ROME], [MILAN]),
        (Box(-1, 179, 1, -179), [(0, 180), (1, -180), (-1, 179), (0.5, -179)], [(0, 0), (2, 180), (0, 178.9)]),
    ],
)
def test_parameter_types_accept_matching_values(predicate: Predicate, inside: list[Any], outside: list[Any]) -> None:
    assert [value for value in inside if not holds(predicate, value)] == []
    assert [value for value in outside if holds(predicate, value)] == []


TOKYO = (35.6586, 139.7454)


def test_the_parameter_type_nearest_searches_the_cells_of_its_circle() -> None:
    assert cells_of(Nearest(*TOKYO, 3, meters=900), 6, 100) == cells_of(Radius(*TOKYO, 900), 6, 100)


def test_parameter_types_of_areas_accept_decimals_as_numbers() -> None:
    exact = Radius(Decimal("35.6586"), Decimal("139.7454"), Decimal(900))  # type: ignore[arg-type]  # as items hold them
    assert cells_of(exact, 6, 100) == cells_of(Radius(*TOKYO, 900), 6, 100)
    assert distance_from(exact, 35.7, 139.7) == distance_m(*TOKYO, 35.7, 139.7)
    box = Box(Decimal("35.6"), Decimal("139.7"), Decimal("35.7"), Decimal("139.8"))  # type: ignore[arg-type]
    assert contains(box, *TOKYO)
    assert cells_of(box, 5, 100) == cells_of(Box(35.6, 139.7, 35.7, 139.8), 5, 100)


@pytest.mark.parametrize("value", ["35", None, b"1", (1,), pytest.param(10**400, id="too large")])
def test_parameter_types_of_areas_name_a_value_that_is_not_a_number(value: Any) -> None:
    areas: dict[str, Radius | Box] = {
        "latitude": Radius(value, 0, 1),
        "meters": Radius(0, 0, value),
        "west": Box(0, value, 1, 1),
    }
    for name, area in areas.items():
        with pytest.raises(ValueError, match=f"{name} .* is not a number"):
            cells_of(area, 6, 100)


@pytest.mark.parametrize("area", [Radius(*TOKYO, 1_000), Nearest(*TOKYO, 1, meters=1_000)])
def test_parameter_types_of_circles_contain_the_points_within_their_radius(area: Radius | Nearest) -> None:
    inside, outside = (35.6586, 139.7564), (35.6586, 139.7566)
    assert distance_from(area, *inside) <= 1_000 < distance_from(area, *outside)
    assert contains(area, *inside)
    assert not contains(area, *outside)
