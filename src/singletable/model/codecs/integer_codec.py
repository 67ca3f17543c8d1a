"""Codec for `int`: with zero padding the texts sort like the numbers (`{line:03d}`), without padding they do not."""

from __future__ import annotations

from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import Codec, SortOrder, read_exactly
from singletable.model.regular_language import DIGITS, Language, concat, fixed, literal, repeated, union

# A longer number does not fit into a partition key. This limit is below 4300 digits, the most that Python prints.
_MOST_DIGITS = 2048
_LIMIT = 10**_MOST_DIGITS
_NOT_ZERO = ((ord("1"), ord("9")),)


@dataclass(frozen=True)
class IntegerCodec(Codec):
    """Encodes an `int`: `{line:03d}` with a fixed width, `{line}` without one."""

    digits: int | None = None

    def __post_init__(self) -> None:
        if self.digits is not None and not 1 <= self.digits <= _MOST_DIGITS:
            raise ValueError(f"the width must be between 1 and {_MOST_DIGITS} digits, got {self.digits}")

    @property
    def spelling(self) -> str:
        """The slot as you write it in a template: `{field}` or `{field:03d}`."""
        return "{field}" if self.digits is None else f"{{field:0{self.digits}d}}"

    @property
    def language(self) -> Language:
        if self.digits is not None:
            return fixed(*[DIGITS] * self.digits)
        positive = concat(fixed(_NOT_ZERO), repeated(DIGITS))
        return union(literal("0"), positive, concat(literal("-"), positive))

    @property
    def width(self) -> int | None:
        return self.digits

    @property
    def order(self) -> SortOrder:
        return SortOrder.NONE if self.digits is None else SortOrder.ASCENDING

    @property
    def unordered_reason(self) -> str:
        if self.digits is not None:
            return ""
        return "as text, 10 sorts before 9; use a fixed width, such as {field:06d}, or {field:number}"

    @property
    def last_text(self) -> str | None:
        return None if self.digits is None else "9" * self.digits

    @property
    def spans_segments(self) -> bool:
        return self.digits is None and self.delimiter == "-"

    def encode(self, value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, int):
            raise KeyRefused(f"{value!r} is not an integer for {self.spelling}; pass an int")
        if not -_LIMIT < value < _LIMIT:
            raise KeyRefused(
                f"an integer of {value.bit_length()} bits does not fit {self.spelling}, because it is too long for a "
                "key"
            )
        if self.digits is None:
            return str(int(value))
        if value < 0:
            raise KeyRefused(f"{value} is negative, which {self.spelling} does not support; use {{field:number}}")
        text = f"{int(value):0{self.digits}d}"
        if len(text) > self.digits:
            raise KeyRefused(f"{value} does not fit {self.spelling}; use {{field:0{len(text)}d}} or {{field:number}}")
        return text

    def decode(self, text: str) -> int:
        return read_exactly(self, text, int, f"an integer for {self.spelling}")
