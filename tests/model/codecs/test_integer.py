"""Integers: with a width and without."""

from __future__ import annotations

from enum import IntEnum

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import Order
from singletable.model.codecs.integer import IntegerCodec


class Level(IntEnum):
    LOW = 1


PADDED = IntegerCodec("#", 3)
PLAIN = IntegerCodec("#", None)


@pytest.mark.parametrize(("value", "text"), [(0, "000"), (7, "007"), (999, "999")])
def test_a_width_pads_with_zeros(value: int, text: str) -> None:
    assert PADDED.encode(value) == text
    assert PADDED.decode(text) == value


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (7, "7"), (-12, "-12"), (10**50, "1" + "0" * 50)])
def test_without_a_width_digits_are_plain(value: int, text: str) -> None:
    assert PLAIN.encode(value) == text
    assert PLAIN.decode(text) == value


def test_a_number_too_large_names_the_width_it_needs() -> None:
    with pytest.raises(KeyRefused, match=r"1000 does not fit {field:03d}; use {field:04d} or {field:number}"):
        PADDED.encode(1000)


@pytest.mark.parametrize("value", [-1, -1000])
def test_a_negative_number_needs_the_number_codec(value: int) -> None:
    with pytest.raises(KeyRefused, match=f"{value} does not fit {{field:03d}}.*use {{field:number}} for negative"):
        PADDED.encode(value)


@pytest.mark.parametrize("codec", [PADDED, PLAIN])
@pytest.mark.parametrize("value", [True, False, 1.0, "1", None])
def test_what_is_no_integer_is_refused(codec: IntegerCodec, value: object) -> None:
    with pytest.raises(KeyRefused, match="pass an int"):
        codec.encode(value)


@pytest.mark.parametrize("codec", [PADDED, PLAIN])
def test_an_integer_longer_than_any_key_is_refused(codec: IntegerCodec) -> None:
    with pytest.raises(KeyRefused, match="no key is that long"):
        codec.encode(10**5000)
    with pytest.raises(KeyRefused):
        codec.decode("1" * 5000)


@pytest.mark.parametrize("text", ["", "7", "0007", "-07", "+07", " 07", "0_7", "\u0660\u0660\u0667", "00a"])
def test_a_text_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(KeyRefused, match=r"is not the text of an integer, {field:03d}"):
        PADDED.decode(text)


@pytest.mark.parametrize("text", ["", "-", "-0", "07", "+7", " 7", "1_000", "\u0667", "7.0"])
def test_a_plain_text_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(KeyRefused, match=r"is not the text of an integer, {field}"):
        PLAIN.decode(text)


def test_a_member_of_an_int_enum_is_its_number() -> None:
    assert PADDED.encode(Level.LOW) == "001"


def test_only_a_width_sorts() -> None:
    assert PADDED.order is Order.ASCENDING
    assert PADDED.unordered_reason == ""
    assert PADDED.last_text == "999"
    assert PLAIN.order is Order.NONE
    assert "{field:06d}" in PLAIN.unordered_reason
    assert "{field:number}" in PLAIN.unordered_reason
    assert PLAIN.last_text is None


@pytest.mark.parametrize("digits", [0, -1, 5000])
def test_a_width_that_no_key_has_is_a_value_error(digits: int) -> None:
    with pytest.raises(ValueError, match="digits wide"):
        IntegerCodec("#", digits)


def test_a_minus_that_is_the_delimiter_spans_segments() -> None:
    assert IntegerCodec("-").spans_segments
    assert not IntegerCodec("-", 3).spans_segments
