"""Entity changes: the writes of the new table that follow from the changes of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.client.connected_table import ConnectedTable
from singletable.client.items.decoder import decoded_class, make
from singletable.client.key import Key
from singletable.client.responses import Item
from singletable.client.write.item_actions import KeyId
from singletable.client.write.stored_expressions import all_of, same_stored_value
from singletable.client.write.write_intents import WriteIntent
from singletable.consolidation.row_mapping import MappedEntity, MappedRow
from singletable.errors import ItemRefused
from singletable.lazy_dataclass import replace
from singletable.model.entity import Entity
from singletable.planner.stored_items import field_value

Stored = Mapping[KeyId, Item | None]
"""The stored items of the new table, by key."""


@dataclass(frozen=True)
class RowChange:
    """A row as the mapping sees it before and after a write. A copied row has no `before`."""

    before: MappedRow | None
    after: MappedRow | None


class EntityChanges:
    """Computes the writes of the new table for changed rows. It writes only fields that a row has changed."""

    def __init__(self, table: ConnectedTable) -> None:
        self._table = table
        self._own: dict[type, tuple[str, ...]] = {}

    def mapped(self, rows: Iterable[MappedRow | None]) -> dict[KeyId, MappedEntity]:
        """Return the entities of some rows by key. Raise ItemRefused if two of them have the same key."""
        found: dict[KeyId, MappedEntity] = {}
        for row in rows:
            for each in () if row is None else row.entities:
                if found.setdefault(each.key_id, each) is not each:
                    raise ItemRefused(f"two rows, or two entities of a row, have the key of {each.label}")
        return found

    def keys(self, changes: Sequence[RowChange]) -> list[Item]:
        """Return the keys of all items of the new table that the changes concern."""
        rows = [row for each in changes for row in (each.before, each.after) if row is not None]
        return list({each.key_id: each.key for row in rows for each in row.entities}.values())

    def intents(self, changes: Sequence[RowChange], stored: Stored) -> list[WriteIntent]:
        """Return the writes for some changes, given the stored items. They fail if a stored item changes meanwhile."""
        before = self.mapped(each.before for each in changes)
        after = self.mapped(each.after for each in changes)
        intents: list[WriteIntent] = []
        for key, new in after.items():
            item = stored.get(key)
            known = None if item is None else self.stored_entity(item, new)
            if known is None:
                intents.append(self._table.writer.intents.whole("create", new.value))
            elif (changed := self._changed(before.get(key), new, known)) is not None:
                intents.append(self._put(item or {}, known, changed))
        for key, old in before.items():
            if key not in after:
                item = stored.get(key)
                intents.append(self._deletion(old, None if item is None else self.stored_entity(item, old)))
        return intents

    def left_out(self, intent: WriteIntent, stored: Stored) -> WriteIntent:
        """Return the write that replaces `intent`, so that its item does not exist afterwards."""
        entity = MappedEntity(intent.entity, make(decoded_class(intent.entity), intent.values))
        item = stored.get(entity.key_id)
        return self._deletion(entity, None if item is None else self.stored_entity(item, entity))

    def stored_entity(self, item: Item, expected: MappedEntity) -> MappedEntity:
        """Return a stored item as an object. Raise ItemRefused if it is not an item of the expected entity."""
        types = self._table.reader.item_types
        entity = types.entity_of(item)
        if entity is None or entity is not expected.entity:
            raise ItemRefused(f"the new table has another item with the key of {expected.label}")
        return MappedEntity(entity, types.decoder(entity).read(item))

    def differences(self, mapped: MappedEntity, stored: MappedEntity) -> list[str]:
        """Return the fields in which an entity differs from the stored one, except derived data."""
        return [name for name in self.own_fields(mapped.entity) if not _same(mapped, stored, name)]

    def own_fields(self, entity: Entity) -> tuple[str, ...]:
        """Return the fields that rows determine: all except the version, counters and copies."""
        known = self._own.get(entity.cls)
        if known is None:
            derived = self._table.writer.preparer.derived_data(entity)
            others = {entity.declaration.version, *derived.counters, *derived.copied_fields}
            others |= {ours for copy, _ in derived.copies for ours in copy.fields.values()}
            known = self._own[entity.cls] = tuple(name for name in entity.fields if name not in others)
        return known

    def _changed(self, before: MappedEntity | None, after: MappedEntity, stored: MappedEntity) -> Any:
        """Return the stored object with the fields that the row has changed, or None if nothing changes."""
        fields = self.own_fields(after.entity)
        if before is not None:
            fields = tuple(name for name in fields if not _same(before, after, name))
        changed = {name: after.values[name] for name in fields if not _same(after, stored, name)}
        return make(decoded_class(after.entity), {**stored.values, **changed}) if changed else None

    def _put(self, item: Item, stored: MappedEntity, changed: Any) -> WriteIntent:
        """Return the write of a changed object, which keeps attributes that the model does not declare."""
        intent = self._table.writer.intents.whole("put", changed)
        design, entity = self._table.reader.design, stored.entity
        declared = {*entity.attributes.values(), *design.table.key_attributes, design.settings.type_attribute}
        declared |= {part.attribute for placement in entity.placements.values() for part in placement.parts}
        declared.add(design.settings.schema_version_attribute)
        unknown = {name: value for name, value in item.items() if name not in declared}
        return replace(intent, unknown=unknown, unchanged=self._unchanged(stored))

    def _deletion(self, old: MappedEntity, stored: MappedEntity | None) -> WriteIntent:
        intents = self._table.writer.intents
        key: Key[Any] = Key(old.entity.cls, {name: old.values[name] for name in old.entity.base.fields})
        if stored is None:
            return intents.check(key, None, absent=True)
        return replace(intents.delete(stored.value, None), unchanged=self._unchanged(stored))

    def _unchanged(self, stored: MappedEntity) -> Any:
        preparer = self._table.writer.preparer
        return all_of(*preparer.unchanged(stored.entity, stored.values, self.own_fields(stored.entity)))


def _same(one: MappedEntity, other: MappedEntity, name: str) -> bool:
    """Return whether two objects have the same stored value in a field."""
    mine, theirs = one.values[name], other.values[name]
    if type(mine) is type(theirs) and mine == theirs:  # most fields; the stored forms of others can still be equal
        return True
    first, second = (field_value(each.entity, name, getattr(each.value, name)) for each in (one, other))
    return same_stored_value(first, second)
