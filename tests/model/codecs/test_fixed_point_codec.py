"""The codec for fixed-point numbers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import SortOrder
from singletable.model.codecs.fixed_point_codec import FixedPointCodec

PRICE = FixedPointCodec("#", 8, 2, Decimal)


@pytest.mark.parametrize(
    ("python_type", "value", "text"),
    [
        (Decimal, Decimal("12.5"), "00012.50"),
        (Decimal, Decimal("12.5000"), "00012.50"),
        (Decimal, Decimal("0"), "00000.00"),
        (Decimal, Decimal("-0.000"), "00000.00"),
        (Decimal, Decimal("0E+1000"), "00000.00"),
        (Decimal, Decimal("1E+4"), "10000.00"),
        (Decimal, Decimal("0.01"), "00000.01"),
        (Decimal, 7, "00007.00"),
        (float, 0.1, "00000.10"),
        (float, 7, "00007.00"),
        (float, 99999.99, "99999.99"),
        (int, 100, "00100.00"),
    ],
)
def test_a_fixed_point_codec_pads_a_number_on_both_sides(python_type: type, value: Any, text: str) -> None:
    codec = FixedPointCodec("#", 8, 2, python_type)
    assert codec.encode(value) == text
    assert codec.decode(text) == value
    assert type(codec.decode(text)) is python_type


def test_a_fixed_point_codec_without_decimals_writes_no_point() -> None:
    assert FixedPointCodec("#", 4, 0, Decimal).encode(Decimal(7)) == "0007"
    assert FixedPointCodec("#", 4, 0, Decimal).decode("0007") == Decimal(7)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (Decimal("0.001"), "0.001 has 3 decimals, but {field:08.2f} keeps only 2"),
        (Decimal("-1"), "-1 is negative, which {field:08.2f} does not support; use {field:number}"),
        (Decimal("100000"), "100000 does not fit {field:08.2f}, which has 5 digits before the point"),
        (Decimal("1E+999999"), "does not fit {field:08.2f}"),
        (Decimal("1E-999999"), "has 999999 decimals"),
        (Decimal("NaN"), "pass a finite number"),
        (Decimal("sNaN"), "pass a finite number"),
        (Decimal("-Infinity"), "pass a finite number"),
        pytest.param(10**5000, "does not fit {field:08.2f}", id="huge"),
        (0.1, r"is a float.*pass Decimal\('0.1'\)"),
        (True, "True is not a number"),
        ("1", "'1' is not a number"),
        (None, "None is not a number"),
    ],
)
def test_a_fixed_point_codec_rejects_a_value_that_does_not_fit(value: object, message: str) -> None:
    with pytest.raises(KeyRefused, match=message):
        PRICE.encode(value)


@pytest.mark.parametrize("value", [2**53 + 1, pytest.param(10**5000, id="huge")])
def test_a_fixed_point_codec_rejects_an_integer_that_is_not_an_exact_float(value: int) -> None:
    with pytest.raises(KeyRefused, match="is not an exact float"):
        FixedPointCodec("#", 30, 2, float).encode(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "12.50",
        "00012.5",
        "00012,50",
        "-0012.50",
        "0001E.50",
        "\u0660\u0660\u0660\u0661\u0662.\u0665\u0660",
        "000 1.50",
    ],
)
def test_a_fixed_point_codec_rejects_a_text_in_another_format(text: str) -> None:
    with pytest.raises(KeyRefused, match=r"is not a number for {field:08.2f}"):
        PRICE.decode(text)


def test_a_fixed_point_codec_rejects_a_text_out_of_the_range_of_its_type() -> None:
    with pytest.raises(KeyRefused):
        FixedPointCodec("#", 8, 2, int).decode("00001.50")
    with pytest.raises(KeyRefused):
        FixedPointCodec("#", 19, 2, float).decode("9007199254740993.00")


def test_a_fixed_point_codec_sorts_values_and_has_a_last_text() -> None:
    assert PRICE.order is SortOrder.ASCENDING
    assert PRICE.width == 8
    assert PRICE.last_text == "99999.99"


@pytest.mark.parametrize(
    ("characters", "places", "python_type", "message"),
    [(3, 2, Decimal, "no digit before the point"), (5000, 2, Decimal, "is too wide"), (8, 2, str, "str is not")],
)
def test_a_fixed_point_codec_with_an_impossible_width_is_a_value_error(
    characters: int, places: int, python_type: type, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        FixedPointCodec("#", characters, places, python_type)


def test_a_fixed_point_codec_with_a_point_as_delimiter_spans_segments() -> None:
    assert FixedPointCodec(".", 8, 2).spans_segments
    assert not FixedPointCodec(".", 8, 0).spans_segments
