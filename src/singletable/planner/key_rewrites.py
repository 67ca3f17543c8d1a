"""Which key attributes of an item's indexes an update writes anew, and which fields it has to know for that."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from singletable.model.entity import Entity
from singletable.model.fields import Field
from singletable.model.keys import KeyPart, Placement


@dataclass(frozen=True)
class KeyRewrite:
    """An item's place in an index, of whose keys some are made of a field that changes."""

    placement: Placement
    parts: tuple[KeyPart, ...]
    """The key attributes that are written or taken away; the others stay as they are."""
    needed: frozenset[str]
    """The fields whose values decide what is written."""
    is_left: bool
    """Whether the item leaves the index for certain, since it loses a field of its keys."""


def key_rewrites(entity: Entity, changed: AbstractSet[str], lost: AbstractSet[str]) -> Iterator[KeyRewrite]:
    """The places whose keys an update touches; `lost` are the changed fields that are None after it for certain."""
    for placement in entity.placements.values():
        if placement.index.is_table or not placement.fields & changed:
            continue
        if placement.fields & lost:
            yield KeyRewrite(placement, placement.parts, frozenset(), is_left=True)
        elif any(_may_be_missing(entity.fields[name]) for name in placement.fields):
            # An item that enters or leaves a sparse index does so with all its key attributes.
            yield KeyRewrite(placement, placement.parts, placement.fields, is_left=False)
        else:
            # Every item of the entity is in the index, so that its other key attributes are there and right.
            parts = tuple(part for part in placement.parts if part.fields & changed)
            yield KeyRewrite(placement, parts, frozenset().union(*(part.fields for part in parts)), is_left=False)


def _may_be_missing(field: Field) -> bool:
    """Whether an object may have no value there: `str | None`, or `str = None`."""
    return field.optional or field.is_none_unless_stored
