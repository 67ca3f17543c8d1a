"""Codec for fixed-point numbers, padded with zeros: `{price:08.2f}` writes `00012.50`."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import Codec, read_exactly
from singletable.model.codecs.decimals import check_number_type, significant_digits, to_decimal
from singletable.model.regular_language import DIGITS, Language, concat, fixed, literal

POINT = "."
# A longer text does not fit into a partition key.
_MOST_CHARACTERS = 2048


@dataclass(frozen=True)
class FixedPointCodec(Codec):
    """Encodes a non-negative `Decimal`, `float` or `int`. `{price:08.2f}` has 8 characters, 2 of them decimals."""

    characters: int
    places: int
    python_type: type = Decimal

    def __post_init__(self) -> None:
        check_number_type(self.python_type)
        if self.whole_digits < 1:
            raise ValueError(
                f"{self.spelling} has no digit before the point; 08.2f has 8 characters, 5 of them before the point"
            )
        if self.characters > _MOST_CHARACTERS:
            raise ValueError(f"{self.spelling} is too wide; a key has at most {_MOST_CHARACTERS} characters")

    @property
    def spelling(self) -> str:
        """The slot as you write it in a template, such as `{field:08.2f}`."""
        return f"{{field:0{self.characters}.{self.places}f}}"

    @property
    def whole_digits(self) -> int:
        """The number of digits before the point."""
        return self.characters - self.places - (1 if self.places else 0)

    @property
    def language(self) -> Language:
        whole = fixed(*[DIGITS] * self.whole_digits)
        return concat(whole, literal(POINT), fixed(*[DIGITS] * self.places)) if self.places else whole

    @property
    def width(self) -> int:
        return self.characters

    @property
    def last_text(self) -> str:
        return self._pointed("9" * (self.whole_digits + self.places))

    @property
    def spans_segments(self) -> bool:
        return self.places > 0 and self.delimiter == POINT

    def encode(self, value: Any) -> str:
        decimal = to_decimal(value, self.python_type, self.spelling)
        digits = significant_digits(decimal)
        # The number of digits after the point. It is -2 for 1200: `digits` is "12", and two zeros precede the point.
        decimals = len(digits) - 1 - decimal.adjusted() if digits else 0
        self._check_fit(decimal, decimals)
        return self._pointed((digits + "0" * (self.places - decimals)).zfill(self.whole_digits + self.places))

    def decode(self, text: str) -> Any:
        return read_exactly(self, text, self._parse, f"a number for {self.spelling}")

    def _check_fit(self, decimal: Decimal, decimals: int) -> None:
        if not decimal:
            return
        if decimal < 0:
            raise KeyRefused(f"{decimal} is negative, which {self.spelling} does not support; use {{field:number}}")
        if decimal.adjusted() >= self.whole_digits:
            raise KeyRefused(
                f"{decimal} does not fit {self.spelling}, which has {self.whole_digits} digits before the point; "
                "use a larger width or {field:number}"
            )
        if decimals > self.places:
            raise KeyRefused(
                f"{decimal} has {decimals} decimals, but {self.spelling} keeps only {self.places}: "
                "round it, add decimals to the format, or use {field:number}"
            )

    def _parse(self, text: str) -> Any:
        return self.python_type(Decimal(text))

    def _pointed(self, digits: str) -> str:
        return f"{digits[: self.whole_digits]}{POINT}{digits[self.whole_digits :]}" if self.places else digits
