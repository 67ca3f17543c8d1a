"""Numbers compared with exact decimals, base64, and the order of key bytes."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import RequestRefused
from singletable.values.scalars import (
    add_numbers,
    binary_bytes,
    binary_size,
    canonical_number,
    key_bytes,
    number_key_bytes,
    number_size,
    subtract_numbers,
)
from tests.values.generated import EXACT, SPELT_NUMBERS, numbers, spellings

OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
TOO_PRECISE = "Attempting to store more than 38 significant digits in a Number"
NOT_NUMERIC = "The parameter cannot be converted to a numeric value"

GOLDEN = Path(__file__).parent / "number_sizes.txt"
LINES = [line.split() for line in GOLDEN.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def canonical(number: Decimal) -> str:
    return canonical_number(str(number)) if number else "0"


def outcome(calculate: Callable[..., str], *texts: str) -> str:
    try:
        return calculate(*texts)
    except RequestRefused as refused:
        return refused.message


def significant_digits(number: Decimal) -> str:
    return "".join(map(str, number.as_tuple().digits)).strip("0")


def is_held(number: Decimal) -> bool:
    return not number or (len(significant_digits(number)) <= 38 and -130 <= number.adjusted() <= 125)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("+0.0", "0"),
        ("0e125", "0"),
        ("7", "7"),
        ("-7", "-7"),
        ("+5", "5"),
        ("+.5", "0.5"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("5.", "5"),
        ("00042", "42"),
        ("0042.1200", "42.12"),
        ("1.0", "1"),
        ("3.1400", "3.14"),
        ("1.5E2", "150"),
        ("1e+2", "100"),
        ("+1e-2", "0.01"),
        ("1E-0000000000000000000000000002", "0.01"),
        ("1.23E10", "12300000000"),
        ("1E125", "1" + "0" * 125),
        ("1E-130", "0." + "0" * 129 + "1"),
        ("-9.9999999999999999999999999999999999999E+125", "-" + "9" * 38 + "0" * 88),
        ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
        ("0." + "0" * 200, "0"),
    ],
)
def test_a_scalar_number_is_returned_in_canonical_form(text: str, expected: str) -> None:
    assert canonical_number(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", NOT_NUMERIC),
        *(
            (text, f"{NOT_NUMERIC}: {text}")
            for text in [
                "abc", " 1", "1 ", "1\n", "1 5", "NaN", "Infinity", "-Infinity", "0x10", "1_000", ".", "+", "-", "++5",
                "-+5", "1.2.3", "1+2", "e2", "+e2", "1e", "1e+", "1e2.5", "²", "\N{ARABIC-INDIC DIGIT ONE}",
                "1e9223372036854775808", "1e-" + "9" * 9000,
            ]
        ),
        ("1e126", OVERFLOW),
        ("-1e126", OVERFLOW),
        ("11e125", OVERFLOW),
        ("1e2147483648", OVERFLOW),
        ("1e99999999999", OVERFLOW),
        ("0e126", OVERFLOW),
        ("1e-131", UNDERFLOW),
        ("-0.9e-130", UNDERFLOW),
        ("1e-99999999999", UNDERFLOW),
        ("0e-131", UNDERFLOW),
        ("123456789012345678901234567890123456789", TOO_PRECISE),
        ("-1.23456789012345678901234567890123456789", TOO_PRECISE),
        ("1" * 39 + "e200", TOO_PRECISE),
    ],
)  # fmt: skip
def test_an_invalid_scalar_number_is_rejected_with_dynamodbs_message(text: str, message: str) -> None:
    with pytest.raises(RequestRefused) as refused:
        canonical_number(text)
    assert (refused.value.code, refused.value.message) == ("ValidationException", message)


def test_a_long_invalid_scalar_number_is_rejected_in_linear_time() -> None:
    with pytest.raises(RequestRefused):
        canonical_number("1" * 400_000 + "x")  # with backtracking this would take hours


@given(st.data())
def test_every_spelling_of_a_scalar_number_has_one_canonical_text(data: st.DataObject) -> None:
    number = data.draw(numbers())
    text = canonical_number(data.draw(spellings(number)))
    assert Decimal(text) == number
    assert text == canonical_number(data.draw(spellings(number)))
    assert re.fullmatch(r"0|-?[1-9][0-9]*|-?(0|[1-9][0-9]*)\.[0-9]*[1-9]", text)
    assert canonical_number(text) == text


@given(st.text("0123456789", min_size=1, max_size=45) | st.integers(0, 10**39).map(str))
def test_a_canonical_scalar_integer_gives_the_same_result_as_the_general_case(text: str) -> None:
    assert outcome(canonical_number, text) == outcome(canonical_number, f"+{text}")


@given(st.text("0123456789+-.eE", max_size=8) | SPELT_NUMBERS | st.text(max_size=6))
def test_a_text_is_a_scalar_number_if_decimal_accepts_it(text: str) -> None:
    try:
        number = Decimal(text) if re.fullmatch(r"[0-9+\-.eE]+", text) else None
    except ArithmeticError:
        number = None
    read = outcome(canonical_number, text)
    if number is None:
        assert read.startswith(NOT_NUMERIC)
    elif not number:
        assert read in ("0", OVERFLOW, UNDERFLOW)  # the written exponent decides, which Decimal ignores
    elif is_held(number):
        assert Decimal(read) == number
    else:
        assert read in (OVERFLOW, UNDERFLOW, TOO_PRECISE)


@pytest.mark.parametrize(("text", "size"), [(text, int(size)) for text, size in LINES])
def test_a_scalar_number_has_the_size_measured_in_the_service(text: str, size: int) -> None:
    assert number_size(canonical_number(text)) == size


@given(numbers())
def test_the_size_of_a_scalar_number_counts_significant_digits_on_both_sides_of_the_point(number: Decimal) -> None:
    digits = len(significant_digits(number))
    before = min(max(number.adjusted() + 1, 0), digits) if number else 0
    expected = 1 + -(-before // 2) + -(-(digits - before) // 2) + (number < 0)
    assert number_size(canonical(number)) == expected


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[Decimal, Decimal]:
    """Two numbers that often share their first digits, their sign or their exponent."""
    number = draw(numbers())
    text = canonical(number)
    changed = draw(
        st.sampled_from([text[:-1], text + "1", text + "01", f"-{text}", f"{text}0", text.replace("9", "8")])
    )
    other = Decimal(changed.replace("--", "") or "0") if changed not in ("-", "") else Decimal(0)
    return (number, other) if is_held(other) else (number, draw(numbers()))


@given(st.tuples(numbers(), numbers()) | neighbours())
def test_the_key_bytes_of_scalar_numbers_sort_as_the_numbers_do_and_are_unique(pair: tuple[Decimal, Decimal]) -> None:
    one, other = pair
    one_bytes, other_bytes = number_key_bytes(canonical(one)), number_key_bytes(canonical(other))
    assert (one < other) == (one_bytes < other_bytes)
    assert (one == other) == (one_bytes == other_bytes)
    assert len(one_bytes) <= 2 + 19 + 1


def test_the_key_bytes_of_scalar_numbers_follow_the_documented_format() -> None:
    assert number_key_bytes("0").hex(" ") == "02"
    assert number_key_bytes("1.5").hex(" ") == "03 82 15"
    assert number_key_bytes("-1.5").hex(" ") == "01 7d 84 ff"
    assert number_key_bytes(canonical_number("1E-130")).hex(" ") == "03 00 10"
    assert number_key_bytes(canonical_number("-9E125")).hex(" ") == "01 00 09 ff"


@pytest.mark.parametrize(
    ("one", "other", "total"),
    [
        ("41", "1", "42"),
        ("1", "10000000000000000000000", "10000000000000000000001"),
        ("0.1", "0.2", "0.3"),
        ("1.5", "1.5", "3"),
        ("1.5", "-1.5", "0"),
        ("9" * 38, "1", "1" + "0" * 38),
        ("-100", "99", "-1"),
    ],
)
def test_sums_of_scalar_numbers_are_exact(one: str, other: str, total: str) -> None:
    assert add_numbers(one, other) == add_numbers(other, one) == total
    assert subtract_numbers(total, other) == one


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        ("1E50", "1", OVERFLOW),  # 51 digits: DynamoDB does not round, and calls it an overflow
        ("9" * 38, "2", OVERFLOW),
        ("1", "1E-50", OVERFLOW),
        ("9E125", "9E125", OVERFLOW),
        ("1.5E-130", "-1E-130", UNDERFLOW),
    ],
)
def test_a_sum_of_scalar_numbers_that_dynamodb_cannot_store_is_rejected_and_never_rounded(
    one: str, other: str, message: str
) -> None:
    for calculate, operand in ((add_numbers, other), (subtract_numbers, f"-{other}".replace("--", ""))):
        with pytest.raises(RequestRefused) as refused:
            calculate(canonical_number(one), canonical_number(operand))
        assert (refused.value.code, refused.value.message) == ("ValidationException", message)


@given(st.tuples(numbers(), numbers()) | neighbours() | st.tuples(*[st.integers(-(10**38), 10**38).map(Decimal)] * 2))
def test_sums_and_differences_of_scalar_numbers_are_exact_or_rejected(pair: tuple[Decimal, Decimal]) -> None:
    one, other = pair
    for calculate, exact in (
        (add_numbers, EXACT.add(one, other)),
        (subtract_numbers, EXACT.subtract(one, other)),
    ):
        refusal = UNDERFLOW if exact.adjusted() < -130 else OVERFLOW
        expected = canonical(exact) if is_held(exact) else refusal
        assert outcome(calculate, canonical(one), canonical(other)) == expected


@given(st.binary(max_size=40))
def test_every_scalar_binary_has_one_base64_text_and_size(content: bytes) -> None:
    text = base64.b64encode(content).decode()
    assert binary_bytes(text) == content
    assert binary_size(text) == len(content)


@given(st.text("AQgw+/=x", max_size=9) | st.text(max_size=8))
def test_only_canonical_base64_is_a_valid_scalar_binary(text: str) -> None:
    try:
        content = binary_bytes(text)
    except ValueError:
        return
    assert base64.b64encode(content).decode() == text


@pytest.mark.parametrize(
    "text",
    ["A", "AA", "AAA", "AAA=A", "AAAA=", "AAAA====", "====", "A===", "YR==", "YWF=", "YQ==YQ==", "YQ==\n", "é", "__--"],
)
def test_invalid_base64_is_rejected_as_a_scalar_binary(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        binary_bytes(text)


def test_the_key_bytes_of_a_scalar_depend_on_its_type() -> None:
    assert key_bytes("S", "é") == b"\xc3\xa9"
    assert key_bytes("N", "1.5") == b"\x03\x82\x15"
    assert key_bytes("B", "AP8=") == b"\x00\xff"


@given(st.text(), st.text())
def test_the_key_bytes_of_scalar_strings_sort_by_their_utf8(one: str, other: str) -> None:
    assert (key_bytes("S", one) < key_bytes("S", other)) == (one.encode() < other.encode())
    assert (key_bytes("S", one) == key_bytes("S", other)) == (one == other)


@given(st.binary(max_size=6), st.binary(max_size=6))
def test_the_key_bytes_of_scalar_binaries_sort_by_their_unsigned_bytes(one: bytes, other: bytes) -> None:
    texts = [base64.b64encode(content).decode() for content in (one, other)]
    assert (key_bytes("B", texts[0]) < key_bytes("B", texts[1])) == (one < other)
    assert (key_bytes("B", texts[0]) == key_bytes("B", texts[1])) == (one == other)


@given(st.lists(numbers(), max_size=20))
def test_the_key_bytes_of_scalar_numbers_sort_by_their_value(drawn: list[Decimal]) -> None:
    texts = [canonical_number(str(number)) for number in sorted(set(drawn))]
    assert texts == sorted(texts, key=lambda text: key_bytes("N", text))
