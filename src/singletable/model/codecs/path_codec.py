"""Codec for tree paths (`tuple[str, ...]`): one segment per element, so that a subtree is one range."""

from __future__ import annotations

from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import Codec, SortOrder, read_exactly
from singletable.model.codecs.text_codec import ORDERED_DELIMITER, escape, field_characters, unescape
from singletable.model.regular_language import Language, concat, fixed, repeated


@dataclass(frozen=True)
class PathCodec(Codec):
    """Encodes a `tuple[str, ...]` with at least one element and no empty elements."""

    @property
    def language(self) -> Language:
        element = field_characters(self.delimiter)
        separator = (ord(self.delimiter), ord(self.delimiter))
        # An element is never empty, so the first character is not a delimiter.
        return concat(fixed(element), repeated(tuple(sorted((*element, separator)))))

    @property
    def order(self) -> SortOrder:
        return SortOrder.ASCENDING if self.delimiter == ORDERED_DELIMITER else SortOrder.NONE

    @property
    def unordered_reason(self) -> str:
        if self.order is SortOrder.ASCENDING:
            return ""
        return (
            f"with the delimiter {self.delimiter!r}, elements of varying length do not sort correctly; use the "
            "delimiter '#'"
        )

    @property
    def spans_segments(self) -> bool:
        return True

    def encode(self, value: Any) -> str:
        elements: tuple[object, ...] = value
        texts = [each for each in elements if isinstance(each, str)] if isinstance(value, tuple) else None
        if texts is None or len(texts) < len(elements):
            raise KeyRefused(
                f"{value!r} is not a path for {{field:path}}; pass a tuple of str, such as ('root', 'eng')"
            )
        if not texts:
            raise KeyRefused(
                "() is empty, but {field:path} needs at least one element; pass a name for the root, such as ('root',)"
            )
        if "" in texts:
            raise KeyRefused(f"{value!r} has an empty element, which {{field:path}} does not support; remove it")
        return self.delimiter.join(escape(text, self.delimiter) for text in texts)

    def decode(self, text: str) -> tuple[str, ...]:
        return read_exactly(self, text, self._parse, "a path for {field:path}")

    def _parse(self, text: str) -> tuple[str, ...]:
        return tuple(unescape(element, self.delimiter) for element in text.split(self.delimiter))
