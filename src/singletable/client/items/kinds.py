"""Which entity an item is: by its type attribute, or by the templates of its key where it has none."""

from __future__ import annotations

from typing import Any

from singletable.client.items.decoder import Decoder, Item, key_value, made_of
from singletable.client.items.upgrader import Upgrader
from singletable.errors import KeyRefused
from singletable.model.design import Design
from singletable.model.entity import Entity


class Kinds:
    """The entities of a table, told apart, each with its decoders."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._type_attribute = design.settings.type_attribute
        self._by_name = {entity.name: entity for entity in design.entities}
        self._decoders: dict[tuple[type, type | None], Decoder] = {}
        versioned = (entity for entity in design.entities if entity.declaration.schema_version is not None)
        self._upgraders = {entity.cls: Upgrader(design, entity) for entity in versioned}

    def entity_of(self, item: Item) -> Entity | None:
        """The entity of an item; None for an item that is none of the model's."""
        if self._type_attribute is not None:
            named = item.get(self._type_attribute)
            if named is not None:
                return self._by_name.get(named.get("S", ""))
        return next((entity for entity in self._design.entities if _fits(entity, item)), None)

    def decoder(self, entity: Entity, view: type | None = None) -> Decoder:
        """What reads the items of an entity."""
        key = (entity.cls, view)
        decoder = self._decoders.get(key)
        if decoder is None:
            upgrader = self.upgrader(entity)
            guard = None if upgrader is None else upgrader.guard
            decoder = self._decoders[key] = Decoder(made_of(entity, view), guard)
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
    keys = {part.attribute: item.get(part.attribute) for part in entity.base.parts}
    if any(value is None for value in keys.values()):
        return False
    try:
        entity.base.decode({name: key_value(value) for name, value in keys.items() if value is not None})
    except KeyRefused:
        return False
    return True
