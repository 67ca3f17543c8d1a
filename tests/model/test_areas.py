"""Areas: a circle, a box and the nearest places hold what they say, and take numbers of any kind and nothing else."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from singletable.model.areas import Box, Nearest, Radius, cells_of, contains, distance_from
from singletable.model.geohash import distance_m

TOKYO = (35.6586, 139.7454)


def test_the_cells_of_the_nearest_are_those_of_their_circle() -> None:
    assert cells_of(Nearest(*TOKYO, 3, meters=900), 6, 100) == cells_of(Radius(*TOKYO, 900), 6, 100)


def test_decimals_are_numbers_too() -> None:
    exact = Radius(Decimal("35.6586"), Decimal("139.7454"), Decimal(900))  # type: ignore[arg-type]  # as items hold them
    assert cells_of(exact, 6, 100) == cells_of(Radius(*TOKYO, 900), 6, 100)
    assert distance_from(exact, 35.7, 139.7) == distance_m(*TOKYO, 35.7, 139.7)
    box = Box(Decimal("35.6"), Decimal("139.7"), Decimal("35.7"), Decimal("139.8"))  # type: ignore[arg-type]
    assert contains(box, *TOKYO)
    assert cells_of(box, 5, 100) == cells_of(Box(35.6, 139.7, 35.7, 139.8), 5, 100)


@pytest.mark.parametrize("value", ["35", None, b"1", (1,), pytest.param(10**400, id="too large")])
def test_what_is_no_number_is_named(value: Any) -> None:
    areas: dict[str, Radius | Box] = {
        "latitude": Radius(value, 0, 1),
        "meters": Radius(0, 0, value),
        "west": Box(0, value, 1, 1),
    }
    for name, area in areas.items():
        with pytest.raises(ValueError, match=f"{name} .* is not a number"):
            cells_of(area, 6, 100)


@pytest.mark.parametrize("area", [Radius(*TOKYO, 1_000), Nearest(*TOKYO, 1, meters=1_000)])
def test_a_circle_contains_what_is_no_farther_than_its_radius(area: Radius | Nearest) -> None:
    inside, outside = (35.6586, 139.7564), (35.6586, 139.7566)
    assert distance_from(area, *inside) <= 1_000 < distance_from(area, *outside)
    assert contains(area, *inside)
    assert not contains(area, *outside)
