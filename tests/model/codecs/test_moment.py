"""Moments: precisions, formats, zones, and what a format would lose."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import Order
from singletable.model.codecs.moment import MomentCodec, moment_codec

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
def test_a_precision_or_a_format_says_how_a_moment_is_written(spec: str, text: str) -> None:
    codec = moment_codec("#", spec)
    assert codec.encode(TWO_O_CLOCK) == text
    assert codec.decode(text) == TWO_O_CLOCK
    assert codec.decode(text).tzinfo is UTC
    assert codec.width == len(text)


def test_days_keep_midnight() -> None:
    assert moment_codec("#", "days").encode(datetime(2026, 4, 10, tzinfo=UTC)) == "2026-04-10"


def test_early_years_are_padded() -> None:
    assert moment_codec("#", "days").encode(datetime(5, 1, 1, tzinfo=UTC)) == "0005-01-01"


def test_other_zones_are_converted_to_utc() -> None:
    in_berlin = datetime(2026, 4, 10, 16, tzinfo=timezone(timedelta(hours=2)))
    assert moment_codec("#", "hours").encode(in_berlin) == "2026-04-10T14Z"


def test_a_naive_moment_is_refused() -> None:
    with pytest.raises(KeyRefused, match=r"2026-04-10T14:00:00 has no timezone.*attach a timezone"):
        moment_codec("#").encode(datetime(2026, 4, 10, 14))


def test_a_moment_outside_the_years_of_utc_is_refused() -> None:
    before = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2)))
    with pytest.raises(KeyRefused, match="outside the years 1 to 9999"):
        moment_codec("#").encode(before)


@pytest.mark.parametrize(
    ("spec", "moment", "message"),
    [
        (
            "seconds",
            TWO_O_CLOCK.replace(microsecond=1),
            "has microseconds, the key keeps seconds: .*{field:microseconds}",
        ),
        (
            "seconds",
            TWO_O_CLOCK.replace(microsecond=1000),
            "has milliseconds, the key keeps seconds: .*{field:milliseconds}",
        ),
        ("milliseconds", TWO_O_CLOCK.replace(microsecond=1001), "has microseconds, the key keeps milliseconds"),
        ("days", TWO_O_CLOCK, "has hours, the key keeps days: truncate it or use {field:hours}"),
        ("%Y", datetime(2026, 2, 1, tzinfo=UTC), "has months, the key keeps years: truncate it or use {field:days}"),
    ],
)
def test_a_moment_finer_than_the_format_is_refused(spec: str, moment: datetime, message: str) -> None:
    with pytest.raises(KeyRefused, match=message):
        moment_codec("#", spec).encode(moment)


@pytest.mark.parametrize("value", ["2026-04-10", TWO_O_CLOCK.date(), 1, None])
def test_what_is_no_moment_is_refused(value: object) -> None:
    with pytest.raises(KeyRefused, match="pass an aware datetime"):
        moment_codec("#").encode(value)


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
def test_a_text_that_no_moment_makes_is_refused(text: str) -> None:
    with pytest.raises(KeyRefused, match=r"is not the text of a moment, {field:seconds}"):
        moment_codec("#", "seconds").decode(text)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("second", "'second' is not a precision; a datetime has microseconds, milliseconds, seconds"),
        ("%Y-%j", "%j in '%Y-%j' is not a directive"),
        ("%Y-%m-%d%%", "%% in .* is not a directive"),
        ("%Y-%m-%dT%H:%M:%S.%L", "%L in .* is not a directive"),
        ("%Y-%m-%d%", "'%' in .* is no character for literals.* such as {field:%Y-%m-%d}"),
        ("%Y-%m-%d %H", "' ' in .* is no character for literals.* such as {field:%Y-%m-%d%H}"),
        ("%Y#%m", "'#' in .* is the delimiter; leave it out, such as {field:%Y%m}"),
        ("%Y-\ud800%m", "is no character for literals"),
        ("%Y-%m-%m", "%m stands twice"),
        ("%Y-%d", "%m is missing"),
        ("%Y-%m-%d %f".replace(" ", "T"), "%H is missing"),
        ("%m-%d", "%Y is missing"),
    ],
)
def test_a_format_that_cannot_be_kept_is_a_value_error(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        moment_codec("#", spec)


@pytest.mark.parametrize(("delimiter", "way_out"), [(":", "%Y-%m-%dT%H%M%S.%fZ"), ("-", "%Y%m%dT%H:%M:%S.%fZ")])
@pytest.mark.parametrize("spec", ["", "milliseconds"])
def test_a_precision_that_writes_the_delimiter_names_the_format_that_does_not(
    delimiter: str, way_out: str, spec: str
) -> None:
    with pytest.raises(ValueError, match="is the delimiter") as refusal:
        moment_codec(delimiter, spec)
    assert f"{{field:{way_out}}}" in str(refusal.value)
    assert moment_codec(delimiter, way_out).encode(TWO_O_CLOCK)


def test_a_codec_made_by_hand_is_checked_too() -> None:
    with pytest.raises(ValueError, match="%m is missing"):
        MomentCodec("#", "%Y-%d")


def test_a_precision_and_its_format_are_one_codec() -> None:
    assert moment_codec("#", "seconds") == moment_codec("#", "%Y-%m-%dT%H:%M:%SZ")


def test_a_format_from_coarse_to_fine_sorts() -> None:
    assert moment_codec("#", "seconds").order is Order.ASCENDING
    assert moment_codec("#", "seconds").unordered_reason == ""


def test_any_other_format_says_which_one_would_sort() -> None:
    codec = moment_codec("#", "%d.%m.%YT%H")
    assert codec.order is Order.NONE
    assert "{field:%Y.%m.%dT%H} sorts by time" in codec.unordered_reason


def test_the_last_text_is_that_of_the_last_moment() -> None:
    assert moment_codec("#").last_text == "9999-12-31T23:59:59.999999Z"
    assert moment_codec("#", "milliseconds").last_text == "9999-12-31T23:59:59.999Z"
    assert moment_codec("#", "%Y").last_text == "9999"
