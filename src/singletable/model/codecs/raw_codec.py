"""Codec for raw text (`{field:raw}`) of existing tables; without escaping, a delimiter in the text is ambiguous."""

from __future__ import annotations

from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import Codec
from singletable.model.codecs.text_codec import escape
from singletable.model.regular_language import ANY_CHARACTER, ANYTHING, Language, repeated, without


@dataclass(frozen=True)
class RawCodec(Codec):
    """Encodes a `str` without escaping. Keys sort by this text only if the text is the last part of the key.

    If `closed` is True, another part of the key follows, so the text must not contain the delimiter.
    """

    closed: bool = False

    @property
    def language(self) -> Language:
        return repeated(without(ANY_CHARACTER, self.delimiter)) if self.closed else ANYTHING

    @property
    def raw(self) -> bool:
        return True

    @property
    def spans_segments(self) -> bool:
        return not self.closed

    def encode(self, value: Any) -> str:
        if not isinstance(value, str):
            raise KeyRefused(f"{value!r} is not a str for {{field:raw}}")
        if self.closed and self.delimiter in value:
            raise KeyRefused(
                f"{value!r} contains {self.delimiter!r}, which is only valid if {{field:raw}} is last in its key"
            )
        escape(value, self.delimiter)  # raises KeyRefused for characters that are not valid in keys
        return "".join(value)  # converts a str enum to its value

    def decode(self, text: str) -> str:
        return self.encode(text)
