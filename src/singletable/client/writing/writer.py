"""Single writes: put, create, update, upsert and delete, each with its condition and the index keys it changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from singletable.client.answers import Item, WriteAnswer, read_get, read_write
from singletable.client.items.decoder import made_of, make
from singletable.client.items.kinds import Kinds
from singletable.client.metrics import Metrics
from singletable.client.steps import Call, Steps
from singletable.client.writing import upgrading
from singletable.client.writing.stored_tree import Stored, all_of, attribute_equals, exists, missing, printed
from singletable.errors import (
    AlreadyExists,
    ArgumentRefused,
    ConditionFailed,
    NotFound,
    RequestRefused,
    VersionConflict,
)
from singletable.expressions.apply import Update
from singletable.expressions.evaluate import compiled
from singletable.expressions.tree import Change, Condition, Constant, Parameter, Path
from singletable.model.binding import held_values
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.bind import key_attribute_value
from singletable.planner.items import item_of, key_of, values_of

# A guarded update reads, and writes if nothing that it depends on has changed; others may be quicker so often.
GUARDED_TRIES_MAX = 10


@dataclass
class Writer:
    """A table's design with everything that writing it needs."""

    design: Design
    name: str
    kinds: Kinds
    metrics: Metrics

    @property
    def partition(self) -> str:
        """The attribute that every item has."""
        return self.design.table.partition[0].name

    def put(self, value: Any, *, source: str = "put") -> Steps[Any]:
        """Writes an object in place of the one with its key; with a version, only of the one it was read as."""
        entity = self.entity_of(value)
        version = entity.declaration.version
        if version is None:
            yield from self._write(source, "PutItem", {"Item": item_of(self.design, entity, values_of(entity, value))})
            return value
        values = values_of(entity, value)
        known = values[version]
        values[version] = known + 1
        attribute = entity.attributes[version]
        condition = attribute_equals(attribute, {"N": str(known)}) if known else missing(self.partition)
        item = item_of(self.design, entity, values)

        def write(guard: Condition | None) -> Steps[WriteAnswer]:
            return self._write(source, "PutItem", {"Item": item, **printed(guard), **_TELL_OLD})

        try:
            yield from upgrading.judged(self, entity, condition, write)
        except RequestRefused as refusal:
            raise self._version_conflict(entity, refusal, known) from None
        return make(made_of(entity), values)

    def create(self, value: Any, *, source: str = "create") -> Steps[Any]:
        """Writes an object that must not be there yet."""
        entity = self.entity_of(value)
        values = values_of(entity, value)
        version = entity.declaration.version
        if version is not None:
            values[version] = 1
        parameters = {"Item": item_of(self.design, entity, values), **printed(missing(self.partition)), **_TELL_OLD}
        try:
            yield from self._write(source, "PutItem", parameters)
        except RequestRefused as refusal:
            if refusal.code != _CONDITION_FAILED:
                raise
            raise AlreadyExists(f"{entity.label} {_shown(entity, values)} is there already") from None
        return value if version is None else make(made_of(entity), values)

    def delete(
        self,
        entity: Entity,
        key_values: Mapping[str, Any],
        where: Condition | None = None,
        arguments: Mapping[str, Any] | None = None,
        *,
        source: str = "delete",
    ) -> Steps[Any]:
        """Takes an item away, if the condition holds; returns what was there."""
        condition = None if where is None else Stored(entity, arguments or {}).condition(where)
        key = key_of(entity, key_values)

        def write(guard: Condition | None) -> Steps[WriteAnswer]:
            parameters = {"Key": key, **printed(guard), **_TELL_OLD, "ReturnValues": "ALL_OLD"}
            return self._write(source, "DeleteItem", parameters)

        try:
            answer = yield from upgrading.judged(self, entity, condition, write)
        except RequestRefused as refusal:
            raise self._condition_failed(entity, key_values, refusal) from None
        return None if answer.attributes is None else self.kinds.decoder(entity).read(answer.attributes)

    def update(
        self,
        entity: Entity,
        key_values: Mapping[str, Any],
        changes: Iterable[Change],
        where: Condition | None = None,
        arguments: Mapping[str, Any] | None = None,
        *,
        version: int | None = None,
        source: str = "update",
    ) -> Steps[Any]:
        """Changes fields of an item that is there, and every index key that is made of them; returns the new object."""
        recorded = tuple(changes)
        _refuse_key_changes(entity, recorded)
        stored = Stored(entity, arguments or {})
        made = tuple(stored.change(change) for change in recorded)
        # A condition may hold for an item that is not there, and an update makes no new one.
        condition = all_of(exists(self.partition), None if where is None else stored.condition(where))
        if entity.declaration.version is not None:
            made, condition = _with_version(entity, made, condition, version)
        known = _known(key_values, recorded, where, stored)
        affected = [each for each in _affected(entity, recorded) if each.fields - known.keys()]
        current = all_of(condition, upgrading.is_current(self.design, entity))

        def write() -> Steps[Item]:
            if affected:
                return self._guarded_update(entity, key_values, recorded, made, current, source)
            keys = tuple(_key_changes(entity, recorded, known))
            return self._update(entity, key_values, made + keys, current, source)

        try:
            item = yield from upgrading.changed(self, entity, key_values, made, condition, source, write)
        except RequestRefused as refusal:
            failed = self._condition_failed(entity, key_values, refusal)
            if version is not None and isinstance(failed, ConditionFailed):
                failed = self._version_conflict(entity, refusal, version)
            raise failed from None
        return self.kinds.decoder(entity).read(item)

    def upsert(self, value: Any, *, source: str = "upsert") -> Steps[Any]:
        """Writes every field of an object, and leaves what else the item has; makes the item when it is not there."""
        entity = self.entity_of(value)
        values = values_of(entity, value)
        item = item_of(self.design, entity, values)
        key = key_of(entity, values)
        changes = [Change("SET", Path((name,)), Constant(each)) for name, each in item.items() if name not in key]
        absent = {*entity.attributes.values(), *_index_attributes(entity)} - item.keys()
        changes += [Change("REMOVE", Path((name,))) for name in sorted(absent)]
        current = upgrading.is_current_or_missing(self.design, entity)

        def write() -> Steps[Item]:
            return self._update(entity, values, tuple(changes), current, source, repeatable=True)

        written = yield from upgrading.upserted(self, entity, values, item, source, write)
        return self.kinds.decoder(entity).read(written)

    def entity_of(self, value: Any) -> Entity:
        """The entity of an object; refuses one of a class that the table does not have."""
        for entity in self.design.entities:
            if entity.cls is type(value):
                return entity
        known = ", ".join(entity.label for entity in self.design.entities)
        raise ArgumentRefused(f"{type(value).__name__} is no entity of {self.design.name}, which has {known}")

    def _update(
        self,
        entity: Entity,
        key_values: Mapping[str, Any],
        changes: tuple[Change, ...],
        condition: Condition | None,
        source: str,
        *,
        repeatable: bool = False,
    ) -> Steps[Item]:
        parameters = {
            "Key": key_of(entity, key_values),
            **printed(condition, changes),
            **_TELL_OLD,
            "ReturnValues": "ALL_NEW",
        }
        answer = yield from self._write(source, "UpdateItem", parameters, repeatable=repeatable)
        assert answer.attributes is not None, "ALL_NEW was asked for"
        return answer.attributes

    def _guarded_update(
        self,
        entity: Entity,
        key_values: Mapping[str, Any],
        recorded: tuple[Change, ...],
        changes: tuple[Change, ...],
        condition: Condition | None,
        source: str,
    ) -> Steps[Item]:
        """Reads the item to know its index keys, and writes if what they are made of is still as it was read."""
        key = key_of(entity, key_values)
        needed = {name for placement in _affected(entity, recorded) for name in placement.fields}
        for attempt in range(1, GUARDED_TRIES_MAX + 1):
            request = {"TableName": self.name, "Key": key, "ConsistentRead": True, "ReturnConsumedCapacity": "TOTAL"}
            (body,) = yield (Call("GetItem", request),)
            answer = read_get(body)
            if answer.consumed_capacity is not None:
                self.metrics.read(source, answer.consumed_capacity.capacity_units)
            old = answer.item
            if old is None:
                raise NotFound(f"there is no {entity.label} {_shown(entity, key_values)}")
            upgrading.refuse_older(self, entity, old)
            new = Update(changes).apply(old, {})
            values = values_of(entity, self.kinds.decoder(entity).read(new))
            guards = [attribute_equals(entity.attributes[name], old.get(entity.attributes[name])) for name in needed]
            guarded = all_of(condition, *guards)
            try:
                keys = tuple(_key_changes(entity, recorded, values))
                return (yield from self._update(entity, key_values, changes + keys, guarded, source))
            except RequestRefused as refusal:
                if refusal.code != _CONDITION_FAILED or attempt == GUARDED_TRIES_MAX:
                    raise
                now = refusal.fields.get("Item")
                if now is None or (condition is not None and not compiled(condition)(now, {})):
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _write(
        self, source: str, operation: str, parameters: dict[str, Any], *, repeatable: bool = True
    ) -> Steps[WriteAnswer]:
        sent = {"TableName": self.name, **parameters, "ReturnConsumedCapacity": "TOTAL"}
        is_plain = repeatable and "ConditionExpression" not in sent
        (body,) = yield (Call(operation, sent, is_plain),)
        answer = read_write(body)
        if answer.consumed_capacity is not None:
            self.metrics.write(source, answer.consumed_capacity.capacity_units)
        return answer

    def _condition_failed(self, entity: Entity, key_values: Mapping[str, Any], refusal: RequestRefused) -> Exception:
        if refusal.code != _CONDITION_FAILED:
            return refusal
        item = refusal.fields.get("Item")
        if item is None:
            return NotFound(f"there is no {entity.label} {_shown(entity, key_values)}")
        found = self.kinds.decoder(entity).read(item)
        return ConditionFailed(f"the condition does not hold for {entity.label} {_shown(entity, key_values)}", found)

    def _version_conflict(self, entity: Entity, refusal: RequestRefused, known: int) -> Exception:
        if refusal.code != _CONDITION_FAILED:
            return refusal
        item = refusal.fields.get("Item")
        found = None if item is None else self.kinds.decoder(entity).read(item)
        version = entity.declaration.version
        there = "is gone" if found is None else f"has version {getattr(found, str(version))}"
        return VersionConflict(f"{entity.label} was read with version {known} and {there} by now", found)


