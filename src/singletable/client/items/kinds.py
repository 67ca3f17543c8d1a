"""Which entity an item is: by its type attribute, or by the templates of its key where it has none."""

from __future__ import annotations

from typing import Any

from singletable.client.items.decoder import Decoder, Item, key_value, made_of
from singletable.client.items.rows import Row
from singletable.client.items.upgrader import Upgrader, UpgradingDecoder
from singletable.errors import KeyRefused
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keys import Placement
from singletable.model.settings import RESERVED_PREFIX


class Kinds:
    """The entities of a table, told apart, each with its decoders."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._type_attribute = design.settings.type_attribute
        self._by_name = {entity.name: entity for entity in design.entities}
        self._markers = [marker for entity in design.entities for marker in entity.uniques]
        self._decoders: dict[tuple[type, type | None], Decoder] = {}
        versioned = (entity for entity in design.entities if entity.declaration.schema_version is not None)
        self._upgraders = {entity.cls: Upgrader(design, entity) for entity in versioned}

    def entity_of(self, item: Item | Row) -> Entity | None:
        """The entity of an item; None for an item that is none of the model's."""
        if isinstance(item, Row):
            return item.entity
        if self._type_attribute is not None:
            named = item.get(self._type_attribute)
            if named is not None:
                return self._by_name.get(named.get("S", ""))
        return next((entity for entity in self._design.entities if _fits(entity, item)), None)

    def is_marker(self, item: Item | Row) -> bool:
        """Whether an item is one of the library's own, which no read returns: a unique marker or a token."""
        partition = item.get(self._design.table.partition[0].name) or {}
        is_reserved = str(partition.get("S", "")).startswith(RESERVED_PREFIX)
        return is_reserved or any(_holds(marker, item) for marker in self._markers)

    def kept_for(self, item: Item) -> Entity | None:
        """The entity for which a marker keeps a value unique; None for an item that is no marker."""
        return next((each for each in self._design.entities if any(_holds(m, item) for m in each.uniques)), None)

    def decoder(self, entity: Entity, view: type | None = None) -> Decoder:
        """What reads the items of an entity."""
        key = (entity.cls, view)
        decoder = self._decoders.get(key)
        if decoder is None:
            upgrader, made = self.upgrader(entity), made_of(entity, view)
            decoder = Decoder(made) if upgrader is None else UpgradingDecoder(made, upgrader)
            self._decoders[key] = decoder
        return decoder

    def upgrader(self, entity: Entity) -> Upgrader | None:
        """What takes items of older schema versions to the entity's; None for an entity without versions."""
        return self._upgraders.get(entity.cls)

    def read(self, item: Item) -> Any:
        """An item as the object it is; None for an item that is none of the model's."""
        entity = self.entity_of(item)
        return None if entity is None else self.decoder(entity).read(item)


def _fits(entity: Entity, item: Item) -> bool:
    """Whether the entity's own templates write the item's key."""
    return _holds(entity.base, item)


def _holds(placement: Placement, item: Item | Row) -> bool:
    keys = {part.attribute: item.get(part.attribute) for part in placement.parts}
    if any(value is None for value in keys.values()):
        return False
    try:
        placement.decode({name: key_value(value) for name, value in keys.items() if value is not None})
    except KeyRefused:
        return False
    return True
