"""Parts of keys: which segments look like literals, and which attribute names are those of generic keys."""

from __future__ import annotations

import re

from singletable.importers.live.sampled_table import Item

DELIMITER = "#"
# Letters, or capitals with one or two digits after at least two of them: GEO2 is a literal, U1 and A12 are ids.
_WORD = re.compile(r"[^\W\d_][^\W\d]*(?:[-.][^\W\d]+)*|[A-Z]{2,}[A-Z_-]*\d{1,2}")
_KEY_NAME = re.compile(r".*(?:PK|SK)\d*$", re.IGNORECASE)
_SORT_NAME = re.compile(r".*SK\d*$", re.IGNORECASE)
# `User:u1`, `id=5`; not a URL, and not a title such as `Alien: Covenant`.
_PREFIXED = re.compile(r"([^\W\d][^\W\d]+[:=|~])([^/\s].*)", re.DOTALL)


def looks_literal(text: str) -> bool:
    """Return whether a segment of a key looks like a literal: a word without digits."""
    return _WORD.fullmatch(text) is not None


def split_prefix(text: str) -> tuple[str, str] | None:
    """Return the literal that a segment starts with, such as `User:` in `User:u1`, and the rest; None without one."""
    found = _PREFIXED.fullmatch(text)
    return (found[1], found[2]) if found is not None else None


def is_key_name(attribute: str) -> bool:
    """Return whether an attribute has the name of a generic key: PK, SK, GSI1PK, gsi2-sk."""
    return _KEY_NAME.fullmatch(attribute) is not None


def is_sort_name(attribute: str) -> bool:
    """Return whether an attribute has the name of a generic sort key."""
    return _SORT_NAME.fullmatch(attribute) is not None


def segments_of(item: Item, attribute: str) -> list[str]:
    """Return the segments of a key that is a string; none for other types."""
    text = item.get(attribute, {}).get("S")
    return text.split(DELIMITER) if isinstance(text, str) else []
