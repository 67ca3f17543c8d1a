"""Single writes: put, create, update, upsert, delete and move, each with all that it keeps right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from singletable.client.items.decoder import made_of, make
from singletable.client.reading.reader import Reader
from singletable.client.steps import Steps, pause
from singletable.client.writing.committing import Committing, Done
from singletable.client.writing.holders import Holders
from singletable.client.writing.preparing import Preparing
from singletable.client.writing.stored_tree import all_of
from singletable.client.writing.wanted import Wanted
from singletable.errors import ArgumentRefused, NotFound, VersionConflict
from singletable.model.entity import Entity
from singletable.model.keeping import keeping_of
from singletable.planner.items import key_of, values_of


class Writer:
    """A table's design with everything that writing it needs."""

    def __init__(self, reader: Reader, *, is_told: bool) -> None:
        self.reader = reader
        self.design = reader.design
        keepings = {each.cls: keeping_of(self.design.entities, each) for each in self.design.entities}
        self.preparing = Preparing(self.design, reader.kinds, keepings, reader.now)
        self.committing = Committing(reader, self.preparing, Holders(reader, self.preparing), is_told=is_told)
        self._by_class = {entity.cls: entity for entity in self.design.entities}

    def put(self, value: Any, *, source: str = "put") -> Steps[Any]:
        """Writes an object in place of the one with its key; with a version, only of the one it was read as."""
        return self._written(self.whole("put", value), source)

    def create(self, value: Any, *, source: str = "create") -> Steps[Any]:
        """Writes an object that must not be there yet."""
        return self._written(self.whole("create", value), source)

    def upsert(self, value: Any, *, source: str = "upsert") -> Steps[Any]:
        """Writes every field of an object, and leaves what else the item has; makes the item when it is not there."""
        return self._changed(self.whole("upsert", value), source)

    def update(self, wanted: Wanted, *, source: str = "update") -> Steps[Any]:
        """Changes fields of an item that is there, and every index key that is made of them; returns the new object."""
        return self._changed(wanted, source)

    def delete(self, wanted: Wanted, *, source: str = "delete") -> Steps[Any]:
        """Takes an item away, if the condition holds; returns what was there."""
        entity = wanted.entity
        done = yield from self.committing.commit([wanted], source=source)
        if done.is_transaction:
            old = done.prepared[0].old
            return None if old is None else make(made_of(entity), old)
        return None if done.attributes is None else self.reader.kinds.decoder(entity).read(done.attributes)

    def move(self, old: Any, new: Any, *, source: str = "move") -> Steps[Any]:
        """Takes an object away and writes another in its place, under another key, if nobody has changed it since."""
        wanted = self.moved(old, new)
        done = yield from self.committing.commit(wanted, source=source)
        return self._object(done, 1, new)

    def moved(self, old: Any, new: Any) -> tuple[Wanted, Wanted]:
        """The two writes of a move."""
        entity = self.entity_of(old)
        if self.entity_of(new) is not entity:
            raise ArgumentRefused(f"a {entity.label} cannot be moved to a {type(new).__name__}")
        values = values_of(entity, old)
        if key_of(entity, values) == key_of(entity, values_of(entity, new)):
            raise ArgumentRefused(f"the two {entity.label}s of the move have one key; use put or update")
        counters = self.preparing.keepings[entity.cls].counters
        same = self.preparing.unchanged(entity, values, [name for name in entity.fields if name not in counters])
        gone = Wanted("delete", entity, values, old, unchanged=all_of(*same))
        return gone, self.whole("create", new)

    def whole(self, kind: Any, value: Any) -> Wanted:
        """The write of a whole object."""
        entity = self.entity_of(value)
        return Wanted(kind, entity, values_of(entity, value), value)

    def entity_of(self, value: Any) -> Entity:
        """The entity of an object; refuses one of a class that the table does not have."""
        entity = self._by_class.get(type(value))
        if entity is not None:
            return entity
        known = ", ".join(entity.label for entity in self.design.entities)
        raise ArgumentRefused(f"{type(value).__name__} is no entity of {self.design.name}, which has {known}")

    def edit(self, wanted: Wanted, change: Callable[[Any], Any], attempts: int, *, source: str = "edit") -> Steps[Any]:
        """Reads an object, writes what `change` makes of it, and begins anew when somebody else was quicker."""
        entity = wanted.entity
        if entity.declaration.version is None:
            raise ArgumentRefused(f"{entity.label} has no version to be edited by; declare @entity(version=...)")
        for attempt in range(1, attempts + 1):
            item = yield from self.committing.item(key_of(entity, wanted.values), source)
            if item is None:
                raise NotFound(f"there is no {wanted.shown}")
            changed = change(self.reader.kinds.decoder(entity).read(item))
            if self.entity_of(changed) is not entity or key_of(entity, values_of(entity, changed)) != key_of(
                entity, wanted.values
            ):
                raise ArgumentRefused(
                    f"edit makes another item of {wanted.shown}.\n"
                    "  Use move(old, new), which writes the new item and deletes the old one in one transaction."
                )
            try:
                return (yield from self.put(changed, source=source))
            except VersionConflict:
                if attempt == attempts:
                    raise
                yield from pause(self.reader.retries.pause(attempt))
        raise ArgumentRefused(f"edit tries {attempts} times; let it be at least once")

    def _written(self, wanted: Wanted, source: str) -> Steps[Any]:
        done = yield from self.committing.commit([wanted], source=source)
        return self._object(done, 0, wanted.target)

    def _object(self, done: Done, number: int, value: Any) -> Any:
        """The object as it was written: the one that was given, unless a version or a copy in it is another now."""
        prepared = done.prepared[number]
        entity, new = prepared.wanted.entity, prepared.new
        return value if new is None or new == prepared.wanted.values else make(made_of(entity), new)

    def _changed(self, wanted: Wanted, source: str) -> Steps[Any]:
        done = yield from self.committing.commit([wanted], source=source)
        item = done.attributes
        if item is None:  # a transaction answers nothing
            item = yield from self.committing.item(key_of(wanted.entity, wanted.values), source)
        if item is None:
            new = done.prepared[0].new
            assert new is not None, "others follow from known values alone"
            return make(made_of(wanted.entity), new)
        return self.reader.kinds.decoder(wanted.entity).read(item)
