"""Conversion of stored items in a migration: the changes that fill, verify, clean and restore the items of a table."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from singletable.client.items.item_types import ItemTypes, key_matches
from singletable.client.responses import Item
from singletable.client.write.schema_versions import attributes_of_upgrade
from singletable.conformance.item_comparison import ItemComparer, ItemComparison
from singletable.evolve.dual_designs import renamed_entities, with_former_names
from singletable.evolve.moved_entities import MovedEntity
from singletable.evolve.operation import Operation
from singletable.evolve.operations.counter_added import CounterAdded
from singletable.evolve.operations.keys_added import KeysAdded
from singletable.evolve.operations.keys_changed import KeysChanged
from singletable.evolve.operations.mirror_dropped import MirrorDropped
from singletable.evolve.operations.unique_dropped import UniqueDropped
from singletable.evolve.restored_design import design_of
from singletable.evolve.snapshot_records import Snapshot
from singletable.migrations.added_data import AddedData, ItemDraft, Missing
from singletable.migrations.divided_items import DividedItems
from singletable.migrations.item_changes import Found, ItemChange, ItemFailure, NeedsItems
from singletable.migrations.moved_items import MovedItems
from singletable.migrations.renamed_attributes import RenamedAttributes
from singletable.model.derived_data import MARK
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keys import Placement, TemplatePart
from singletable.model.table_schema import TABLE

Computed = ItemChange | ItemFailure | NeedsItems | None


class ItemConversion:
    """Computes the changes of the items of one table from its old and its new design."""

    def __init__(
        self, before: Snapshot, design: Design, operations: Sequence[Operation], moved: Sequence[MovedEntity] = ()
    ) -> None:
        design = with_former_names(design, renamed_entities(operations))
        self._design, self._types, self._comparer = design, ItemTypes(design), ItemComparer(design)
        pairs = {(each.entity, _alias(each)) for each in operations if isinstance(each, KeysAdded | KeysChanged)}
        self._new: dict[str, list[Placement]] = {}
        for entity in design.entities:
            placed = [each for alias, each in entity.placements.items() if (entity.name, alias) in pairs]
            self._new[entity.name] = placed
        self._cleaned = frozenset[str]().union(*(each.cleaned for each in operations))
        old_keys = {name for alias, each in before.indexes.items() if alias != TABLE for name in each.attributes}
        own_keys = {
            part.attribute
            for entity in design.entities
            for alias, placement in entity.placements.items()
            if alias != TABLE
            for part in placement.parts
        }
        self._index_keys = (old_keys | own_keys) - set(design.table.key_attributes)
        self._renamed = RenamedAttributes(operations)
        self._added = AddedData(design, operations, self._types, self._renamed)
        self._dropped = _DroppedItems(before, operations)
        self._moved = MovedItems(design, moved, self._types)
        self._divided = DividedItems(before, design, operations)
        self._counters: dict[str, set[str]] = {}
        for each in operations:
            if isinstance(each, CounterAdded):
                owner = next(entity for entity in design.entities if entity.name == each.count.owner)
                self._counters.setdefault(owner.name, set()).add(owner.attributes[each.count.field])

    def backfill(self, item: Item, now: float, found: Found) -> Computed:
        """Return the change that adds the new form to an item and its related items, or None if it needs none."""
        if self._divided.contains(item):
            return self._divide(item, now, found)
        try:
            moved = self._moved.entity_of(item)
            if moved is not None:
                return self._move(moved, item, now, found)
            return self._backfilled(item, now, found)
        except Missing as missing:
            return NeedsItems(missing.keys)

    def _move(self, moved: MovedEntity, item: Item, now: float, found: Found, *, is_back: bool = False) -> Computed:
        change = self._moved.change(moved, item, found, self._key_text(item), is_back=is_back)
        # An expired item moves like the others. If it cannot move, it does not stop the migration.
        return None if isinstance(change, ItemFailure) and self._is_expired(item, now) else change

    def _divide(self, item: Item, now: float, found: Found) -> Computed:
        # The other half of an expired item would never expire. A merge deletes the other half.
        if not self._divided.merges and self._is_expired(item, now):
            return None
        change = self._divided.change(item, found, self._key_text(item))
        return None if isinstance(change, ItemFailure) and self._is_expired(item, now) else change

    def _backfilled(self, item: Item, now: float, found: Found) -> Computed:
        if (stale := self._added.stale_item(item, found, now)) is not None:
            return stale
        compared = self._known(item, now, is_old=True)
        if not isinstance(compared, ItemComparison) or compared.entity is None or compared.written is None:
            return compared if isinstance(compared, ItemFailure) else None
        entity = compared.entity
        draft = ItemDraft(item, entity, dict(compared.values), compared.written)
        problem = self._added.complete(draft, found, now)
        if problem is not None:
            return ItemFailure(self._key_text(item), problem)
        placements = self._new[entity.name]
        names = [part.attribute for each in placements for part in each.parts if isinstance(part, TemplatePart)]
        names += self._renamed.of(entity.name)
        wanted = {name: draft.written[name] for name in names if name in draft.written} | draft.attributes
        sets = {name: value for name, value in wanted.items() if item.get(name) != value}
        removes = {name for name in names if name in item and name not in draft.written}
        removes |= {name for name in draft.removed if name in item}
        fields = draft.fields.union(*(each.fields for each in placements))
        return self._change(item, entity, sets, tuple(sorted(removes)), fields, draft)

    def contract(self, item: Item, now: float, found: Found) -> Computed:
        """Return the change that removes the old form, and writes an item in its current schema version, or None."""
        if self._dropped.contains(item):
            return self._deletion(item)
        entity = self._types.entity_of(item)
        if entity is None or entity.name not in self._cleaned:
            return None
        compared = self._known(item, now)
        if not isinstance(compared, ItemComparison) or compared.written is None:
            return compared if isinstance(compared, ItemFailure) else None
        declared = {*entity.attributes.values()}
        sets: Item = {}
        removes = [name for name in self._index_keys - declared if name in item and name not in compared.written]
        removes += [name for name in item if name.startswith(MARK)]
        removes += [name for name in self._renamed.of(entity.name).values() if name in item]
        named = self._design.settings.type_attribute
        if named is not None and item.get(named) != compared.written[named]:
            sets[named] = compared.written[named]
        upgrader = self._types.upgrader(entity)
        fields: frozenset[str] = frozenset()
        if upgrader is not None and upgrader.is_older(item):
            upgraded = upgrader.upgraded(item)
            unknown = {name for name in upgrader.seen_by_upgrades(upgraded) if name not in declared}
            sets |= {name: value for name, value in compared.written.items() if item.get(name) != value}
            sets |= {name: upgraded[name] for name in unknown if item.get(name) != upgraded[name]}
            stays = {*compared.written, *unknown, *self._index_keys}
            removes += [name for name in item if name not in stays and name not in removes]
        else:
            placements = [each for alias, each in entity.placements.items() if alias != TABLE]
            fields = frozenset[str]().union(*(each.fields for each in placements))
        return self._change(item, entity, sets, tuple(sorted(removes)), fields)

    def rollback(self, item: Item, now: float, found: Found) -> Computed:
        """Return the change that removes the new form of an item, or None."""
        if self._divided.contains(item):
            return self._divided.change(item, found, self._key_text(item), is_back=True)
        if self._added.creates(item):
            return self._deletion(item)
        moved = self._moved.entity_of(item)
        if moved is not None:
            return self._move(moved, item, now, found, is_back=True)
        return self.reset(item, now, found, is_rollback=True)

    def reset(self, item: Item, now: float, found: Found, *, is_rollback: bool = False) -> Computed:
        """Return the change that removes counters and marks before the first item is counted, or None."""
        entity = self._types.entity_of(item)
        if entity is None:
            return None
        names = {name for name in item if name.startswith(MARK)} | self._counters.get(entity.name, set())
        if is_rollback:
            declared = {*entity.attributes.values()}
            names |= {part.attribute for each in self._new[entity.name] for part in each.parts} - declared
            names |= self._renamed.of(entity.name).keys()
        removes = tuple(sorted(name for name in names if name in item))
        return self._change(item, entity, {}, removes, frozenset())

    def verify(self, item: Item, now: float, found: Found) -> ItemFailure | NeedsItems | None:
        """Return why an item does not conform to the new design, or None."""
        compared = self._known(item, now, is_old=True)
        if isinstance(compared, ItemFailure):
            return compared
        change = self.backfill(item, now, found)
        if not isinstance(change, ItemChange):
            return change
        if self._divided.contains(item):
            return ItemFailure(self._key_text(item), "the item has its old form")
        if change.deletes and self._moved.entity_of(item) is not None:
            return ItemFailure(self._key_text(item), "the item has its old key")
        if change.deletes:
            return ItemFailure(self._key_text(item), "no item has the values from which it was derived")
        names = [*change.sets, *change.removes]
        names += [f"the item {self._key_text(each.action.key)}" for each in change.related if each.before != each.after]
        return ItemFailure(self._key_text(item), f"{', '.join(names)} do not match the fields of the item")

    def _known(self, item: Item, now: float, *, is_old: bool = False) -> ItemComparison | ItemFailure | None:
        """Return an item compared with the new design. Return None if it belongs to no entity, or has expired.

        With `is_old`, the old names of renamed attributes contain their values.
        """
        entity = self._types.entity_of(item)
        form = item if entity is None or not is_old else self._renamed.new_form(entity.name, item)
        if entity is None or self._is_expired(form, now):
            return None
        found = self._comparer.compare(form)
        if found.written is None:
            problem = found.problems[0]
            detail = f": {problem.detail}" if problem.detail else ""
            return ItemFailure(self._key_text(item), f"{problem.reason}{detail}")
        return found

    def _is_expired(self, item: Item, now: float) -> bool:
        stored = item.get(self._design.ttl_attribute or "", {}).get("N")
        return stored is not None and float(stored) <= now

    def _deletion(self, item: Item) -> ItemChange:
        key = {name: item[name] for name in self._design.table.key_attributes}
        unchanged = {name: value for name, value in item.items() if name not in key}
        return ItemChange(key, item, unchanged=unchanged, deletes=True)

    def _change(
        self,
        item: Item,
        entity: Entity,
        sets: Item,
        removes: Collection[str],
        fields: frozenset[str],
        draft: ItemDraft | None = None,
    ) -> ItemChange | None:
        """Return a change whose conditions cover everything from which it was computed.

        Return None if nothing changes.
        """
        related = () if draft is None else tuple(draft.related)
        if not sets and not removes and not related:
            return None
        changed = dict.fromkeys((*sets, *removes, *(() if draft is None else draft.attributes)))
        unchanged: dict[str, Any] = {}
        upgrader = self._types.upgrader(entity)
        keys = set(self._design.table.key_attributes)
        seen = [*changed, *(entity.attributes[name] for name in sorted(fields))]
        if draft is not None:
            seen += self._renamed.of(entity.name).values()
        if upgrader is not None and fields | sets.keys():
            if upgrader.is_older(item):
                unchanged |= attributes_of_upgrade(upgrader, entity, item)
                seen = list(changed)
            else:
                seen.append(upgrader.attribute)
        unchanged |= {name: item.get(name) for name in seen if name not in keys}
        key = {name: item[name] for name in self._design.table.key_attributes}
        return ItemChange(key, item, sets, tuple(removes), unchanged, related)

    def _key_text(self, item: Item) -> str:
        return json.dumps({name: item[name] for name in self._design.table.key_attributes}, ensure_ascii=False)


class _DroppedItems:
    """The derived items of the old design that the new design does not have: unique markers and mirrored items."""

    def __init__(self, before: Snapshot, operations: Sequence[Operation]) -> None:
        uniques = {(each.entity, each.fields) for each in operations if isinstance(each, UniqueDropped)}
        mirrors = {each.entity.name for each in operations if isinstance(each, MirrorDropped)}
        self._markers: list[Placement] = []
        self._types: ItemTypes | None = None
        self._mirrors = mirrors
        if not uniques and not mirrors:
            return
        old: Any = design_of(before)
        self._types = ItemTypes(old)
        for entity in old.entities:
            declared = zip(entity.declaration.unique, entity.uniques, strict=True)
            self._markers += [marker for fields, marker in declared if (entity.name, fields) in uniques]

    def contains(self, item: Item) -> bool:
        """Return whether an item is derived data that the new design does not have."""
        if self._types is None:
            return False
        if any(key_matches(each, item) for each in self._markers):
            return True
        entity = self._types.entity_of(item) if self._mirrors else None
        return entity is not None and entity.name in self._mirrors


def _alias(operation: KeysAdded | KeysChanged) -> str:
    return operation.alias if isinstance(operation, KeysAdded) else operation.index_after.alias
