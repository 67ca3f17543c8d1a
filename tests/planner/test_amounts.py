"""Figures as a person reads them."""

from __future__ import annotations

import pytest

from singletable.planner.amounts import counted, money, number, size


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.001, "<0.01"),
        (0.5, "0.5"),
        (115.0, "115"),
        (1000.0, "1,000"),
        (1234.567, "1,234.57"),
        (1223010.5, "1,223,010.5"),
    ],
)
def test_a_number_has_no_idle_zeros(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(("many", "text"), [(0, "0 B"), (1005, "1,005 B"), (1024, "1.0 KB"), (3 * 1024**3, "3.0 GB")])
def test_a_size_has_the_unit_that_fits(many: float, text: str) -> None:
    assert size(many) == text


@pytest.mark.parametrize(("dollars", "text"), [(0.0, "$0.00"), (0.001, "<$0.01"), (1234.5, "$1,234.50")])
def test_money_that_is_little_is_not_nothing(dollars: float, text: str) -> None:
    assert money(dollars) == text


def test_one_is_singular() -> None:
    assert [counted(1, "index", "indexes"), counted(2, "index", "indexes"), counted(0, "entity", "entities")] == [
        "1 index",
        "2 indexes",
        "0 entities",
    ]
