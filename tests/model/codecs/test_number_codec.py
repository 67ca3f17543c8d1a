"""The codec for numbers of any sign and size."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import Any

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import SortOrder
from singletable.model.codecs.number_codec import NumberCodec, mirrored

DECIMAL = NumberCodec("#", Decimal)
LARGEST = Decimal("9" * 38 + "E+88")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (LARGEST.copy_negate(), "n000." + "0" * 38 + "~"),
        (Decimal("-15"), "n124.84~"),
        (Decimal("-10"), "n124.8~"),
        (Decimal("-1.5"), "n125.84~"),
        (Decimal("-1"), "n125.8~"),
        (Decimal("-1E-130"), "n255.8~"),
        (Decimal("0"), "o"),
        (Decimal("-0.00"), "o"),
        (Decimal("1E-130"), "p000.1"),
        (Decimal("0.5"), "p129.5"),
        (Decimal("1"), "p130.1"),
        (Decimal("1.50"), "p130.15"),
        (Decimal("15"), "p131.15"),
        (LARGEST, "p255." + "9" * 38),
    ],
)
def test_a_number_codec_writes_sign_exponent_and_digits(value: Decimal, text: str) -> None:
    assert DECIMAL.encode(value) == text
    assert DECIMAL.decode(text) == value


@pytest.mark.parametrize(
    ("python_type", "value"),
    [(int, 0), (int, -(10**125)), (int, 12345678901234567890), (float, 0.1), (float, -2.5e-100), (float, 1e125)],
)
def test_a_number_codec_decodes_a_number_to_its_type(python_type: type, value: Any) -> None:
    codec = NumberCodec("#", python_type)
    assert codec.decode(codec.encode(value)) == value
    assert type(codec.decode(codec.encode(value))) is python_type


def test_a_number_codec_does_not_depend_on_the_decimal_context() -> None:
    value = Decimal("1.2345678901234567890123456789")
    with localcontext(prec=3):
        assert DECIMAL.decode(DECIMAL.encode(value)) == value


@pytest.mark.parametrize(("value", "shown"), [("100", "100"), ("1E+2", "100"), ("1E+100", "1E+100"), ("-2.50", "-2.5")])
def test_a_number_codec_decodes_a_decimal_without_needless_exponent(value: str, shown: str) -> None:
    assert str(DECIMAL.decode(DECIMAL.encode(Decimal(value)))) == shown


@pytest.mark.parametrize(
    ("python_type", "value", "message"),
    [
        (Decimal, Decimal("1E+126"), "outside 1E-130 to 9.99E.125"),
        (Decimal, Decimal("-1E-131"), "outside 1E-130 to 9.99E.125"),
        (Decimal, Decimal("1" * 39), "has 39 significant digits, but {field:number} keeps only 38"),
        (Decimal, Decimal("NaN"), "pass a finite number"),
        (Decimal, 0.1, r"pass Decimal\('0.1'\)"),
        (float, float("nan"), "pass a finite number"),
        (float, float("-inf"), "pass a finite number"),
        (float, 2**53 + 1, "is not an exact float"),
        (float, Decimal("0.1"), "pass a value of type float"),
        (int, 1.0, "pass a value of type int"),
        (int, True, "True is not a number"),
        pytest.param(int, 10**5000, "outside 1E-130", id="huge"),
        pytest.param(int, int("1" * 4000) ** 2, "significant digits", id="huge and odd"),
        (int, "1", "'1' is not a number"),
    ],
)
def test_a_number_codec_rejects_a_value_that_does_not_fit(python_type: type, value: object, message: str) -> None:
    with pytest.raises(KeyRefused, match=message):
        NumberCodec("#", python_type).encode(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "oo",
        "p130.",
        "p130.10",
        "p130.01",
        "p130.1~",
        "p256.1",
        "p13.1",
        "p1300.1",
        "p\u0660\u0660\u0660.1",
        "p130.1\n",
        "n125.8",
        "n125.9~",
        "n125.89~",
        "n125.98~",
        "n256.8~",
        "n300.8~",
        "n125.~",
        "q130.1",
        "p130." + "1" * 39,
    ],
)
def test_a_number_codec_rejects_a_text_that_is_not_an_encoded_number(text: str) -> None:
    with pytest.raises(KeyRefused, match=r"is not a number for {field:number}"):
        DECIMAL.decode(text)


@pytest.mark.parametrize(("python_type", "text"), [(int, "p129.5"), (float, "p130.10000000000000000000001")])
def test_a_number_codec_rejects_a_text_out_of_the_range_of_its_type(python_type: type, text: str) -> None:
    with pytest.raises(KeyRefused):
        NumberCodec("#", python_type).decode(text)


@pytest.mark.parametrize("value", ["0", "1", "-1", "12.345", "-1E-130"])
def test_a_number_codec_negates_a_number_by_mirroring(value: str) -> None:
    text = DECIMAL.encode(Decimal(value))
    assert mirrored(text) == DECIMAL.encode(-Decimal(value))
    assert mirrored(mirrored(text)) == text


def test_a_number_codec_preserves_order_only_with_the_hash_delimiter() -> None:
    assert DECIMAL.order is SortOrder.ASCENDING
    assert DECIMAL.unordered_reason == ""
    assert NumberCodec("|", Decimal).order is SortOrder.NONE
    assert "use '#'" in NumberCodec("|", Decimal).unordered_reason
    assert DECIMAL.last_text == DECIMAL.encode(LARGEST)


def test_a_number_codec_exists_only_for_number_types() -> None:
    with pytest.raises(ValueError, match="str is not a number type"):
        NumberCodec("#", str)


@pytest.mark.parametrize(("delimiter", "spans"), [("#", False), (".", True), ("~", True), ("|", False)])
def test_a_number_codec_with_its_own_characters_as_delimiter_spans_segments(delimiter: str, spans: bool) -> None:
    assert NumberCodec(delimiter, int).spans_segments is spans
