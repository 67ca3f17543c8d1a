"""Codec for `str`: characters up to `%` are escaped as `%XX`, so that keys stay unambiguous and sorted."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import Codec, SortOrder
from singletable.model.regular_language import CharacterSet, Language, repeated, without

ESCAPE = "%"
ORDERED_DELIMITER = "#"
"""The only delimiter that sorts before all characters of fields.

With this delimiter, keys sort like the tuples of their fields.
"""
_LAST_CHARACTER = "\U0010ffff"

_ESCAPED = r"%([0-9A-F]{2})"
_FIELD_CHARACTERS: CharacterSet = ((ord(ESCAPE), 0x10FFFF),)


def range_end(delimiter: str) -> str:
    """Return the text that you append to a segment to form the end of a range. No key contains this text.

    The end sorts after all keys in which the segment is followed by the delimiter, and before all longer segments.
    For the delimiter `#`, the text is `$`, which sorts between `#` and the field characters. Other delimiters sort
    among the field characters, so the text is the delimiter and the last Unicode character. Fields of such keys must
    not contain that character.
    """
    return "$" if delimiter == ORDERED_DELIMITER else delimiter + _LAST_CHARACTER


def field_characters(delimiter: str) -> CharacterSet:
    """Return the characters that can occur in an encoded field."""
    return without(_FIELD_CHARACTERS, delimiter)


@cache
def _special(delimiter: str) -> re.Pattern[str]:
    """Return the pattern of characters that must be escaped or are invalid."""
    return re.compile(rf"[\x00-{ESCAPE}\ud800-\udfff{_LAST_CHARACTER}{re.escape(delimiter)}]")


def escape(text: str, delimiter: str) -> str:
    """Return the escaped text, as it is written into a key."""
    if _special(delimiter).search(text) is None:
        return text
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise KeyRefused(f"{text!r} contains a lone surrogate, which cannot be encoded as UTF-8")
    if delimiter != ORDERED_DELIMITER and _LAST_CHARACTER in text:
        raise KeyRefused(f"{text!r} contains U+10FFFF, which is reserved for ranges with the delimiter {delimiter!r}")
    return "".join(
        f"%{ord(character):02X}" if character <= ESCAPE or character == delimiter else character for character in text
    )


def unescape(text: str, delimiter: str) -> str:
    """Return the original text. Raise KeyRefused if `escape` cannot produce the given text."""
    original = re.sub(_ESCAPED, lambda match: chr(int(match[1], 16)), text) if ESCAPE in text else text
    if escape(original, delimiter) != text:
        raise KeyRefused(f"{text!r} is not a field of a key: it is not escaped correctly")
    return original


@dataclass(frozen=True)
class TextCodec(Codec):
    """Encodes a `str`."""

    @property
    def language(self) -> Language:
        return repeated(field_characters(self.delimiter))

    @property
    def order(self) -> SortOrder:
        return SortOrder.ASCENDING if self.delimiter == ORDERED_DELIMITER else SortOrder.NONE

    @property
    def unordered_reason(self) -> str:
        if self.order is SortOrder.ASCENDING:
            return ""
        return f"with the delimiter {self.delimiter!r}, text of varying length does not sort correctly; use '#'"

    @property
    def special(self) -> Callable[[str], object]:
        """A function that searches a text for a character to escape. It returns None if there is none."""
        return _special(self.delimiter).search

    def encode(self, value: Any) -> str:
        if not isinstance(value, str):
            raise KeyRefused(f"{value!r} is not a str")
        return escape(value, self.delimiter)

    def decode(self, text: str) -> str:
        return unescape(text, self.delimiter)
