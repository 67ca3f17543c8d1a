"""Effects of a write on more than its own attributes: derived data in other items, and index keys to recompute."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Literal

from singletable.lazy_dataclass import dataclass
from singletable.model.derived_data import Copy, DerivedDataRules, derived_data_of
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.fields import Field
from singletable.model.intents import WriteKind
from singletable.model.keys import KeyPart, Placement


@dataclass(frozen=True)
class DerivedItem:
    """Items of one kind that a write changes or checks, in addition to its own item."""

    role: Literal["marker", "counter", "mirror", "source", "copies"]
    what: str
    """A description, such as `the unique marker of email`."""
    entity: Entity
    """The entity that is written or checked. For a unique marker, the entity that the marker protects."""
    fields: frozenset[str] = frozenset()
    """The fields of the written item that determine the key of the other item."""
    changes: frozenset[str] = frozenset()
    """The fields of the other item that change."""
    marker: Placement | None = None
    copy: Copy | None = None


@dataclass(frozen=True)
class DerivedWrites:
    """The other items in a write's transaction, and the reads before and after it."""

    parts: tuple[DerivedItem, ...]
    reads: int
    reads_item_first: bool

    @property
    def what(self) -> tuple[str, ...]:
        """Descriptions of the other items that the transaction writes or checks."""
        return tuple(part.what for part in self.parts)


def derived_writes(design: Design, entity: Entity, kind: WriteKind, changed: frozenset[str]) -> DerivedWrites | None:
    """Return the derived data that a write keeps in sync. Return None if there is none."""
    rules = derived_data_of(design.entities, entity)
    if kind == "update" and not changed & rules.tracked_fields:
        return None
    parts = tuple(_parts(entity, rules, kind, changed))
    if not parts:
        return None
    is_source = any(not changed or changed & set(copy.fields) for copy, _ in rules.copied_by) and kind != "delete"
    follows_item = bool(rules.tracks_existence or rules.copied_by or rules.counters)
    reads_item_first = kind == "update" or (kind != "create" and follows_item)
    reads_back = kind == "update"  # a transaction does not return the new item
    return DerivedWrites(parts, reads_item_first + 2 * len(rules.copied_by) * is_source + reads_back, reads_item_first)


def _parts(entity: Entity, rules: DerivedDataRules, kind: WriteKind, changed: frozenset[str]) -> Iterator[DerivedItem]:
    for unique in rules.uniques:
        if not changed or changed & unique.fields:
            words = f"the unique marker of {' and '.join(sorted(unique.fields))}"
            yield DerivedItem("marker", words, entity, unique.fields, marker=unique)
    for count, owner in rules.counted:
        if not changed or changed & count.tracked_fields:
            words, by = f"the counter {count.field} of its {owner.label}", frozenset(count.by.values())
            yield DerivedItem("counter", words, owner, by, frozenset((count.field,)))
    for mirror in rules.mirrors:
        if not changed or changed & mirror.fields.keys():
            changes = (changed or frozenset(mirror.fields)) & mirror.fields.keys()
            yield DerivedItem("mirror", f"its mirrored {mirror.label}", mirror, mirror.base.fields, changes)
    if kind == "delete":
        return
    for copy, source in rules.copies:
        by = frozenset(copy.by.values())
        if not changed or changed & by:
            yield DerivedItem("source", f"a check of the {source.label} that it copies from", source, by)
    for copy, holder in rules.copied_by:
        if not changed or changed & set(copy.fields):
            words, changes = f"every {holder.label} that copies from it", frozenset(copy.fields.values())
            yield DerivedItem("copies", words, holder, frozenset(copy.fields), changes, copy=copy)


@dataclass(frozen=True)
class KeyRewrite:
    """The key attributes of one index that an update writes again or removes, because a field in these keys changes."""

    placement: Placement
    parts: tuple[KeyPart, ...]
    """The key attributes to set or remove. The other attributes do not change."""
    needed: frozenset[str]
    """The fields whose values are needed to compute the new keys."""
    is_left: bool
    """Whether the item leaves the index in every case, because it loses a field of its keys."""


def key_rewrites(entity: Entity, changed: AbstractSet[str], lost: AbstractSet[str]) -> Iterator[KeyRewrite]:
    """Yield the index keys that an update changes.

    `lost` are the changed fields that are always None after the update.
    """
    for placement in entity.placements.values():
        if placement.index.is_table or not placement.fields & changed:
            continue
        if placement.fields & lost:
            yield KeyRewrite(placement, placement.parts, frozenset(), is_left=True)
        elif any(_may_be_missing(entity.fields[name]) for name in placement.fields):
            # An item can enter or leave this sparse index, so the update sets or removes all key attributes.
            yield KeyRewrite(placement, placement.parts, placement.fields, is_left=False)
        else:
            # Every item of the entity is in the index, so its other key attributes exist and are correct.
            parts = tuple(part for part in placement.parts if part.fields & changed)
            yield KeyRewrite(placement, parts, frozenset().union(*(part.fields for part in parts)), is_left=False)


def _may_be_missing(field: Field) -> bool:
    """Return whether the field may have no value, because of its type (`str | None`) or its default (`str = None`)."""
    return field.optional or field.is_none_unless_stored
