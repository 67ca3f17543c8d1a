"""Item types: find the entity of an item by its type attribute or its key, and provide a decoder for each entity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from singletable.client.items.decoder import Decoder, Item, decoded_class, key_value
from singletable.client.items.rows import Row
from singletable.errors import KeyRefused
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keys import Placement
from singletable.model.table_schema import RESERVED_PREFIX

if TYPE_CHECKING:
    from singletable.client.items.upgrader import Upgrader  # only entities with schema versions need it


class ItemTypes:
    """Identifies the entity of each item in a table, and decodes the item."""

    def __init__(self, design: Design, former_names: Mapping[str, str] | None = None) -> None:
        """Store the design. `former_names` has the old names of entities that a migration is renaming."""
        self._design = design
        self._type_attribute = design.settings.type_attribute
        self._by_name = {name: each for each in design.entities for name in (each.name, *each.declaration.former_names)}
        self._by_name |= {old: self._by_name[new] for new, old in (former_names or {}).items()}
        self._markers = [marker for entity in design.entities for marker in entity.uniques]
        self._decoders: dict[tuple[type, type | None], Decoder] = {}
        versioned = (entity for entity in design.entities if entity.declaration.schema_version is not None)
        self._upgraders = {entity.cls: _upgrader(design, entity) for entity in versioned}

    def entity_of(self, item: Item | Row) -> Entity | None:
        """Return the entity of an item, or None if the item belongs to no entity of the model."""
        if isinstance(item, Row):
            return item.entity
        if self._type_attribute is not None:
            named = item.get(self._type_attribute)
            if named is not None:
                return self._by_name.get(named.get("S", ""))
        return next((entity for entity in self._design.entities if key_matches(entity.base, item)), None)

    def is_marker(self, item: Item | Row) -> bool:
        """Return whether an item is a unique marker or a transaction token. Reads never return these internal items."""
        partition = item.get(self._design.table.partition[0].name) or {}
        is_reserved = str(partition.get("S", "")).startswith(RESERVED_PREFIX)
        return is_reserved or any(key_matches(marker, item) for marker in self._markers)

    def marker_owner(self, item: Item) -> Entity | None:
        """Return the entity whose unique constraint a marker item enforces.

        Return None if the item is not a unique marker.
        """
        return next((each for each in self._design.entities if any(key_matches(m, item) for m in each.uniques)), None)

    def decoder(self, entity: Entity, view: type | None = None) -> Decoder:
        """Return the decoder for an entity's items, which creates whole objects or views."""
        key = (entity.cls, view)
        decoder = self._decoders.get(key)
        if decoder is None:
            upgrader, target = self.upgrader(entity), decoded_class(entity, view)
            decoder = Decoder(target) if upgrader is None else upgrader.decoder(target)
            self._decoders[key] = decoder
        return decoder

    def upgrader(self, entity: Entity) -> Upgrader | None:
        """Return the upgrader for an entity's items, or None if the entity has no schema version."""
        return self._upgraders.get(entity.cls)

    def read(self, item: Item) -> Any:
        """Decode an item into an object; return None if the item belongs to no entity of the model."""
        entity = self.entity_of(item)
        return None if entity is None else self.decoder(entity).read(item)


def _upgrader(design: Design, entity: Entity) -> Upgrader:
    from singletable.client.items.upgrader import Upgrader

    return Upgrader(design, entity)


def key_matches(placement: Placement, item: Item | Row) -> bool:
    """Return whether the key of an item matches the key templates of a placement."""
    keys = {part.attribute: item.get(part.attribute) for part in placement.parts}
    if any(value is None for value in keys.values()):
        return False
    try:
        placement.decode({name: key_value(value) for name, value in keys.items() if value is not None})
    except KeyRefused:
        return False
    return True
