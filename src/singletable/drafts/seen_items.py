"""What was seen of a table elsewhere: its keys, its indexes, and some of its items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Item = Mapping[str, Mapping[str, Any]]
"""An item of DynamoDB's JSON."""


PROJECTIONS: Mapping[str, Literal["ALL", "KEYS_ONLY", "INCLUDE"]] = {
    "ALL": "ALL",
    "KEYS_ONLY": "KEYS_ONLY",
    "INCLUDE": "INCLUDE",
}


@dataclass(frozen=True)
class SeenIndex:
    """An index as a description of the table has it."""

    name: str
    kind: Literal["GSI", "LSI"]
    partition: tuple[str, ...]
    sort: tuple[str, ...] = ()
    projection: Literal["ALL", "KEYS_ONLY", "INCLUDE"] = "ALL"
    included: tuple[str, ...] = ()


@dataclass(frozen=True)
class SeenTable:
    """A table with a sample of its items."""

    name: str
    keys: tuple[str, ...]
    indexes: tuple[SeenIndex, ...]
    items: tuple[Item, ...]
    ttl_attribute: str | None = None
    kinds: tuple[str | None, ...] = ()
    """The kind of each item, where somebody has said it; a kind may have keys of several forms."""
    templates: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The `${}` templates that somebody gave for kinds of items, by kind and by key attribute."""
    key_types: Mapping[str, str] = field(default_factory=dict)
    """The types of key attributes (S, N or B), for a table of which there are no items to tell them."""
