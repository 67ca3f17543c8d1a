"""The codec for dates: formats, and values finer than the format."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import SortOrder
from singletable.model.codecs.date_codec import DateCodec, date_codec


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
def test_a_date_codec_writes_a_date_in_its_format(spec: str, day: date, text: str) -> None:
    codec = date_codec("#", spec)
    assert codec.encode(day) == text
    assert codec.decode(text) == day
    assert type(codec.decode(text)) is date
    assert codec.width == len(text)


def test_a_date_codec_rejects_a_date_finer_than_its_format() -> None:
    with pytest.raises(
        KeyRefused, match=r"2026-04-10 has days, but the key keeps only months; .* use {field:%Y-%m-%d}"
    ):
        date_codec("#", "%Y-%m").encode(date(2026, 4, 10))


def test_a_date_codec_rejects_a_datetime() -> None:
    with pytest.raises(KeyRefused, match=r"is a datetime.*pass the date: value.date\(\)"):
        date_codec("#").encode(datetime(2026, 4, 10, tzinfo=UTC))


@pytest.mark.parametrize("value", ["2026-04-10", 20260410, None])
def test_a_date_codec_rejects_a_value_that_is_not_a_date(value: object) -> None:
    with pytest.raises(KeyRefused, match="is not a date"):
        date_codec("#").encode(value)


@pytest.mark.parametrize("text", ["", "2026-4-10", "2026-02-29", "2026-04-10T", " 2026-04-10"])
def test_a_date_codec_rejects_a_text_that_is_not_an_encoded_date(text: str) -> None:
    with pytest.raises(KeyRefused, match=r"is not a date for {field:%Y-%m-%d}"):
        date_codec("#").decode(text)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("days", "is not a date format"),
        ("%Y-%m-%dT%H", "%H in .* is not a supported directive; use %Y %m %d"),
        ("%m-%d", "%Y is missing"),
    ],
)
def test_a_date_codec_with_an_invalid_format_is_a_value_error(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        date_codec("#", spec)


def test_a_date_codec_sorts_only_with_a_coarse_to_fine_format() -> None:
    assert DateCodec("#").order is SortOrder.ASCENDING
    assert date_codec("#", "%m/%d/%Y").order is SortOrder.NONE
    assert "{field:%Y/%m/%d}" in date_codec("#", "%m/%d/%Y").unordered_reason


def test_a_date_codec_has_the_last_date_as_its_last_text() -> None:
    assert DateCodec("#").last_text == "9999-12-31"
    assert date_codec("#", "%m/%d/%Y").last_text == "12/31/9999"
