"""The formats of moments and days, read token by token."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from singletable.model.codecs.time_format import check_format, finest_unit, split_format


def test_a_format_is_directives_and_single_literal_characters() -> None:
    assert split_format("%Y-%mT").tokens == ("%Y", "-", "%m", "T")
    assert split_format("%Y-%mT").letters == "Ym"


def test_what_is_finer_than_the_format_is_cut_off_when_rendered() -> None:
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
def test_the_finest_unit_is_the_last_one_that_says_something(moment: datetime, unit: str) -> None:
    assert finest_unit(moment) == unit


def test_the_format_that_sorts_keeps_the_literals_in_place() -> None:
    assert split_format("%d.%m.%Y/%H").sorted_format == "%Y.%m.%d/%H"


def test_milliseconds_and_microseconds_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="no value can be rebuilt"):
        check_format("%Y%m%d%H%M%S%L%f", "YmdHMSLf", "#")