_CONDITION_FAILED = "ConditionalCheckFailedException"
_TELL_OLD = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}


def _shown(entity: Entity, values: Mapping[str, Any]) -> str:
    names = sorted(entity.base.fields)
    return "with " + ", ".join(f"{name}={values.get(name)!r}" for name in names)


def _refuse_key_changes(entity: Entity, changes: tuple[Change, ...]) -> None:
    moved = sorted({str(change.path.steps[0]) for change in changes} & entity.base.fields)
    if moved:
        raise ArgumentRefused(
            f"{', '.join(moved)} is part of {entity.label}'s key, and an item cannot change its key.\n"
            "  Use move(old, new), which writes the new item and deletes the old one in one transaction."
        )


def _with_version(
    entity: Entity, changes: tuple[Change, ...], condition: Condition | None, known: int | None
) -> tuple[tuple[Change, ...], Condition | None]:
    attribute = entity.attributes[str(entity.declaration.version)]
    raised = Change("ADD", Path((attribute,)), Constant({"N": "1"}))
    expected = None if known is None else attribute_equals(attribute, {"N": str(known)})
    return (*changes, raised), all_of(condition, expected)


def _known(
    key_values: Mapping[str, Any], changes: tuple[Change, ...], where: Condition | None, stored: Stored
) -> dict[str, Any]:
    """The values of fields after the update, as far as they are known without reading the item."""
    changed = {str(change.path.steps[0]) for change in changes}
    held = {name: stored.plain(value) for name, value in held_values(where).items() if name not in changed}
    known = {**held, **key_values}
    for change in changes:
        name, value = str(change.path.steps[0]), change.value
        if len(change.path.steps) == 1 and change.action == "REMOVE":
            known[name] = None
        elif len(change.path.steps) == 1 and change.action == "SET" and isinstance(value, Constant | Parameter):
            known[name] = stored.plain(value)
        else:
            known.pop(name, None)
    return known


def _affected(entity: Entity, changes: tuple[Change, ...]) -> list[Any]:
    """The places in indexes whose keys are made of a changed field."""
    changed = {str(change.path.steps[0]) for change in changes}
    return [
        placement
        for placement in entity.placements.values()
        if not placement.index.is_table and placement.fields & changed
    ]


def _key_changes(entity: Entity, changes: tuple[Change, ...], values: Mapping[str, Any]) -> Iterable[Change]:
    """What brings the index keys in line with the fields; an item without one of them leaves the index."""
    own = {*entity.attributes.values(), *(part.attribute for part in entity.base.parts)}
    for placement in _affected(entity, changes):
        keys = placement.encode(values)
        for part in placement.parts:
            if part.attribute in own:
                continue
            path = Path((part.attribute,))
            if keys is None:
                yield Change("REMOVE", path)
            else:
                yield Change("SET", path, Constant(key_attribute_value(keys[part.attribute])))


def _index_attributes(entity: Entity) -> set[str]:
    return {part.attribute for placement in entity.placements.values() for part in placement.parts}
