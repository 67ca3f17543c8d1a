"""Formats of dates and datetimes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from singletable.model.codecs.time_format import check_format, finest_unit, split_format


def test_a_time_format_consists_of_directives_and_literal_characters() -> None:
    assert split_format("%Y-%mT").tokens == ("%Y", "-", "%m", "T")
    assert split_format("%Y-%mT").letters == "Ym"


def test_a_time_format_truncates_to_its_finest_unit() -> None:
    assert split_format("%Y-%m").render(datetime(2026, 4, 10, 14, 30, tzinfo=UTC)) == "2026-04"


@pytest.mark.parametrize(
    ("moment", "unit"),
    [
        (datetime(2026, 1, 1, tzinfo=UTC), "years"),
        (datetime(2026, 2, 1, tzinfo=UTC), "months"),
        (datetime(2026, 1, 2, tzinfo=UTC), "days"),
        (datetime(2026, 1, 1, 1, tzinfo=UTC), "hours"),
        (datetime(2026, 1, 1, 0, 1, tzinfo=UTC), "minutes"),
        (datetime(2026, 1, 1, 0, 0, 1, tzinfo=UTC), "seconds"),
        (datetime(2026, 1, 1, 0, 0, 0, 1000, tzinfo=UTC), "milliseconds"),
        (datetime(2026, 1, 1, 0, 0, 0, 1001, tzinfo=UTC), "microseconds"),
    ],
)
def test_the_time_format_finds_the_last_nonzero_unit_as_the_finest(moment: datetime, unit: str) -> None:
    assert finest_unit(moment) == unit


def test_a_time_format_in_sorted_order_leaves_literals_in_place() -> None:
    assert split_format("%d.%m.%Y/%H").sorted_format == "%Y.%m.%d/%H"


def test_a_time_format_cannot_have_milliseconds_and_microseconds() -> None:
    with pytest.raises(ValueError, match="values cannot be decoded"):
        check_format("%Y%m%d%H%M%S%L%f", "YmdHMSLf", "#")
