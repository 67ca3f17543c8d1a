"""The codec for datetimes: precisions, formats and time zones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import SortOrder
from singletable.model.codecs.datetime_codec import DatetimeCodec, datetime_codec

TWO_O_CLOCK = datetime(2026, 4, 10, 14, tzinfo=UTC)


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("", "2026-04-10T14:00:00.000000Z"),
        ("microseconds", "2026-04-10T14:00:00.000000Z"),
        ("milliseconds", "2026-04-10T14:00:00.000Z"),
        ("seconds", "2026-04-10T14:00:00Z"),
        ("minutes", "2026-04-10T14:00Z"),
        ("hours", "2026-04-10T14Z"),
        ("%Y%m%d%H", "2026041014"),
        ("%Y-%m-%dT%H:%M:%S", "2026-04-10T14:00:00"),
        ("at{%Y}%m%d%H", "at{2026}041014"),
    ],
)
def test_a_datetime_codec_writes_a_datetime_in_its_precision_or_format(spec: str, text: str) -> None:
    codec = datetime_codec("#", spec)
    assert codec.encode(TWO_O_CLOCK) == text
    assert codec.decode(text) == TWO_O_CLOCK
    assert codec.decode(text).tzinfo is UTC
    assert codec.width == len(text)


def test_a_datetime_codec_with_a_precision_of_days_accepts_midnight() -> None:
    assert datetime_codec("#", "days").encode(datetime(2026, 4, 10, tzinfo=UTC)) == "2026-04-10"


def test_a_datetime_codec_pads_early_years() -> None:
    assert datetime_codec("#", "days").encode(datetime(5, 1, 1, tzinfo=UTC)) == "0005-01-01"


def test_a_datetime_codec_converts_other_time_zones_to_utc() -> None:
    in_berlin = datetime(2026, 4, 10, 16, tzinfo=timezone(timedelta(hours=2)))
    assert datetime_codec("#", "hours").encode(in_berlin) == "2026-04-10T14Z"


def test_a_datetime_codec_rejects_a_naive_datetime() -> None:
    with pytest.raises(KeyRefused, match=r"2026-04-10T14:00:00 has no time zone.*add a time zone"):
        datetime_codec("#").encode(datetime(2026, 4, 10, 14))


def test_a_datetime_codec_rejects_a_datetime_outside_the_years_1_to_9999() -> None:
    before = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2)))
    with pytest.raises(KeyRefused, match="outside the years 1 to 9999"):
        datetime_codec("#").encode(before)


@pytest.mark.parametrize(
    ("spec", "moment", "message"),
    [
        (
            "seconds",
            TWO_O_CLOCK.replace(microsecond=1),
            "has microseconds, but the key keeps only seconds; .*{field:microseconds}",
        ),
        (
            "seconds",
            TWO_O_CLOCK.replace(microsecond=1000),
            "has milliseconds, but the key keeps only seconds; .*{field:milliseconds}",
        ),
        (
            "milliseconds",
            TWO_O_CLOCK.replace(microsecond=1001),
            "has microseconds, but the key keeps only milliseconds",
        ),
        ("days", TWO_O_CLOCK, "has hours, but the key keeps only days; truncate it or use {field:hours}"),
        (
            "%Y",
            datetime(2026, 2, 1, tzinfo=UTC),
            "has months, but the key keeps only years; truncate it or use {field:days}",
        ),
    ],
)
def test_a_datetime_codec_rejects_a_datetime_finer_than_its_format(spec: str, moment: datetime, message: str) -> None:
    with pytest.raises(KeyRefused, match=message):
        datetime_codec("#", spec).encode(moment)


@pytest.mark.parametrize("value", ["2026-04-10", TWO_O_CLOCK.date(), 1, None])
def test_a_datetime_codec_rejects_a_value_that_is_not_a_datetime(value: object) -> None:
    with pytest.raises(KeyRefused, match="pass an aware datetime"):
        datetime_codec("#").encode(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-04-10T14:00:00",
        "2026-04-10T14:00:0Z",
        "2026-02-30T14:00:00Z",
        "2026-04-10T24:00:00Z",
        "0000-04-10T14:00:00Z",
        "\u0662\u0660\u0662\u0666-04-10T14:00:00Z",
        "2026-04-10t14:00:00Z",
        "2026-04-10T14:00:00Z\n",
    ],
)
def test_a_datetime_codec_rejects_a_text_that_is_not_an_encoded_datetime(text: str) -> None:
    with pytest.raises(KeyRefused, match=r"is not a datetime for {field:seconds}"):
        datetime_codec("#", "seconds").decode(text)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("second", "'second' is not a precision; use microseconds, milliseconds, seconds"),
        ("%Y-%j", "%j in '%Y-%j' is not a supported directive"),
        ("%Y-%m-%d%%", "%% in .* is not a supported directive"),
        ("%Y-%m-%dT%H:%M:%S.%L", "%L in .* is not a supported directive"),
        ("%Y-%m-%d%", "'%' in .* is not valid in a literal.* as in {field:%Y-%m-%d}"),
        ("%Y-%m-%d %H", "' ' in .* is not valid in a literal.* as in {field:%Y-%m-%d%H}"),
        ("%Y#%m", "'#' in .* is the delimiter; remove the character, as in {field:%Y%m}"),
        ("%Y-\ud800%m", "is not valid in a literal"),
        ("%Y-%m-%m", "%m occurs twice"),
        ("%Y-%d", "%m is missing"),
        ("%Y-%m-%d %f".replace(" ", "T"), "%H is missing"),
        ("%m-%d", "%Y is missing"),
    ],
)
def test_a_datetime_codec_with_an_invalid_format_is_a_value_error(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        datetime_codec("#", spec)


@pytest.mark.parametrize(("delimiter", "way_out"), [(":", "%Y-%m-%dT%H%M%S.%fZ"), ("-", "%Y%m%dT%H:%M:%S.%fZ")])
@pytest.mark.parametrize("spec", ["", "milliseconds"])
def test_a_datetime_codec_suggests_a_format_for_a_precision_that_contains_the_delimiter(
    delimiter: str, way_out: str, spec: str
) -> None:
    with pytest.raises(ValueError, match="is the delimiter") as refusal:
        datetime_codec(delimiter, spec)
    assert f"{{field:{way_out}}}" in str(refusal.value)
    assert datetime_codec(delimiter, way_out).encode(TWO_O_CLOCK)


def test_a_datetime_codec_constructed_directly_is_checked_too() -> None:
    with pytest.raises(ValueError, match="%m is missing"):
        DatetimeCodec("#", "%Y-%d")


def test_a_datetime_codec_with_a_precision_equals_one_with_the_same_format() -> None:
    assert datetime_codec("#", "seconds") == datetime_codec("#", "%Y-%m-%dT%H:%M:%SZ")


def test_a_datetime_codec_sorts_with_a_coarse_to_fine_format() -> None:
    assert datetime_codec("#", "seconds").order is SortOrder.ASCENDING
    assert datetime_codec("#", "seconds").unordered_reason == ""


def test_a_datetime_codec_suggests_a_format_that_sorts_for_other_formats() -> None:
    codec = datetime_codec("#", "%d.%m.%YT%H")
    assert codec.order is SortOrder.NONE
    assert "{field:%Y.%m.%dT%H} sorts by time" in codec.unordered_reason


def test_a_datetime_codec_has_the_last_datetime_as_its_last_text() -> None:
    assert datetime_codec("#").last_text == "9999-12-31T23:59:59.999999Z"
    assert datetime_codec("#", "milliseconds").last_text == "9999-12-31T23:59:59.999Z"
    assert datetime_codec("#", "%Y").last_text == "9999"
