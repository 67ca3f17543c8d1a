"""Table copies: computes the item of one table from the item of another table with other key attributes."""

from __future__ import annotations

from singletable.client.items.decoder import key_value
from singletable.client.items.item_types import ItemTypes
from singletable.client.responses import Item
from singletable.client.write.derived_actions import OWNER
from singletable.client.write.prepare_actions import Preparer
from singletable.errors import ItemRefused, KeyRefused
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keys import Placement
from singletable.model.table_schema import TABLE
from singletable.planner.stored_items import key_attribute_value


class TableCopies:
    """Computes the items of the target table from those of the source table. Both have the same classes."""

    def __init__(self, source: Design, target: Design) -> None:
        self.source, self.target = source, target
        self.key_names = source.table.key_attributes
        self.target_key_names = target.table.key_attributes
        self._types = ItemTypes(source)
        self._preparer = Preparer(source, source.name, self._types, lambda: 0.0)
        pairs = [(each, target.entity_of(each.cls)) for each in source.entities]
        self._placements = [(ours.base, theirs.base) for ours, theirs in pairs]
        self._markers = [pair for ours, theirs in pairs for pair in zip(ours.uniques, theirs.uniques, strict=True)]
        self._same_keys = source.table.partition == target.table.partition and source.table.sort == target.table.sort

    def key(self, key: Item) -> Item | None:
        """Return the key of the copy of an item, or None for an item of no entity that the target cannot contain."""
        for ours, theirs in (*self._placements, *self._markers):
            found = _translated(key, ours, theirs)
            if found is not None:
                return found
        return key if self._same_keys else None

    def item(self, item: Item) -> Item:
        """Return the copy of an item. Raise ItemRefused if it cannot be computed."""
        entity = self._types.entity_of(item)
        if entity is not None:
            return self._copy(item, entity, self.target.entity_of(entity.cls))
        key = {name: item[name] for name in self.key_names}
        found = self.key(key)
        if found is None:
            raise ItemRefused("the item belongs to no entity, so the new table has no key for it")
        copied = {name: value for name, value in item.items() if name not in key} | found
        owner = item.get(OWNER, {}).get("M")
        if isinstance(owner, dict) and owner.keys() == set(self.key_names) and (new := self.key(owner)) is not None:
            copied[OWNER] = {"M": new}
        return self._renamed(copied)

    def names(self, item: Item) -> frozenset[str]:
        """Return the attributes that the item has, or that a client can write into it. The key is not part of them."""
        entity = self._types.entity_of(item)
        names = {*item} | ({OWNER} if entity is None else self._own_names(entity))
        return frozenset(names - {*self.key_names})

    def _own_names(self, entity: Entity) -> set[str]:
        settings = self.source.settings
        system = {settings.type_attribute, settings.schema_version_attribute} - {None}
        keys = {part.attribute for each in entity.placements.values() for part in each.parts}
        return {*entity.attributes.values(), *keys, *(str(each) for each in system)}

    def _copy(self, item: Item, ours: Entity, theirs: Entity) -> Item:
        try:
            values = self._preparer.read_fields(ours, item)
            keys: Item = {}
            for alias, placement in theirs.placements.items():
                encoded = placement.encode(values)
                if encoded is None and alias == TABLE:
                    raise ItemRefused(f"{theirs.label} has no value for a field of its key")
                keys |= {name: key_attribute_value(value) for name, value in (encoded or {}).items()}
        except KeyRefused as problem:
            raise ItemRefused(str(problem)) from None
        fields = {*ours.attributes.values()}
        index_keys = {name for each in self.source.indexes.values() for name in each.key_attributes} - fields
        copied = {name: value for name, value in item.items() if name not in index_keys} | keys
        named = self.target.settings.type_attribute
        return self._renamed(copied) | ({} if named is None else {named: {"S": theirs.name}})

    def _renamed(self, item: Item) -> Item:
        """Return an item whose type and schema version are in the attributes of the target table."""
        for setting in ("type_attribute", "schema_version_attribute"):
            old, new = (getattr(each.settings, setting) for each in (self.source, self.target))
            if old != new and old in item:
                value = item.pop(old)
                item |= {} if new is None else {new: value}
        return item


def _translated(key: Item, ours: Placement, theirs: Placement) -> Item | None:
    """Return the key of the same fields in another placement, or None if the key belongs to another entity."""
    try:
        given = {name: key_value(value) for name, value in key.items()}
        values = ours.decode(given)
        if ours.encode(values) != given:
            return None
        found = theirs.encode(values)
    except KeyRefused:
        return None
    return None if found is None else {name: key_attribute_value(value) for name, value in found.items()}
