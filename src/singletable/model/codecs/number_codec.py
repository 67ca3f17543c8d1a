"""Codec for numbers of any sign and size, whose texts sort like the numbers: `{amount:number}`.

Zero is `o`. A positive number is `p`, its exponent plus 130 in three digits, a point, and its significant digits. A
negative number is `n`, 125 minus its exponent in three digits, a point, the nines' complement of its significant
digits, and `~`. The `~` makes -1 sort after -1.5.

    -1.5  n125.84~      -1  n125.8~      0  o      0.5  p129.5      1  p130.1      15  p131.15
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import Codec, SortOrder, read_exactly
from singletable.model.codecs.decimals import check_number_type, significant_digits, to_decimal
from singletable.model.codecs.text_codec import ORDERED_DELIMITER
from singletable.model.regular_language import DIGITS, Language, concat, fixed, literal, repeated, union

# The range of DynamoDB numbers: 38 significant digits, from 1E-130 to 9.99...E+125.
DIGITS_MAX = 38
EXPONENT_MIN = -130
EXPONENT_MAX = 125

ZERO = "o"
SPELLING = "{field:number}"
_SPAN = EXPONENT_MAX - EXPONENT_MIN
_NONZERO = r"(?P<sign>[pn])(?P<exponent>[0-9]{3})\.(?P<digits>[0-9]+)~?"
_NINES = str.maketrans("0123456789", "9876543210")


def nines_complement(text: str) -> str:
    """Return the text with every digit replaced by its nines' complement. This reverses the order."""
    return text.translate(_NINES)


def mirrored(text: str) -> str:
    """Return the text of the negated number."""
    match = re.fullmatch(_NONZERO, text)
    if match is None:
        return text
    exponent = _SPAN - int(match["exponent"])
    digits = nines_complement(match["digits"])
    return f"n{exponent:03d}.{digits}~" if match["sign"] == "p" else f"p{exponent:03d}.{digits}"


@dataclass(frozen=True)
class NumberCodec(Codec):
    """Encodes an `int`, `Decimal` or `float` in the range of DynamoDB numbers."""

    python_type: type = Decimal

    def __post_init__(self) -> None:
        check_number_type(self.python_type)

    @property
    def language(self) -> Language:
        digits = repeated(DIGITS)
        exponent = fixed(((ord("0"), ord("2")),), DIGITS, DIGITS)
        positive = concat(literal("p"), exponent, literal("."), fixed(((ord("1"), ord("9")),)), digits)
        negative = concat(literal("n"), exponent, literal("."), fixed(((ord("0"), ord("8")),)), digits, literal("~"))
        return union(literal(ZERO), positive, negative)

    @property
    def order(self) -> SortOrder:
        return SortOrder.ASCENDING if self.delimiter == ORDERED_DELIMITER else SortOrder.NONE

    @property
    def unordered_reason(self) -> str:
        if self.order is SortOrder.ASCENDING:
            return ""
        return (
            f"with the delimiter {self.delimiter!r}, numbers of varying length do not sort correctly; "
            "use '#', or a fixed width such as {field:06d} or {field:08.2f}"
        )

    @property
    def last_text(self) -> str:
        return f"p{_SPAN:03d}." + "9" * DIGITS_MAX

    @property
    def spans_segments(self) -> bool:
        return self.delimiter in {".", "~"}

    def encode(self, value: Any) -> str:
        decimal = to_decimal(value, self.python_type, SPELLING)
        digits = significant_digits(decimal)
        if not digits:
            return ZERO
        if len(digits) > DIGITS_MAX:
            raise KeyRefused(
                f"{decimal} has {len(digits)} significant digits, but {SPELLING} keeps only {DIGITS_MAX}; round it"
            )
        if not EXPONENT_MIN <= decimal.adjusted() <= EXPONENT_MAX:
            raise KeyRefused(f"{decimal:E} is outside 1E-130 to 9.99E+125, the range of {SPELLING}; scale it")
        text = f"p{decimal.adjusted() - EXPONENT_MIN:03d}.{digits}"
        return mirrored(text) if decimal.is_signed() else text

    def decode(self, text: str) -> Any:
        return read_exactly(self, text, self._parse, f"a number for {SPELLING}")

    def _parse(self, text: str) -> Any:
        if text == ZERO:
            return self.python_type(0)
        negative = text.startswith("n")
        match = re.fullmatch(_NONZERO, mirrored(text) if negative else text)
        if match is None:
            raise ValueError(f"{text!r} is not a number")
        exponent = int(match["exponent"]) + EXPONENT_MIN
        return self.python_type(_plain(negative, match["digits"], exponent))


def _plain(negative: bool, digits: str, exponent: int) -> Decimal:
    """Return the Decimal in plain notation (`100`, not `1E+2`) if it has at most 38 digits."""
    zeros = exponent + 1 - len(digits)
    if zeros > 0 and exponent < DIGITS_MAX:
        digits, zeros = digits + "0" * zeros, 0
    return Decimal((int(negative), tuple(map(int, digits)), zeros))
