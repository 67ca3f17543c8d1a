"""Figures as a person reads them."""

from __future__ import annotations

import pytest

from singletable.planner.formatting import format_bytes, format_count, format_dollars, format_number


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
def test_formatting_a_number_leaves_no_trailing_zeros(value: float, text: str) -> None:
    assert format_number(value) == text


@pytest.mark.parametrize(("many", "text"), [(0, "0 B"), (1005, "1,005 B"), (1024, "1.0 KB"), (3 * 1024**3, "3.0 GB")])
def test_formatting_a_size_uses_the_unit_that_fits(many: float, text: str) -> None:
    assert format_bytes(many) == text


@pytest.mark.parametrize(("dollars", "text"), [(0.0, "$0.00"), (0.001, "<$0.01"), (1234.5, "$1,234.50")])
def test_formatting_a_small_amount_does_not_show_zero(dollars: float, text: str) -> None:
    assert format_dollars(dollars) == text


def test_formatting_a_count_of_one_uses_the_singular() -> None:
    assert [
        format_count(1, "index", "indexes"),
        format_count(2, "index", "indexes"),
        format_count(0, "entity", "entities"),
    ] == [
        "1 index",
        "2 indexes",
        "0 entities",
    ]
