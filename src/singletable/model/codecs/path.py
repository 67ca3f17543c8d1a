"""Paths in a key: a tuple of texts, one segment each, so that a subtree is one range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import Codec, Order
from singletable.model.codecs.exact import read_exactly
from singletable.model.codecs.text import ORDERED_DELIMITER, escape, field_characters, unescape
from singletable.model.language import Language, concat, fixed, repeated


@dataclass(frozen=True)
class PathCodec(Codec):
    """A `tuple[str, ...]` field; it has at least one element, and no empty one."""

    @property
    def language(self) -> Language:
        element = field_characters(self.delimiter)
        separator = (ord(self.delimiter), ord(self.delimiter))
        # An element is never empty, so the first character is no delimiter.
        return concat(fixed(element), repeated(tuple(sorted((*element, separator)))))

    @property
    def order(self) -> Order:
        return Order.ASCENDING if self.delimiter == ORDERED_DELIMITER else Order.NONE

    @property
    def unordered_reason(self) -> str:
        if self.order is Order.ASCENDING:
            return ""
        return f"elements of any length do not sort behind the delimiter {self.delimiter!r}; only '#' keeps their order"

    @property
    def spans_segments(self) -> bool:
        return True

    def encode(self, value: Any) -> str:
        elements: tuple[object, ...] = value
        texts = [each for each in elements if isinstance(each, str)] if isinstance(value, tuple) else None
        if texts is None or len(texts) < len(elements):
            raise KeyRefused(
                f"{value!r} is not a path for {{field:path}}; pass a tuple of texts, such as ('root', 'eng')"
            )
        if not texts:
            raise KeyRefused("() has no element, and {field:path} needs one; give the root a name, such as ('root',)")
        if "" in texts:
            raise KeyRefused(f"{value!r} has an empty element, which {{field:path}} cannot hold; leave it out")
        return self.delimiter.join(escape(text, self.delimiter) for text in texts)

    def decode(self, text: str) -> tuple[str, ...]:
        return read_exactly(self, text, self._parse, "a path, {field:path}")

    def _parse(self, text: str) -> tuple[str, ...]:
        return tuple(unescape(element, self.delimiter) for element in text.split(self.delimiter))
