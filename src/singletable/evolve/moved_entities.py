"""Moved entities: the entities whose items a migration moves to new keys, and the proof that no two keys are equal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from singletable.errors import KeyRefused
from singletable.evolve.field_types import type_document
from singletable.evolve.operations.base_key_changed import BaseKeyChanged
from singletable.evolve.restored_design import design_of
from singletable.evolve.snapshot_records import EntitySnapshot, Snapshot
from singletable.lazy_dataclass import dataclass
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keys import KeyValue, Placement
from singletable.model.regular_language import overlap
from singletable.planner.stored_items import Item, key_attribute_value, key_of


@dataclass(frozen=True)
class MovedEntity:
    """An entity with its old and with its new keys. Both have the fields of the new code."""

    old: Entity
    new: Entity

    @cached_property
    def is_exact(self) -> bool:
        """Whether each of the two keys of an item can be computed from the other one."""
        old, new = self.old.base, self.new.base
        return old.fields <= new.exact_fields and new.fields <= old.exact_fields

    def keys(self, values: Mapping[str, Any]) -> tuple[Item, Item]:
        """Return the old and the new key of an item with these fields."""
        return key_of(self.old, values), key_of(self.new, values)

    def keys_of(self, key: Item) -> tuple[Item, Item] | None:
        """Return the old and the new key of an item, given either key. Return None for the key of another entity."""
        texts: dict[str, KeyValue] = {name: typed["S"] for name, typed in key.items() if "S" in typed}
        for known, other in ((self.new.base, self.old.base), (self.old.base, self.new.base)):
            try:
                values = known.decode(texts)
                if known.encode(values) != texts:
                    continue
                found = other.encode(values)
            except KeyRefused:
                continue
            if found is not None:
                second = {name: key_attribute_value(value) for name, value in found.items()}
                return (second, key) if known is self.new.base else (key, second)
        return None


def key_conflicts(before: Snapshot, design: Design, operations: tuple[Any, ...]) -> Iterator[str]:
    """Yield the reasons why an item could get the key of another item, if the operations move items."""
    moves = [each for each in operations if isinstance(each, BaseKeyChanged)]
    if not moves:
        return
    old_design = design_of(before)
    old = {each.name: each for each in old_design.entities}
    new = {each.name: each for each in design.entities}
    for move in moves:
        ours, theirs = new[move.entity], old[move.entity]
        if overlaps(ours.base, theirs.base) and not _differs_in_derived_values(move, before, ours):
            yield (
                f"{move.label}: a new key can equal the old key of another {move.label}, so the two key spaces are not "
                f"disjoint: {move.before} and {move.after}. Start the new partition or sort key with another literal."
            )
        for one, others, when in ((ours, old, "old"), (theirs, new, "new")):
            for name, other in others.items():
                if name != move.entity and overlaps(one.base, other.base):
                    yield (
                        f"{move.label}: its {'new' if when == 'old' else 'old'} key can equal the {when} key of "
                        f"{other.label}. Start the new partition or sort key with another literal."
                    )


def overlaps(one: Placement, other: Placement) -> bool:
    """Return whether two entities can have the same key."""
    parts = {part.attribute: part for part in other.parts}
    return all(overlap(part.language, parts[part.attribute].language) for part in one.parts)


def _differs_in_derived_values(move: BaseKeyChanged, before: Snapshot, entity: Entity) -> bool:
    """Return whether only computed values differ, such as the number of shards.

    Then two equal keys contain equal fields, so they belong to the same item.
    """
    record = before.entities[move.entity]
    same_texts = (move.before.partition, move.before.sort) == (move.after.partition, move.after.sort)
    return same_texts and entity.base.fields <= entity.base.exact_fields and _has_types_of(record, entity)


def _has_types_of(record: EntitySnapshot, entity: Entity) -> bool:
    stored = {each.name: each.type for each in record.fields}
    codecs = entity.declaration.codecs
    return all(stored.get(name) == type_document(entity.fields[name].type, codecs) for name in entity.base.fields)
