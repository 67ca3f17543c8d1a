"""Codec for `UUID`: 36 lower-case characters, which sort like the UUIDs."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import Codec, read_exactly
from singletable.model.regular_language import CharacterSet, Language, concat, fixed, literal

_HEX: CharacterSet = ((ord("0"), ord("9")), (ord("a"), ord("f")))
_GROUPS = (8, 4, 4, 4, 12)


@dataclass(frozen=True)
class UuidCodec(Codec):
    """Encodes a `UUID`."""

    @property
    def language(self) -> Language:
        first, *others = (fixed(*[_HEX] * length) for length in _GROUPS)
        return concat(first, *(part for group in others for part in (literal("-"), group)))

    @property
    def width(self) -> int:
        return sum(_GROUPS) + len(_GROUPS) - 1

    @property
    def last_text(self) -> str:
        return "-".join("f" * length for length in _GROUPS)

    @property
    def spans_segments(self) -> bool:
        return self.delimiter == "-"

    def encode(self, value: Any) -> str:
        if not isinstance(value, UUID):
            shown = f"{value!r}" if isinstance(value, str) else "..."
            raise KeyRefused(f"{value!r} is not a UUID for {{field}}; pass UUID({shown})")
        return str(value)

    def decode(self, text: str) -> UUID:
        return read_exactly(self, text, UUID, "a UUID for {field}")
