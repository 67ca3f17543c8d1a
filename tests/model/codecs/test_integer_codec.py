"""The codec for integers, with and without a width."""

from __future__ import annotations

from enum import IntEnum

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import SortOrder
from singletable.model.codecs.integer_codec import IntegerCodec


class Level(IntEnum):
    LOW = 1


PADDED = IntegerCodec("#", 3)
PLAIN = IntegerCodec("#", None)


@pytest.mark.parametrize(("value", "text"), [(0, "000"), (7, "007"), (999, "999")])
def test_an_integer_codec_with_a_width_pads_with_zeros(value: int, text: str) -> None:
    assert PADDED.encode(value) == text
    assert PADDED.decode(text) == value


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (7, "7"), (-12, "-12"), (10**50, "1" + "0" * 50)])
def test_an_integer_codec_without_a_width_does_not_pad(value: int, text: str) -> None:
    assert PLAIN.encode(value) == text
    assert PLAIN.decode(text) == value


def test_an_integer_codec_reports_the_required_width_of_a_number_that_is_too_large() -> None:
    with pytest.raises(KeyRefused, match=r"1000 does not fit {field:03d}; use {field:04d} or {field:number}"):
        PADDED.encode(1000)


@pytest.mark.parametrize("value", [-1, -1000])
def test_an_integer_codec_suggests_the_number_codec_for_a_negative_number(value: int) -> None:
    with pytest.raises(KeyRefused, match=f"{value} is negative.*use {{field:number}}"):
        PADDED.encode(value)


@pytest.mark.parametrize("codec", [PADDED, PLAIN])
@pytest.mark.parametrize("value", [True, False, 1.0, "1", None])
def test_an_integer_codec_rejects_a_value_that_is_not_an_integer(codec: IntegerCodec, value: object) -> None:
    with pytest.raises(KeyRefused, match="pass an int"):
        codec.encode(value)


@pytest.mark.parametrize("codec", [PADDED, PLAIN])
def test_an_integer_codec_rejects_an_integer_longer_than_any_key(codec: IntegerCodec) -> None:
    with pytest.raises(KeyRefused, match="too long for a key"):
        codec.encode(10**5000)
    with pytest.raises(KeyRefused):
        codec.decode("1" * 5000)


@pytest.mark.parametrize("text", ["", "7", "0007", "-07", "+07", " 07", "0_7", "\u0660\u0660\u0667", "00a"])
def test_an_integer_codec_rejects_a_text_in_another_format(text: str) -> None:
    with pytest.raises(KeyRefused, match=r"is not an integer for {field:03d}"):
        PADDED.decode(text)


@pytest.mark.parametrize("text", ["", "-", "-0", "07", "+7", " 7", "1_000", "\u0667", "7.0"])
def test_an_integer_codec_without_a_width_rejects_a_text_in_another_format(text: str) -> None:
    with pytest.raises(KeyRefused, match=r"is not an integer for {field}"):
        PLAIN.decode(text)


def test_an_integer_codec_writes_an_int_enum_member_as_its_value() -> None:
    assert PADDED.encode(Level.LOW) == "001"


def test_an_integer_codec_sorts_only_with_padding() -> None:
    assert PADDED.order is SortOrder.ASCENDING
    assert PADDED.unordered_reason == ""
    assert PADDED.last_text == "999"
    assert PLAIN.order is SortOrder.NONE
    assert "{field:06d}" in PLAIN.unordered_reason
    assert "{field:number}" in PLAIN.unordered_reason
    assert PLAIN.last_text is None


@pytest.mark.parametrize("digits", [0, -1, 5000])
def test_an_integer_codec_with_an_invalid_width_is_a_value_error(digits: int) -> None:
    with pytest.raises(ValueError, match="the width must be between"):
        IntegerCodec("#", digits)


def test_an_integer_codec_with_a_minus_as_delimiter_spans_segments() -> None:
    assert IntegerCodec("-").spans_segments
    assert not IntegerCodec("-", 3).spans_segments
