"""Codec for descending order (`:desc`): inverts the digits of another codec."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import Codec, SortOrder, read_exactly
from singletable.model.codecs.number_codec import NumberCodec, mirrored, nines_complement
from singletable.model.regular_language import DIGITS, Language, Run


@dataclass(frozen=True)
class DescendingCodec(Codec):
    """Encodes the values of another codec in descending order: `{created_at:seconds:desc}`.

    In a text with digits in fixed positions, every digit becomes its nines' complement. A number of any size is encoded
    as its negation. Both operations are their own inverse, and neither changes the set of possible texts.
    """

    inner: Codec

    def __post_init__(self) -> None:
        if not isinstance(self.inner, NumberCodec) and not _is_digits(self.inner):
            raise ValueError(
                "descending order needs a datetime, a date, a width ({field:06d:desc}, {field:08.2f:desc}) "
                f"or {{field:number:desc}}; {type(self.inner).__name__} does not support it"
            )

    @property
    def language(self) -> Language:
        return self.inner.language

    @property
    def width(self) -> int | None:
        return self.inner.width

    @property
    def order(self) -> SortOrder:
        return self.inner.order.reversed

    @property
    def unordered_reason(self) -> str:
        return self.inner.unordered_reason

    @property
    def last_text(self) -> str | None:
        if isinstance(self.inner, NumberCodec):
            return self.inner.last_text  # the range of numbers is symmetric around zero
        return "".join(chr(run.characters[-1][1]) for run in self._runs)

    @property
    def spans_segments(self) -> bool:
        return self.inner.spans_segments

    def encode(self, value: Any) -> str:
        return self._inverted(self.inner.encode(value))

    def decode(self, text: str) -> Any:
        return read_exactly(self, text, self._parse, f"a value of {type(self.inner).__name__} in descending order")

    @cached_property
    def _runs(self) -> tuple[Run, ...]:
        return self.inner.language[0]

    def _parse(self, text: str) -> Any:
        return self.inner.decode(self._inverted(text))

    def _inverted(self, text: str) -> str:
        if isinstance(self.inner, NumberCodec):
            return mirrored(text)
        characters = zip(text, self._runs, strict=True)
        return "".join(nines_complement(each) if run.characters == DIGITS else each for each, run in characters)


def _is_digits(codec: Codec) -> bool:
    """Return whether the texts have a fixed format in which only digits vary."""
    if codec.width is None or len(codec.language) != 1:
        return False
    varying = [run for run in codec.language[0] if run.characters[0][0] != run.characters[-1][1]]
    return bool(varying) and all(run.characters == DIGITS and not run.repeated for run in varying)
