"""Descending order: the same values, the same width, the other way round."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.boolean import BooleanCodec
from singletable.model.codecs.codec import Codec, Order
from singletable.model.codecs.day import day_codec
from singletable.model.codecs.descending import DescendingCodec
from singletable.model.codecs.enumeration import ChoiceCodec
from singletable.model.codecs.fixed_point import FixedPointCodec
from singletable.model.codecs.identifier import UuidCodec
from singletable.model.codecs.integer import IntegerCodec
from singletable.model.codecs.moment import moment_codec
from singletable.model.codecs.number import NumberCodec
from singletable.model.codecs.path import PathCodec
from singletable.model.codecs.raw import RawCodec
from singletable.model.codecs.text import TextCodec


@pytest.mark.parametrize(
    ("inner", "value", "text"),
    [
        (moment_codec("#", "seconds"), datetime(2026, 4, 10, 14, tzinfo=UTC), "7973-95-89T85:99:99Z"),
        (day_codec("#"), date(2026, 4, 10), "7973-95-89"),
        (day_codec("#", "2k%Y%m%d"), date(2026, 4, 10), "2k79739589"),
        (IntegerCodec("#", 3), 7, "992"),
        (FixedPointCodec("#", 8, 2), Decimal("12.5"), "99987.49"),
        (NumberCodec("#", Decimal), Decimal("1.5"), "n125.84~"),
        (NumberCodec("#", Decimal), Decimal("-1.5"), "p130.15"),
        (NumberCodec("#", int), 0, "o"),
    ],
)
def test_digits_are_turned_around(inner: Codec, value: Any, text: str) -> None:
    codec = DescendingCodec("#", inner)
    assert codec.encode(value) == text
    assert codec.decode(text) == value
    assert codec.order is Order.DESCENDING
    assert codec.unordered_reason == ""
    assert codec.width == inner.width
    assert codec.language == inner.language


@pytest.mark.parametrize(
    ("inner", "last_text"),
    [
        (moment_codec("#", "hours"), "9999-99-99T99Z"),
        (IntegerCodec("#", 3), "999"),
        (FixedPointCodec("#", 8, 2), "99999.99"),
        (NumberCodec("#", int), "p255." + "9" * 38),
    ],
)
def test_no_text_sorts_after_the_last_text(inner: Codec, last_text: str) -> None:
    assert DescendingCodec("#", inner).last_text == last_text


@pytest.mark.parametrize(
    "inner",
    [
        TextCodec("#"),
        RawCodec("#"),
        PathCodec("#"),
        UuidCodec("#"),
        BooleanCodec("#"),
        IntegerCodec("#"),
        ChoiceCodec("#", ("1",)),
        ChoiceCodec("#", ("1", "2")),
    ],
)
def test_other_codecs_have_no_descending_order(inner: Codec) -> None:
    with pytest.raises(ValueError, match=f"descending order needs.*{type(inner).__name__} is none of these"):
        DescendingCodec("#", inner)


@pytest.mark.parametrize("value", [True, -1, 1000, "7", None])
def test_what_the_codec_refuses_stays_refused(value: object) -> None:
    with pytest.raises(KeyRefused):
        DescendingCodec("#", IntegerCodec("#", 3)).encode(value)


@pytest.mark.parametrize("value", [True, "7", None, float("nan")])
def test_what_is_no_number_stays_refused(value: object) -> None:
    with pytest.raises(KeyRefused):
        DescendingCodec("#", NumberCodec("#", int)).encode(value)


@pytest.mark.parametrize("text", ["", "99", "9999", "99a", "-99"])
def test_a_text_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(KeyRefused, match=f"{text!r} is not the text of a value of IntegerCodec in descending order"):
        DescendingCodec("#", IntegerCodec("#", 3)).decode(text)


@pytest.mark.parametrize("text", ["", "p130.1~", "n125.8", "p130.10", "n300.8~"])
def test_a_text_of_no_number_is_refused(text: str) -> None:
    with pytest.raises(KeyRefused):
        DescendingCodec("#", NumberCodec("#", Decimal)).decode(text)


def test_a_format_without_order_has_none_from_the_other_end_either() -> None:
    inner = day_codec("#", "%d.%m.%Y")
    assert DescendingCodec("#", inner).order is Order.NONE
    assert DescendingCodec("#", inner).unordered_reason == inner.unordered_reason
