"""The changes of stored items in a migration: new index keys, old index keys, and items of older schema versions."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from singletable.client.items.item_types import ItemTypes
from singletable.client.request_steps import Call
from singletable.client.responses import Item
from singletable.client.write.schema_versions import unchanged_conditions
from singletable.client.write.stored_expressions import all_of, attribute_equals, exists, expression_parameters
from singletable.conformance.item_comparison import ItemComparer, ItemComparison
from singletable.evolve.operation import Operation
from singletable.evolve.operations.keys_added import KeysAdded
from singletable.evolve.operations.keys_changed import KeysChanged
from singletable.evolve.snapshot_records import Snapshot
from singletable.expressions.tree import Change, Condition, Constant, Path
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keys import Placement, TemplatePart
from singletable.model.table_schema import TABLE


class ItemFailure(NamedTuple):
    """An item that a migration cannot convert, and the reason."""

    key: str
    reason: str


@dataclass(frozen=True)
class ItemChange:
    """The change of one stored item, and the conditions under which it may be written."""

    key: Item
    before: Item
    sets: Item
    removes: tuple[str, ...]
    guards: tuple[Condition, ...]

    @property
    def after(self) -> Item:
        """The item after the change."""
        return {name: value for name, value in self.before.items() if name not in self.removes} | self.sets

    def call(self, table: str) -> Call:
        """Return the conditional update."""
        changes = [Change("SET", Path((name,)), Constant(value)) for name, value in self.sets.items()]
        changes += [Change("REMOVE", Path((name,))) for name in self.removes]
        parameters = expression_parameters(all_of(*self.guards), tuple(changes))
        request = {"TableName": table, "Key": self.key, "ReturnConsumedCapacity": "TOTAL"}
        return Call("UpdateItem", request | parameters)


class ItemChanges:
    """Computes the changes of the items of one table from its old and its new design."""

    def __init__(self, before: Snapshot, design: Design, operations: Sequence[Operation]) -> None:
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

    def backfill(self, item: Item, now: float) -> ItemChange | ItemFailure | None:
        """Return the change that adds the new index keys to an item, or None if it needs none."""
        found = self._known(item, now)
        if not isinstance(found, ItemComparison) or found.entity is None or found.written is None:
            return found if isinstance(found, ItemFailure) else None
        placements = self._new[found.entity.name]
        names = [part.attribute for each in placements for part in each.parts if isinstance(part, TemplatePart)]
        sets = {name: found.written[name] for name in names if name in found.written}
        sets = {name: value for name, value in sets.items() if item.get(name) != value}
        removes = tuple(name for name in names if name in item and name not in found.written)
        fields = frozenset[str]().union(*(each.fields for each in placements))
        return self._change(item, found.entity, sets, removes, fields)

    def contract(self, item: Item, now: float) -> ItemChange | ItemFailure | None:
        """Return the change that removes old index keys and writes an item in its current schema version, or None."""
        entity = self._types.entity_of(item)
        if entity is None or entity.name not in self._cleaned:
            return None
        found = self._known(item, now)
        if not isinstance(found, ItemComparison) or found.written is None:
            return found if isinstance(found, ItemFailure) else None
        declared = {*entity.attributes.values()}
        sets: Item = {}
        removes = [name for name in self._index_keys - declared if name in item and name not in found.written]
        upgrader = self._types.upgrader(entity)
        fields: frozenset[str] = frozenset()
        if upgrader is not None and upgrader.is_older(item):
            upgraded = upgrader.upgraded(item)
            unknown = {name for name in upgrader.seen_by_upgrades(upgraded) if name not in declared}
            sets = {name: value for name, value in found.written.items() if item.get(name) != value}
            sets |= {name: upgraded[name] for name in unknown if item.get(name) != upgraded[name]}
            stays = {*found.written, *unknown, *self._index_keys}
            removes += [name for name in item if name not in stays]
        else:
            placements = [each for alias, each in entity.placements.items() if alias != TABLE]
            fields = frozenset[str]().union(*(each.fields for each in placements))
        return self._change(item, entity, sets, tuple(sorted(removes)), fields)

    def rollback(self, item: Item, now: float) -> ItemChange | ItemFailure | None:
        """Return the change that removes the new index keys of an item, or None."""
        entity = self._types.entity_of(item)
        if entity is None:
            return None
        declared = {*entity.attributes.values()}
        names = {part.attribute for each in self._new[entity.name] for part in each.parts} - declared
        return self._change(item, entity, {}, tuple(sorted(name for name in names if name in item)), frozenset())

    def verify(self, item: Item, now: float) -> ItemFailure | None:
        """Return why an item does not conform to the new design, or None."""
        found = self._known(item, now)
        if found is None or isinstance(found, ItemFailure):
            return found
        change = self.backfill(item, now)
        if isinstance(change, ItemChange):
            names = ", ".join((*change.sets, *change.removes))
            return ItemFailure(self._key_text(item), f"{names} do not match the fields of the item")
        return None

    def _known(self, item: Item, now: float) -> ItemComparison | ItemFailure | None:
        """Return an item compared with the new design. Return None if it belongs to no entity, or has expired."""
        if self._types.entity_of(item) is None or self._is_expired(item, now):
            return None
        found = self._comparer.compare(item)
        if found.written is None:
            problem = found.problems[0]
            detail = f": {problem.detail}" if problem.detail else ""
            return ItemFailure(self._key_text(item), f"{problem.reason}{detail}")
        return found

    def _is_expired(self, item: Item, now: float) -> bool:
        stored = item.get(self._design.ttl_attribute or "", {}).get("N")
        return stored is not None and float(stored) <= now

    def _change(
        self, item: Item, entity: Entity, sets: Item, removes: Collection[str], fields: frozenset[str]
    ) -> ItemChange | None:
        """Return a change whose conditions cover everything from which it was computed.

        Return None if nothing changes.
        """
        if not sets and not removes:
            return None
        changed: Mapping[str, None] = dict.fromkeys((*sets, *removes))
        guards: list[Condition] = [exists(self._design.table.partition[0].name)]
        upgrader = self._types.upgrader(entity)
        keys = set(self._design.table.key_attributes)
        seen = [*changed, *(entity.attributes[name] for name in sorted(fields))]
        if upgrader is not None and fields | sets.keys():
            if upgrader.is_older(item):
                guards += unchanged_conditions(upgrader, entity, item)
                seen = list(changed)
            else:
                seen.append(upgrader.attribute)
        known = {str(guard) for guard in guards}
        for name in dict.fromkeys(seen):
            guard = attribute_equals(name, item.get(name))
            if name not in keys and str(guard) not in known:
                guards.append(guard)
        key = {name: item[name] for name in self._design.table.key_attributes}
        return ItemChange(key, item, sets, tuple(removes), tuple(guards))

    def _key_text(self, item: Item) -> str:
        return json.dumps({name: item[name] for name in self._design.table.key_attributes}, ensure_ascii=False)


def _alias(operation: KeysAdded | KeysChanged) -> str:
    return operation.alias if isinstance(operation, KeysAdded) else operation.index_after.alias
