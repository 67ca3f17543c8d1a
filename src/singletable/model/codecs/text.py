"""Text in a key: every character up to and including `%` is written `%XX`, so that keys stay injective and sorted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import Codec, Order
from singletable.model.language import CharacterSet, Language, repeated, without

ESCAPE = "%"
ORDERED_DELIMITER = "#"
"""The one delimiter that sorts before every character a field can write, and so keeps the order of tuples."""
_LAST_CHARACTER = "\U0010ffff"

_ESCAPED = re.compile(r"%([0-9A-F]{2})")
_FIELD_CHARACTERS: CharacterSet = ((ord(ESCAPE), 0x10FFFF),)


def range_end(delimiter: str) -> str:
    """What ends a range: it sorts after everything that can follow a segment, and is never written.

    For `#` that is `$`, which also sorts before everything a field can write. Any other delimiter has field characters
    on both sides of it, so there the end is the last character of all, which such tables refuse in a field.
    """
    return "$" if delimiter == ORDERED_DELIMITER else delimiter + _LAST_CHARACTER


def field_characters(delimiter: str) -> CharacterSet:
    """The characters that the text of a field is written with."""
    return without(_FIELD_CHARACTERS, delimiter)


@cache
def _special(delimiter: str) -> re.Pattern[str]:
    """What a key does not hold as it is."""
    return re.compile(rf"[\x00-{ESCAPE}\ud800-\udfff{_LAST_CHARACTER}{re.escape(delimiter)}]")


def escape(text: str, delimiter: str) -> str:
    """The text as it stands in a key."""
    if _special(delimiter).search(text) is None:
        return text
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise KeyRefused(f"{text!r} holds half of a surrogate pair, which has no UTF-8 form; pass whole characters")
    if delimiter != ORDERED_DELIMITER and _LAST_CHARACTER in text:
        raise KeyRefused(f"{text!r} holds U+10FFFF, which ends ranges behind the delimiter {delimiter!r}")
    return "".join(
        f"%{ord(character):02X}" if character <= ESCAPE or character == delimiter else character for character in text
    )


def unescape(text: str, delimiter: str) -> str:
    """The text that `escape` was given; refuses what `escape` never writes."""
    plain = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    if escape(plain, delimiter) != text:
        raise KeyRefused(f"{text!r} is not the text of a key field: it is not escaped the way keys are")
    return plain


@dataclass(frozen=True)
class TextCodec(Codec):
    """A `str` field."""

    @property
    def language(self) -> Language:
        return repeated(field_characters(self.delimiter))

    @property
    def order(self) -> Order:
        return Order.ASCENDING if self.delimiter == ORDERED_DELIMITER else Order.NONE

    @property
    def unordered_reason(self) -> str:
        if self.order is Order.ASCENDING:
            return ""
        return f"text of any length does not sort behind the delimiter {self.delimiter!r}; only '#' keeps its order"

    @property
    def special(self) -> Callable[[str], object]:
        """Searches a text for a character that has to be escaped; returns None when there is none."""
        return _special(self.delimiter).search

    def encode(self, value: Any) -> str:
        if not isinstance(value, str):
            raise KeyRefused(f"{value!r} is not text (str)")
        return escape(value, self.delimiter)

    def decode(self, text: str) -> str:
        return unescape(text, self.delimiter)
