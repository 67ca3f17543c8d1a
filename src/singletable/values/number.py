"""DynamoDB's numbers: which texts are numbers, the one text each is returned as, their size, order and sums."""

from __future__ import annotations

import re
from decimal import Context, Decimal

from singletable.errors import invalid
from singletable.values.limits import NUMBER_DIGITS_MAX, NUMBER_EXPONENT_MAX, NUMBER_EXPONENT_MIN

NOT_NUMERIC = "The parameter cannot be converted to a numeric value"
OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
TOO_PRECISE = f"Attempting to store more than {NUMBER_DIGITS_MAX} significant digits in a Number"

# Captured against the service: "+5", ".5", "5.", "00042" and "1E+2" are numbers; " 5", "1_000", "1e", "NaN" are not.
# The quantifiers are possessive, so that a long text which is no number is refused in one pass over it.
_NUMBER = re.compile(r"([+-]?)([0-9]*+)(?:\.([0-9]*+))?+(?:[eE]([+-]?[0-9]++))?+")

# Captured against the service: an exponent of 64 bits is read in full and then out of range, a longer one is not read.
_EXPONENT_MAX = 2**63 - 1

# The sum of two numbers needs the digits from 1E+126 down to 1E-167, the last digit of the smallest with 38 of them.
_EXACT = Context(prec=300, Emin=-999, Emax=999)

_NINES_COMPLEMENT = str.maketrans("0123456789", "9876543210")


def canonical_number(text: str) -> str:
    """The number in plain notation, as DynamoDB returns it: "1E2" is "100", "-0" is "0", "1.50" is "1.5"."""
    # Most numbers are plain integers already, and these tests cost an eighth of taking the text apart.
    if text.isdigit() and text.isascii() and len(text) <= NUMBER_DIGITS_MAX and (text[0] != "0" or text == "0"):
        return text
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise _not_numeric(text)
    sign, integer, fraction, written_exponent = match.groups("")
    if not integer and not fraction:
        raise _not_numeric(text)
    exponent = _exponent(text, written_exponent) if written_exponent else 0
    digits = (integer + fraction).lstrip("0")
    if not digits:
        # Captured against the service: a zero is held to the range by the exponent it is written with.
        _require_range(exponent)
        return "0"
    point = len(digits) - len(fraction) + exponent
    digits = digits.rstrip("0")
    if len(digits) > NUMBER_DIGITS_MAX:
        raise invalid(TOO_PRECISE)
    _require_range(point - 1)
    return _plain(sign, digits, point)


def number_size(canonical: str) -> int:
    """How many bytes a number adds to an item's size.

    One byte, one for every two significant digits begun before the point and after it, and one for a minus.
    """
    positive = canonical.removeprefix("-")
    minus = len(canonical) - len(positive)
    integer, _, fraction = positive.partition(".")
    if not fraction:
        return 1 + minus + (len(integer.rstrip("0")) + 1) // 2
    if integer == "0":
        return 1 + minus + (len(fraction.lstrip("0")) + 1) // 2
    return 1 + minus + (len(integer) + 1) // 2 + (len(fraction) + 1) // 2


def number_key_bytes(canonical: str) -> bytes:
    """Bytes that sort as the numbers do, different for different numbers, at most 22 of them.

    A byte for the sign (1, 2 for zero, 3), a byte for the exponent of the first significant digit counted from -130,
    and the significant digits, two to a byte. In a negative number all of it is turned around, and a byte above every
    pair of digits ends it, so that -12 comes after -123: "1.5" is 03 82 15, and "-1.5" is 01 7D 84 FF.
    """
    if canonical == "0":
        return b"\x02"
    positive = canonical.removeprefix("-")
    integer, _, fraction = positive.partition(".")
    if integer == "0":
        digits = fraction.lstrip("0")
        exponent = len(digits) - len(fraction) - 1
    else:
        digits = (integer + fraction).rstrip("0")
        exponent = len(integer) - 1
    if len(digits) % 2:
        digits += "0"
    if positive is canonical:
        return bytes((3, exponent - NUMBER_EXPONENT_MIN)) + bytes.fromhex(digits)
    turned = bytes.fromhex(digits.translate(_NINES_COMPLEMENT))
    return bytes((1, NUMBER_EXPONENT_MAX - exponent)) + turned + b"\xff"


def add_numbers(augend: str, addend: str) -> str:
    """The exact sum of two canonical numbers; refused when DynamoDB cannot hold it."""
    if _are_short_integers(augend, addend):
        return str(int(augend) + int(addend))
    return _held(_EXACT.add(Decimal(augend), Decimal(addend)))


def subtract_numbers(minuend: str, subtrahend: str) -> str:
    """The exact difference of two canonical numbers; refused when DynamoDB cannot hold it."""
    if _are_short_integers(minuend, subtrahend):
        return str(int(minuend) - int(subtrahend))
    return _held(_EXACT.subtract(Decimal(minuend), Decimal(subtrahend)))


def _are_short_integers(one: str, other: str) -> bool:
    """Whether two canonical numbers are integers whose sum has at most 38 digits, as the steps of a counter are."""
    return len(one) < NUMBER_DIGITS_MAX > len(other) and "." not in one and "." not in other


def _held(result: Decimal) -> str:
    """A result as DynamoDB holds it. It never rounds: 1E50 + 1 is refused, and in the words of an overflow.

    So the service answers, as the ScyllaDB project notes in its tests of numbers; DynamoDB Local refuses it too.
    """
    text = f"{result:f}"
    if len(text.replace(".", "").strip("-0")) > NUMBER_DIGITS_MAX:
        raise invalid(OVERFLOW)
    return canonical_number(text)


def _not_numeric(text: str) -> Exception:
    return invalid(f"{NOT_NUMERIC}: {text}" if text else NOT_NUMERIC)


def _exponent(text: str, written: str) -> int:
    digits = written.lstrip("+-0") or "0"
    # The digits are counted before they are read: Python reads ten thousand of them slowly, or not at all.
    if len(digits) > len(str(_EXPONENT_MAX)) or int(digits) > _EXPONENT_MAX:
        raise _not_numeric(text)
    return -int(digits) if written[0] == "-" else int(digits)


def _require_range(exponent: int) -> None:
    if exponent > NUMBER_EXPONENT_MAX:
        raise invalid(OVERFLOW)
    if exponent < NUMBER_EXPONENT_MIN:
        raise invalid(UNDERFLOW)


def _plain(sign: str, digits: str, point: int) -> str:
    """The significant digits with the point after so many of them, and zeros where digits are missing."""
    minus = "-" if sign == "-" else ""
    if point <= 0:
        return f"{minus}0.{'0' * -point}{digits}"
    if point >= len(digits):
        return f"{minus}{digits}{'0' * (point - len(digits))}"
    return f"{minus}{digits[:point]}.{digits[point:]}"
