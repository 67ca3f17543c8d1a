"""Parts of keys: tests whether a segment looks like a literal, and whether a name is that of a generic key."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from singletable.importers.live.sampled_table import Item

DELIMITER = "#"
# Letters, or at least two capitals followed by one or two digits. GEO2 is a literal; U1 and A12 are identifiers.
_WORD = re.compile(r"[^\W\d_][^\W\d]*(?:[-.][^\W\d]+)*|[A-Z]{2,}[A-Z_-]*\d{1,2}")
_KEY_NAME = re.compile(r".*(?:PK|SK)\d*$", re.IGNORECASE)
_SORT_NAME = re.compile(r".*SK\d*$", re.IGNORECASE)
# Matches `User:u1` and `id=5`. It does not match a URL, or a title such as `Alien: Covenant`.
_PREFIXED = re.compile(r"([^\W\d][^\W\d]+[:=|~])([^/\s].*)", re.DOTALL)


def looks_literal(text: str) -> bool:
    """Return whether a segment of a key looks like a literal: a word without digits."""
    return _WORD.fullmatch(text) is not None


def split_prefix(text: str) -> tuple[str, str] | None:
    """Return the literal prefix of a segment, such as `User:` in `User:u1`, and the rest.

    Return None without a prefix.
    """
    found = _PREFIXED.fullmatch(text)
    return (found[1], found[2]) if found is not None else None


def is_key_name(attribute: str) -> bool:
    """Return whether an attribute has the name of a generic key: PK, SK, GSI1PK, gsi2-sk."""
    return _KEY_NAME.fullmatch(attribute) is not None


def is_sort_name(attribute: str) -> bool:
    """Return whether an attribute has the name of a generic sort key."""
    return _SORT_NAME.fullmatch(attribute) is not None


def segments_of(item: Item, attribute: str) -> list[str]:
    """Return the segments of a key that is a string. Return none for other types."""
    text = item.get(attribute, {}).get("S")
    return text.split(DELIMITER) if isinstance(text, str) else []


def words_of_key(item: Item, attribute: str) -> list[str]:
    """Return the segments of a key, without the empty segment before a delimiter at its start."""
    segments = segments_of(item, attribute)
    return segments[1:] if len(segments) > 1 and not segments[0] else segments


def identifiers(items: Iterable[Item], attributes: Collection[str]) -> dict[str, str]:
    """Return the words after a literal with several values, with this literal: `ada` of `USER#ada`, with `USER`."""
    after: dict[str, set[str]] = {}
    for item in items:
        for name in attributes:
            segments = words_of_key(item, name)
            if len(segments) == 2 and looks_literal(segments[0]):
                after.setdefault(segments[0], set()).add(segments[1])
    several = {head: words for head, words in after.items() if len(words) > 1}
    found = {word: head for head, words in several.items() for word in words if len(word) > 1 and looks_literal(word)}
    return {word: head for word, head in found.items() if not word.isupper() and word not in several}
