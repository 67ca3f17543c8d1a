"""Raw text in a key: as it is, for tables that exist already; a delimiter inside it can forge another key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import Codec
from singletable.model.codecs.text import escape
from singletable.model.language import ANY_CHARACTER, ANYTHING, Language, repeated, without


@dataclass(frozen=True)
class RawCodec(Codec):
    """A `str` field that keeps its raw text; it sorts as text only where it stands last.

    `closed` is for a place before the end of a key: there a text with the delimiter would be read as two segments.
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
            raise KeyRefused(f"{value!r} is not text (str) for {{field:raw}}; pass a str")
        if self.closed and self.delimiter in value:
            raise KeyRefused(
                f"{value!r} holds {self.delimiter!r}, and more follows {{field:raw}} in its key; escape it"
            )
        escape(value, self.delimiter)  # refuses what no key can hold; what it writes is for others
        return "".join(value)  # a member of a text enumeration becomes the text it stands for

    def decode(self, text: str) -> str:
        return self.encode(text)
