"""Numbers and binaries: validation, canonical form, sizes and sums. Also the sortable bytes of key values.

The sortable bytes compare like DynamoDB's keys: strings by their UTF-8 bytes, numbers by their value, binaries by their
unsigned bytes.
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Callable
from decimal import Context, Decimal

from singletable.errors import invalid
from singletable.values.limits import NUMBER_DIGITS_MAX, NUMBER_EXPONENT_MAX, NUMBER_EXPONENT_MIN

NOT_NUMERIC = "The parameter cannot be converted to a numeric value"
OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
TOO_PRECISE = f"Attempting to store more than {NUMBER_DIGITS_MAX} significant digits in a Number"

# Captured from AWS: "+5", ".5", "5.", "00042" and "1E+2" are numbers; " 5", "1_000", "1e" and "NaN" are not.
# The quantifiers are possessive, so the match never backtracks and rejects a long invalid text in one pass.
_NUMBER = re.compile(r"([+-]?)([0-9]*+)(?:\.([0-9]*+))?+(?:[eE]([+-]?[0-9]++))?+")

# Captured from AWS: an exponent that fits in 64 bits causes an overflow error. A longer exponent makes the text not
# numeric.
_EXPONENT_MAX = 2**63 - 1

# A sum can have digits from 1E+126 down to 1E-167, which is the last digit of the smallest number with 38 digits.
_EXACT = Context(prec=300, Emin=-999, Emax=999)

_NINES_COMPLEMENT = str.maketrans("0123456789", "9876543210")

BASE64_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

# The last character before the padding encodes fewer than six bits. DynamoDB rejects the text if the unused bits of
# this character are not zero. So equal binaries always have equal base64 texts.
LAST_BEFORE_PADDING = {"=": frozenset(BASE64_ALPHABET[::4]), "==": frozenset(BASE64_ALPHABET[::16])}


def canonical_number(text: str) -> str:
    """Return a number in the notation of DynamoDB's responses: "100" for "1E2", "0" for "-0", "1.5" for "1.50"."""
    # Most numbers are already canonical integers. This test takes an eighth of the time that parsing takes.
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
        # The exponent of a zero must be in range too, such as 5 in "0E5" (captured from AWS).
        _require_range(exponent)
        return "0"
    point = len(digits) - len(fraction) + exponent
    digits = digits.rstrip("0")
    if len(digits) > NUMBER_DIGITS_MAX:
        raise invalid(TOO_PRECISE)
    _require_range(point - 1)
    return _with_point(sign, digits, point)


def number_size(canonical: str) -> int:
    """Return how many bytes a canonical number adds to the size of an item.

    A number takes one byte, plus one byte for every two significant digits, plus one byte for a minus sign. The digits
    before and after the decimal point count separately, and each count is rounded up.
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
    """Return at most 22 bytes that sort in numeric order; different numbers have different bytes.

    The first byte is the sign: 1 for negative, 2 for zero, 3 for positive. The second byte is the exponent of the first
    significant digit plus 130. The significant digits follow, two per byte: "1.5" is 03 82 15. For a negative number,
    the exponent and the digits are complemented, and a byte FF ends the number: "-1.5" is 01 7D 84 FF. FF is greater
    than any pair of digits, so -12 sorts after -123.
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
    complemented = bytes.fromhex(digits.translate(_NINES_COMPLEMENT))
    return bytes((1, NUMBER_EXPONENT_MAX - exponent)) + complemented + b"\xff"


def add_numbers(augend: str, addend: str) -> str:
    """Return the exact sum of two canonical numbers; reject a sum that DynamoDB cannot store."""
    if _are_short_integers(augend, addend):
        return str(int(augend) + int(addend))
    return _canonical_result(_EXACT.add(Decimal(augend), Decimal(addend)))


def subtract_numbers(minuend: str, subtrahend: str) -> str:
    """Return the exact difference of two canonical numbers; reject a difference that DynamoDB cannot store."""
    if _are_short_integers(minuend, subtrahend):
        return str(int(minuend) - int(subtrahend))
    return _canonical_result(_EXACT.subtract(Decimal(minuend), Decimal(subtrahend)))


def _are_short_integers(one: str, other: str) -> bool:
    """Return whether two canonical numbers are integers so short that their sum has at most 38 digits."""
    return len(one) < NUMBER_DIGITS_MAX > len(other) and "." not in one and "." not in other


def _canonical_result(result: Decimal) -> str:
    """Return a sum or difference in canonical form; reject one with more than 38 digits.

    DynamoDB never rounds: it rejects 1E50 + 1 with its message for an overflow. The tests of the ScyllaDB project show
    this behaviour, and DynamoDB Local behaves in the same way.
    """
    text = f"{result:f}"
    if len(text.replace(".", "").strip("-0")) > NUMBER_DIGITS_MAX:
        raise invalid(OVERFLOW)
    return canonical_number(text)


def _not_numeric(text: str) -> Exception:
    return invalid(f"{NOT_NUMERIC}: {text}" if text else NOT_NUMERIC)


def _exponent(text: str, written: str) -> int:
    digits = written.lstrip("+-0") or "0"
    # Count the digits first, because int() is slow for ten thousand digits, or raises an error.
    if len(digits) > len(str(_EXPONENT_MAX)) or int(digits) > _EXPONENT_MAX:
        raise _not_numeric(text)
    return -int(digits) if written[0] == "-" else int(digits)


def _require_range(exponent: int) -> None:
    if exponent > NUMBER_EXPONENT_MAX:
        raise invalid(OVERFLOW)
    if exponent < NUMBER_EXPONENT_MIN:
        raise invalid(UNDERFLOW)


def _with_point(sign: str, digits: str, point: int) -> str:
    """Return a number with its decimal point after `point` digits. Add zeros if the point is outside the digits."""
    minus = "-" if sign == "-" else ""
    if point <= 0:
        return f"{minus}0.{'0' * -point}{digits}"
    if point >= len(digits):
        return f"{minus}{digits}{'0' * (point - len(digits))}"
    return f"{minus}{digits[:point]}.{digits[point:]}"


def binary_bytes(text: str) -> bytes:
    """Return the bytes of a base64 text; raise ValueError for a text that DynamoDB rejects."""
    if len(text) % 4:
        raise ValueError("the length of base64 must be a multiple of four")
    content = a2b_base64(text.encode("ascii"), strict_mode=True)
    if text.endswith("="):
        body = text.rstrip("=")
        if body[-1:] not in LAST_BEFORE_PADDING.get(text[len(body) :], ()):
            raise ValueError("base64 has bits after its last byte")
    return content


def binary_size(text: str) -> int:
    """Return the number of bytes that a valid base64 text encodes."""
    return len(text) // 4 * 3 - text.count("=", -2)


_SORTABLE_BYTES: dict[str, Callable[[str], bytes]] = {"S": str.encode, "N": number_key_bytes, "B": binary_bytes}


def key_bytes(kind: str, value: str) -> bytes:
    """Return the sortable bytes of a valid S, N or B value; different values of one type have different bytes."""
    return _SORTABLE_BYTES[kind](value)
