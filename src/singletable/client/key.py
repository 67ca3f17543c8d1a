"""Item keys given by field values, and the lookup of the entity that a key or an object belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from singletable.errors import ArgumentRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.fields import name_of

if TYPE_CHECKING:
    from singletable.model.design import Design  # imports all codecs, so a program without a table does not load it
    from singletable.model.entity import Entity

E = TypeVar("E")
E_co = TypeVar("E_co", covariant=True)


@dataclass(frozen=True)
class Key(Generic[E_co]):
    """The key of an item, given by the values of its key fields."""

    entity: type[E_co]
    values: Mapping[str, Any]

    def __hash__(self) -> int:
        return hash((self.entity, frozenset(self.values.items())))


def key(entity: type[E], **fields: object) -> Key[E]:
    """Return the key of an item: `key(Order, id="o1")`."""
    return Key(entity, fields)


class TableEntities:
    """Finds the entity of an object, class or key, and rejects an entity that is not in the table."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._by_class = {entity.cls: entity for entity in design.entities}

    def of(self, value: Any) -> Entity:
        """Return the entity of an object."""
        return self._by_class.get(type(value)) or self.of_class(type(value))

    def has(self, value: Any) -> bool:
        """Return whether a value is itself an object or key of the table, not a collection of objects or keys."""
        return type(value) in self._by_class or isinstance(value, Key)

    def of_class(self, cls: type) -> Entity:
        """Return the entity of a class."""
        entity = self._by_class.get(cls)
        if entity is not None:
            return entity
        known = ", ".join(each.label for each in self._design.entities)
        raise ArgumentRefused(f"{name_of(cls)} is not an entity of {self._design.name}, which has {known}")

    def of_key(self, key: Any) -> Entity:
        """Return the entity of a key. Raise ArgumentRefused if the key has a field that the entity does not have."""
        if not isinstance(key, Key):
            raise ArgumentRefused(f'{key!r} is not a key; write key({self._design.entities[0].label}, id="...")')
        entity = self.of_class(key.entity)
        if unknown := [name for name in key.values if name not in entity.fields]:
            has = ", ".join(sorted(entity.base.fields))
            raise ArgumentRefused(f"{entity.label} has no field {unknown[0]!r}; its key consists of {has}")
        return entity

    def named(self, target: Any) -> tuple[Entity, Mapping[str, Any]]:
        """Return the entity and the key fields of an object or a key."""
        if isinstance(target, Key):
            return self.of_key(target), target.values
        entity = self.of(target)
        return entity, {name: getattr(target, name) for name in entity.base.fields}
