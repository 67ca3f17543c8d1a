"""What a write keeps right beside its own item, as far as it shows in a plan: in words, in items and in requests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from singletable.model.copies import Copy
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import WriteKind
from singletable.model.keeping import Keeping, keeping_of
from singletable.model.keys import Placement


@dataclass(frozen=True)
class KeptItem:
    """Other items of one kind that are written or looked at with an item, and what they are in words."""

    role: Literal["marker", "counter", "mirror", "source", "copies"]
    what: str
    entity: Entity
    """The entity that is written or looked at; of a marker, the one that it is a marker of."""
    fields: frozenset[str] = frozenset()
    """The fields of the written item that decide where the other one lies."""
    changes: frozenset[str] = frozenset()
    """The fields of the other item that change."""
    marker: Placement | None = None
    copy: Copy | None = None


@dataclass(frozen=True)
class Kept:
    """The other items of a write's transaction, and the reads that it begins and ends with."""

    parts: tuple[KeptItem, ...]
    reads: int
    looks_first: bool

    @property
    def what(self) -> tuple[str, ...]:
        """The other items in words."""
        return tuple(part.what for part in self.parts)


def kept_by(design: Design, entity: Entity, kind: WriteKind, changed: frozenset[str]) -> Kept | None:
    """What a write keeps right beside its item; None when there is nothing."""
    keeping = keeping_of(design.entities, entity)
    if kind == "update" and not changed & keeping.decisive:
        return None
    parts = tuple(_parts(entity, keeping, kind, changed))
    if not parts:
        return None
    is_source = any(not changed or changed & set(copy.fields) for copy, _ in keeping.given) and kind != "delete"
    follows_item = bool(keeping.follows_existence or keeping.given or keeping.counters)
    looks_first = kind == "update" or (kind != "create" and follows_item)
    reads_back = kind == "update"  # a transaction does not return what it has made of an item
    return Kept(parts, looks_first + 2 * len(keeping.given) * is_source + reads_back, looks_first)


def _parts(entity: Entity, keeping: Keeping, kind: WriteKind, changed: frozenset[str]) -> Iterator[KeptItem]:
    for unique in keeping.uniques:
        if not changed or changed & unique.fields:
            words = f"the marker of {' and '.join(sorted(unique.fields))}"
            yield KeptItem("marker", words, entity, unique.fields, marker=unique)
    for count, owner in keeping.counted:
        if not changed or changed & count.decisive:
            words, by = f"{count.field} of its {owner.label}", frozenset(count.by.values())
            yield KeptItem("counter", words, owner, by, frozenset((count.field,)))
    for mirror in keeping.mirrors:
        if not changed or changed & mirror.fields.keys():
            changes = (changed or frozenset(mirror.fields)) & mirror.fields.keys()
            yield KeptItem("mirror", f"its mirror {mirror.label}", mirror, mirror.base.fields, changes)
    if kind == "delete":
        return
    for copy, source in keeping.held:
        by = frozenset(copy.by.values())
        if not changed or changed & by:
            yield KeptItem("source", f"a look at the {source.label} that it repeats", source, by)
    for copy, holder in keeping.given:
        if not changed or changed & set(copy.fields):
            words, changes = f"every {holder.label} that repeats it", frozenset(copy.fields.values())
            yield KeptItem("copies", words, holder, frozenset(copy.fields), changes, copy=copy)
