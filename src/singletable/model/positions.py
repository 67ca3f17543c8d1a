"""Key positions as an entity gives them: templates, native attributes, and keys that items may lack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Native:
    """A key position that is a field's own attribute, as tables have them that others made."""

    field: str
    format: str = ""


def native(field: str, format: str = "") -> Native:
    """Use a field's stored attribute itself as a key: text as S, numbers as N, bytes as B.

    `format` is that of a codec for a date or datetime, such as `"seconds"`.
    """
    return Native(field, format)


@dataclass(frozen=True)
class Sparse:
    """Keys of an index from which items are meant to be missing when a field of theirs is None."""

    keys: Any


Position = str | Native | tuple[str | Native, ...]
"""One key position: a template, a native attribute, or a tuple of these for a multi-attribute key."""

Keys = Position | tuple[Position, ...] | Sparse
"""An entity's keys in the table or in an index."""


def sparse(partition: Position, sort: Position | None = None) -> Sparse:
    """Give the keys of an index that holds only the items which have all of their fields.

    `gsi1=sparse("ASSIGNEE#{assignee}", "{due}#{id}")`; a pattern may use it if it speaks of the optional field.
    """
    return Sparse((partition,) if sort is None else (partition, sort))
