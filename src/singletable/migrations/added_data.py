"""Derived data that a migration adds: unique markers, counters, copied fields and mirrored items.

The backfill writes the derived data of an item in one transaction with a check that the item is still the same. Old
code can leave derived data behind that no item requires, because it writes until the phase `backfill`; the backfill
deletes these items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from singletable.client.items.item_types import ItemTypes, key_matches
from singletable.client.responses import Item
from singletable.client.write.counter_marks import mark_attribute, owner_key
from singletable.client.write.derived_actions import OWNER, DerivedData, copied_fields
from singletable.client.write.index_key_changes import stored_or_none
from singletable.client.write.item_actions import ItemAction, key_id
from singletable.client.write.prepare_actions import Preparer
from singletable.client.write.stored_expressions import attribute_equals, exists, missing
from singletable.client.write.write_intents import item_label
from singletable.errors import ArgumentRefused, InvalidValue, ItemRefused, KeyRefused
from singletable.evolve.design_snapshot import copy_snapshot, count_snapshot
from singletable.evolve.operation import Operation
from singletable.evolve.operations.copy_added import CopyAdded
from singletable.evolve.operations.counter_added import CounterAdded
from singletable.evolve.operations.mirror_added import MirrorAdded
from singletable.evolve.operations.unique_added import UniqueAdded
from singletable.expressions.tree import Change, Condition, Constant, Path
from singletable.expressions.update_expression import ItemUpdate
from singletable.migrations.item_changes import Found, ItemChange, RelatedWrite
from singletable.migrations.renamed_attributes import RenamedAttributes
from singletable.model.derived_data import Copy, Count
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keys import Placement
from singletable.planner.stored_items import item_of, key_of

Fields = Mapping[str, Any]


class Missing(Exception):
    """A change depends on related items that were not read yet."""

    def __init__(self, *keys: Item) -> None:
        self.keys = keys
        super().__init__()


@dataclass
class ItemDraft:
    """The change of one item while it is computed."""

    item: Item
    entity: Entity
    values: dict[str, Any]
    written: Item
    """The item that the new design would write."""
    attributes: Item = field(default_factory=dict)
    """The attributes to set, except index keys."""
    removed: list[str] = field(default_factory=list)
    fields: frozenset[str] = frozenset()
    """The fields from which the change is computed."""
    related: list[RelatedWrite] = field(default_factory=list)


class AddedData:
    """The derived data that a migration adds to the items of a table."""

    def __init__(
        self, design: Design, operations: Sequence[Operation], types: ItemTypes, renamed: RenamedAttributes
    ) -> None:
        self._design, self._types, self._renamed = design, types, renamed
        self._preparer = Preparer(design, design.name, types, lambda: 0.0)
        self._partition = design.table.partition[0].name
        self._uniques: dict[str, list[Placement]] = {}
        self._counters: dict[str, list[tuple[Count, Entity]]] = {}
        self._copies: dict[str, list[tuple[Copy, Entity]]] = {}
        self._mirrors: dict[str, list[Entity]] = {}
        self._mirrored: dict[str, Entity] = {}
        for entity in design.entities:
            self._collect(entity, operations)

    def _collect(self, entity: Entity, operations: Sequence[Operation]) -> None:
        name, declaration = entity.name, entity.declaration
        rules = self._preparer.derived_data(entity)
        unique = {each.fields for each in operations if isinstance(each, UniqueAdded) and each.entity == name}
        counts = [each.count for each in operations if isinstance(each, CounterAdded) and each.entity == name]
        copies = [each.copy for each in operations if isinstance(each, CopyAdded) and each.entity == name]
        mirrors = {each.entity.name for each in operations if isinstance(each, MirrorAdded)}
        placed = zip(declaration.unique, entity.uniques, strict=True)
        self._uniques[name] = [placement for fields, placement in placed if fields in unique]
        codecs = declaration.codecs
        self._counters[name] = [each for each in rules.counted if count_snapshot(each[0], codecs) in counts]
        self._copies[name] = [each for each in rules.copies if copy_snapshot(each[0]) in copies]
        self._mirrors[name] = [each for each in rules.mirrors if each.name in mirrors]
        self._mirrored |= {each.name: entity for each in self._mirrors[name]}

    def complete(self, draft: ItemDraft, found: Found, now: float) -> str | None:
        """Add the derived data of an item to its change. Return why that is not possible, or None."""
        name = draft.entity.name
        problems = [self._copy(draft, copy, source, found) for copy, source in self._copies[name]]
        if self._copies[name] and not any(problems):
            try:
                draft.written = item_of(self._design, draft.entity, draft.values)
            except (ArgumentRefused, KeyRefused) as problem:
                problems.append(str(problem))
        if any(problems):
            return next(filter(None, problems))
        problems += [self._claim(draft, unique, found, now) for unique in self._uniques[name]]
        problems += [self._add_to_counter(draft, count, owner, found) for count, owner in self._counters[name]]
        problems += [self._mirror(draft, mirror, found) for mirror in self._mirrors[name]]
        return next(filter(None, problems), None)

    def creates(self, item: Item) -> bool:
        """Return whether an item is a marker or a mirrored item that the migration adds."""
        if any(key_matches(each, item) for placements in self._uniques.values() for each in placements):
            return True
        entity = self._types.entity_of(item) if self._mirrored else None
        return entity is not None and entity.name in self._mirrored

    def stale_item(self, item: Item, found: Found, now: float) -> ItemChange | None:
        """Return the deletion of a marker or mirrored item that no item requires, or None."""
        for entity in self._design.entities:
            for unique in self._uniques[entity.name]:
                if key_matches(unique, item):
                    owner = item.get(OWNER, {}).get("M")
                    return None if owner is None else self._stale_marker(item, owner, entity, unique, found)
        entity_of_mirror = self._types.entity_of(item) if self._mirrored else None
        if entity_of_mirror is not None and (source := self._mirrored.get(entity_of_mirror.name)) is not None:
            return self._stale_mirror(item, entity_of_mirror, source, found)
        return None

    def _stale_marker(
        self, item: Item, owner: Item, entity: Entity, unique: Placement, found: Found
    ) -> ItemChange | None:
        stored = self._found(owner, found)
        if stored is not None:
            values = self._values(entity, stored)
            if values is None or self._has_marker(entity, unique, values, item):
                return None
        check = self._check(owner, stored, entity, unique.fields)
        return self._deletion(item, (OWNER,), check)

    def _stale_mirror(self, item: Item, mirror: Entity, source: Entity, found: Found) -> ItemChange | None:
        values = self._values(mirror, item)
        if values is None:
            return None
        key = key_of(source, values)
        stored = self._found(key, found)
        if stored is not None:
            current = self._values(source, stored)
            if current is None or key_of(mirror, current) == self._key(item):
                return None
        check = self._check(key, stored, source, frozenset(mirror.fields) & source.fields.keys())
        return self._deletion(item, tuple(name for name in item if name not in self._key(item)), check)

    def _deletion(self, item: Item, names: Sequence[str], check: RelatedWrite) -> ItemChange:
        key = self._key(item)
        return ItemChange(key, item, unchanged={name: item.get(name) for name in names}, related=(check,), deletes=True)

    def _check(self, key: Item, stored: Item | None, entity: Entity, fields: frozenset[str]) -> RelatedWrite:
        """Return the check that another item is still missing, or still has the same values in some fields."""
        guards: tuple[Condition, ...] = (missing(self._partition),)
        if stored is not None:
            old = self._renamed.of(entity.name)
            names = sorted(old.get(entity.attributes[name], entity.attributes[name]) for name in fields)
            unchanged = (attribute_equals(name, stored.get(name)) for name in names if name not in key)
            guards = (exists(self._partition), *unchanged)
        return RelatedWrite(ItemAction("ConditionCheck", key, 0, guards=guards), stored, stored)

    def _claim(self, draft: ItemDraft, unique: Placement, found: Found, now: float) -> str | None:
        """Add the put of a unique marker. Return the conflict with another item, or None."""
        entity, draft.fields = draft.entity, draft.fields | unique.fields
        wanted = self._derived(entity).marker_item(unique, draft.values)
        if wanted is None:
            return None
        key, own = self._key(wanted), wanted[OWNER]
        stored = self._found(key, found)
        expiry = entity.declaration.ttl
        if expiry is not None:
            draft.fields |= {expiry}
        if stored == wanted:
            return None
        guards: tuple[Condition, ...] = (missing(self._partition),)
        if stored is not None:
            guards = tuple(attribute_equals(name, stored.get(name)) for name in stored if name not in key)
            if stored.get(OWNER) != own and not self._is_expired(stored, now):
                owner: Item = stored[OWNER]["M"]
                other = self._found(owner, found)
                values = None if other is None else self._values(entity, other)
                expired = other is not None and self._is_expired(other, now)
                if values is not None and not expired and self._has_marker(entity, unique, values, wanted):
                    shown = ", ".join(f"{name}={draft.values[name]!r}" for name in sorted(unique.fields))
                    return f"{item_label(entity, values)} has the same {shown}, which must be unique"
                draft.related.append(self._check(owner, other, entity, unique.fields))
        put = ItemAction("Put", key, 0, wanted, guards=guards)
        draft.related.append(RelatedWrite(put, stored, wanted))
        return None

    def _has_marker(self, entity: Entity, unique: Placement, values: Fields, marker: Item) -> bool:
        """Return whether an item with these fields has this unique marker."""
        item = self._derived(entity).marker_item(unique, values)
        return item is not None and self._key(item) == self._key(marker)

    def _add_to_counter(self, draft: ItemDraft, count: Count, owner: Entity, found: Found) -> str | None:
        """Add the mark of an item, and the change of the counter in the same transaction."""
        entity, name = draft.entity, mark_attribute(count, owner)
        draft.fields |= count.tracked_fields
        marked = draft.item.get(name, {}).get("M")
        wanted = owner_key(entity, count, owner, draft.values)
        if marked == wanted:
            return None
        draft.fields |= count.tracked_fields
        if wanted is None:
            draft.removed.append(name)
        else:
            draft.attributes[name] = {"M": wanted}
        for key, by in ((marked, -1), (wanted, 1)):
            stored = None if key is None else self._found(key, found)
            if key is None or (stored is None and by < 0):
                continue
            if stored is None:
                fields = {theirs: draft.values[ours] for theirs, ours in count.by.items()}
                return f"{item_label(owner, fields)} does not exist, so it cannot count the {entity.label}"
            path = Path((owner.attributes[count.field],))
            changes = (Change("ADD", path, Constant({"N": str(by)})),)
            action = ItemAction("Update", key, 0, None, changes, guards=(exists(self._partition),), counts_in=owner)
            draft.related.append(RelatedWrite(action, stored, ItemUpdate(changes).apply(stored, {})))
        return None

    def _copy(self, draft: ItemDraft, copy: Copy, source: Entity, found: Found) -> str | None:
        """Add the copied fields of an item, and the check that its source still has these values."""
        entity = draft.entity
        draft.fields |= {*copy.by.values()}
        by = {theirs: draft.values[ours] for theirs, ours in copy.by.items()}
        if None in by.values():
            return None
        key = key_of(source, by)
        stored = self._found(key, found)
        values = None if stored is None else self._values(source, stored)
        if stored is None or values is None:
            return f"{item_label(source, by)} does not exist, but {entity.label} copies its {', '.join(copy.fields)}"
        draft.related.append(self._check(key, stored, source, frozenset(copy.fields)))
        is_changed = False
        for name, value in copied_fields(copy, values).items():
            attribute, wanted = entity.attributes[name], stored_or_none(entity, name, value)
            draft.fields |= {name}
            draft.values[name] = value
            if wanted is not None:
                draft.attributes[attribute] = wanted
            elif attribute in draft.item:
                draft.removed.append(attribute)
            is_changed = is_changed or draft.item.get(attribute) != wanted
        if not is_changed:
            draft.related.pop()
        return None

    def _mirror(self, draft: ItemDraft, mirror: Entity, found: Found) -> str | None:
        """Add the put of the item that mirrors an item."""
        fields = {name: draft.values[name] for name in mirror.fields}
        draft.fields |= fields.keys()
        try:
            wanted = self._preparer.valid_derived(mirror, fields, "mirror").item
        except InvalidValue as problem:
            return str(problem)
        key = self._key(wanted)
        stored = self._found(key, found)
        if stored == wanted:
            return None
        guards: tuple[Condition, ...] = (missing(self._partition),)
        if stored is not None:
            guards = tuple(attribute_equals(name, value) for name, value in stored.items() if name not in key)
        draft.related.append(RelatedWrite(ItemAction("Put", key, 0, wanted, guards=guards), stored, wanted))
        return None

    def _derived(self, entity: Entity) -> DerivedData:
        return DerivedData(self._preparer, entity, 0)

    def _values(self, entity: Entity, item: Item) -> Fields | None:
        try:
            return self._preparer.read_fields(entity, self._renamed.new_form(entity.name, item))
        except (ItemRefused, ArgumentRefused):
            return None

    def _found(self, key: Item, found: Found) -> Item | None:
        """Return a related item. Raise Missing if it was not read yet."""
        try:
            return found[key_id(key)]
        except KeyError:
            raise Missing(key) from None

    def _key(self, item: Item) -> Item:
        return {name: item[name] for name in self._design.table.key_attributes}

    def _is_expired(self, item: Item, now: float) -> bool:
        stored = item.get(self._design.ttl_attribute or "", {}).get("N")
        return stored is not None and float(stored) <= now
