"""The codec for descending order."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.boolean_codec import BooleanCodec
from singletable.model.codecs.codec import Codec, SortOrder
from singletable.model.codecs.date_codec import date_codec
from singletable.model.codecs.datetime_codec import datetime_codec
from singletable.model.codecs.descending_codec import DescendingCodec
from singletable.model.codecs.enum_codec import LiteralCodec
from singletable.model.codecs.fixed_point_codec import FixedPointCodec
from singletable.model.codecs.integer_codec import IntegerCodec
from singletable.model.codecs.number_codec import NumberCodec
from singletable.model.codecs.path_codec import PathCodec
from singletable.model.codecs.raw_codec import RawCodec
from singletable.model.codecs.text_codec import TextCodec
from singletable.model.codecs.uuid_codec import UuidCodec


@pytest.mark.parametrize(
    ("inner", "value", "text"),
    [
        (datetime_codec("#", "seconds"), datetime(2026, 4, 10, 14, tzinfo=UTC), "7973-95-89T85:99:99Z"),
        (date_codec("#"), date(2026, 4, 10), "7973-95-89"),
        (date_codec("#", "2k%Y%m%d"), date(2026, 4, 10), "2k79739589"),
        (IntegerCodec("#", 3), 7, "992"),
        (FixedPointCodec("#", 8, 2), Decimal("12.5"), "99987.49"),
        (NumberCodec("#", Decimal), Decimal("1.5"), "n125.84~"),
        (NumberCodec("#", Decimal), Decimal("-1.5"), "p130.15"),
        (NumberCodec("#", int), 0, "o"),
    ],
)
def test_a_descending_codec_inverts_digits(inner: Codec, value: Any, text: str) -> None:
    codec = DescendingCodec("#", inner)
    assert codec.encode(value) == text
    assert codec.decode(text) == value
    assert codec.order is SortOrder.DESCENDING
    assert codec.unordered_reason == ""
    assert codec.width == inner.width
    assert codec.language == inner.language


@pytest.mark.parametrize(
    ("inner", "last_text"),
    [
        (datetime_codec("#", "hours"), "9999-99-99T99Z"),
        (IntegerCodec("#", 3), "999"),
        (FixedPointCodec("#", 8, 2), "99999.99"),
        (NumberCodec("#", int), "p255." + "9" * 38),
    ],
)
def test_a_descending_codec_has_no_text_that_sorts_after_its_last_text(inner: Codec, last_text: str) -> None:
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
        LiteralCodec("#", ("1",)),
        LiteralCodec("#", ("1", "2")),
    ],
)
def test_a_descending_codec_rejects_an_inner_codec_without_digits_to_invert(inner: Codec) -> None:
    with pytest.raises(ValueError, match=f"descending order needs.*{type(inner).__name__} does not support it"):
        DescendingCodec("#", inner)


@pytest.mark.parametrize("value", [True, -1, 1000, "7", None])
def test_a_descending_codec_rejects_values_that_the_inner_codec_rejects(value: object) -> None:
    with pytest.raises(KeyRefused):
        DescendingCodec("#", IntegerCodec("#", 3)).encode(value)


@pytest.mark.parametrize("value", [True, "7", None, float("nan")])
def test_a_descending_codec_rejects_values_that_are_not_numbers(value: object) -> None:
    with pytest.raises(KeyRefused):
        DescendingCodec("#", NumberCodec("#", int)).encode(value)


@pytest.mark.parametrize("text", ["", "99", "9999", "99a", "-99"])
def test_a_descending_codec_rejects_a_text_in_another_format(text: str) -> None:
    with pytest.raises(KeyRefused, match=f"{text!r} is not a value of IntegerCodec in descending order"):
        DescendingCodec("#", IntegerCodec("#", 3)).decode(text)


@pytest.mark.parametrize("text", ["", "p130.1~", "n125.8", "p130.10", "n300.8~"])
def test_a_descending_codec_rejects_a_text_that_is_not_a_number(text: str) -> None:
    with pytest.raises(KeyRefused):
        DescendingCodec("#", NumberCodec("#", Decimal)).decode(text)


def test_a_descending_codec_of_an_unordered_format_is_unordered_too() -> None:
    inner = date_codec("#", "%d.%m.%Y")
    assert DescendingCodec("#", inner).order is SortOrder.NONE
    assert DescendingCodec("#", inner).unordered_reason == inner.unordered_reason
