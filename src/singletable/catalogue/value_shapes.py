"""Shapes of key values: the literal parts of a value, without its other parts, and salted hashes of values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from singletable.errors import ArgumentRefused

AttributeValue = Mapping[str, Any]

UNKNOWN = "?"
"""The text that replaces a value, or a part of a value, in a shape."""
DELIMITERS = "#|:/"
LABELS_MAX = 12
"""The maximum number of different labels that can follow the same literal text. More labels are values."""
_SPLIT = re.compile(f"([{re.escape(DELIMITERS)}])")
_LABEL = re.compile(r"[A-Z][A-Z_]+")
_HASH_BYTES = 6


class ValueShapes:
    """Returns the shapes of values. A shape contains the labels of a value, such as `ORDER#?` for `ORDER#o-1042`.

    A part of a text is a label if it consists of two or more capital letters and underscores, and a delimiter follows
    it. A whole text of capital letters and underscores, such as `METADATA`, is a label too; `RequestShapes` keeps it
    only if another key of the request has a label with a delimiter. `labels` is another pattern for labels. Every other
    part becomes `?`. If more than twelve labels occur in the same place, all of them are values there, so free text in
    capital letters does not become part of a catalogue.
    """

    def __init__(self, labels: str | None = None) -> None:
        try:
            self._label = _LABEL if labels is None else re.compile(labels)
        except re.error as problem:
            raise ArgumentRefused(f"labels: {labels!r} is not a valid regular expression: {problem}") from None
        self._seen: dict[str, set[str]] = {}
        self.of_text = lru_cache(maxsize=4096)(self._of_text)

    def of(self, value: AttributeValue) -> str:
        """Return the shape of a value: of a string its labels, and otherwise only its type (`?N`)."""
        ((kind, content),) = value.items()
        if kind == "S":
            shape: str = self.of_text(content)
            return shape
        return f"{UNKNOWN}{kind}"

    def parts_of(self, value: AttributeValue) -> frozenset[int]:
        """Return hashes of a string or number, and of the parts of a string that are not labels.

        The recorder compares these hashes in memory to find related requests. It never writes them.
        """
        text = value.get("S")
        if text is None:
            return frozenset((hash(value["N"]),)) if "N" in value else frozenset()
        pieces = _SPLIT.split(text)
        parts = (part for part in pieces[::2] if part and self._label.fullmatch(part) is None)
        return frozenset((hash(text), *map(hash, parts))) if len(pieces) > 1 else frozenset((hash(text),))

    def _of_text(self, text: str) -> str:
        pieces = _SPLIT.split(text)
        if len(pieces) == 1:
            return self._label_or_unknown("", text)
        shape = ""
        for part, delimiter in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
            known = self._label_or_unknown(shape, part) if delimiter and part else (UNKNOWN if part else "")
            shape += known + delimiter
        # The time in a sort key, and other values with delimiters: `ORDER#2026-04-10T14:00:00Z`.
        return re.sub(rf"\?(?:[{re.escape(DELIMITERS[1:])}]\?)+", UNKNOWN, shape)

    def _label_or_unknown(self, before: str, part: str) -> str:
        if self._label.fullmatch(part) is None:
            return UNKNOWN
        seen = self._seen.setdefault(before, set())
        if part not in seen:
            if len(seen) >= LABELS_MAX:
                return UNKNOWN
            seen.add(part)
        return part


class ValueHashes:
    """Returns hashes of values. A random salt per recording makes it impossible to find a value by its hash."""

    def __init__(self, salt: bytes) -> None:
        self._salt = salt
        self.of_text = lru_cache(maxsize=4096)(self._of_text)

    def of(self, *values: AttributeValue) -> str:
        """Return the hash of one or more values."""
        text: str = self.of_text("\0".join(f"{kind}{content}" for each in values for kind, content in each.items()))
        return text

    def _of_text(self, text: str) -> str:
        return blake2b(text.encode(errors="surrogatepass"), digest_size=_HASH_BYTES, key=self._salt).hexdigest()
