"""Days: whole days, months and years, and what is finer than the format."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import Order
from singletable.model.codecs.day import DayCodec, day_codec


@pytest.mark.parametrize(
    ("spec", "day", "text"),
    [
        ("", date(2026, 4, 10), "2026-04-10"),
        ("%Y%m%d", date(26, 4, 10), "00260410"),
        ("%Y-%m", date(2026, 4, 1), "2026-04"),
        ("%Y", date(2026, 1, 1), "2026"),
        ("%d.%m.%Y", date(2026, 4, 10), "10.04.2026"),
    ],
)
def test_a_format_says_how_a_day_is_written(spec: str, day: date, text: str) -> None:
    codec = day_codec("#", spec)
    assert codec.encode(day) == text
    assert codec.decode(text) == day
    assert type(codec.decode(text)) is date
    assert codec.width == len(text)


def test_a_day_finer_than_the_format_is_refused() -> None:
    with pytest.raises(KeyRefused, match=r"2026-04-10 has days, the key keeps months: .* use {field:%Y-%m-%d}"):
        day_codec("#", "%Y-%m").encode(date(2026, 4, 10))


def test_a_moment_is_no_day() -> None:
    with pytest.raises(KeyRefused, match=r"is a moment.*pass value.date\(\)"):
        day_codec("#").encode(datetime(2026, 4, 10, tzinfo=UTC))


@pytest.mark.parametrize("value", ["2026-04-10", 20260410, None])
def test_what_is_no_day_is_refused(value: object) -> None:
    with pytest.raises(KeyRefused, match="pass a date"):
        day_codec("#").encode(value)


@pytest.mark.parametrize("text", ["", "2026-4-10", "2026-02-29", "2026-04-10T", " 2026-04-10"])
def test_a_text_that_no_day_makes_is_refused(text: str) -> None:
    with pytest.raises(KeyRefused, match=r"is not the text of a day, {field:%Y-%m-%d}"):
        day_codec("#").decode(text)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("days", "is not a format of a date"),
        ("%Y-%m-%dT%H", "%H in .* is not a directive keys know; they know %Y %m %d"),
        ("%m-%d", "%Y is missing"),
    ],
)
def test_a_format_that_cannot_be_kept_is_a_value_error(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        day_codec("#", spec)


def test_only_a_format_from_coarse_to_fine_sorts() -> None:
    assert DayCodec("#").order is Order.ASCENDING
    assert day_codec("#", "%m/%d/%Y").order is Order.NONE
    assert "{field:%Y/%m/%d}" in day_codec("#", "%m/%d/%Y").unordered_reason


def test_the_last_text_is_that_of_the_last_day() -> None:
    assert DayCodec("#").last_text == "9999-12-31"
    assert day_codec("#", "%m/%d/%Y").last_text == "12/31/9999"
