"""Reads and writes by key and object, each written once, for a table and for its awaited twin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from singletable.client.answers import read_get
from singletable.client.key import Key
from singletable.client.open_table import OpenTable
from singletable.client.options import Options
from singletable.client.steps import Call, Steps
from singletable.client.writing.wanted import Wanted
from singletable.errors import ArgumentRefused
from singletable.model.changes import FieldChange
from singletable.model.entity import Entity
from singletable.model.fields import name_of
from singletable.model.recorder import record_condition
from singletable.planner.items import key_of, values_of

E = TypeVar("E")
Where = Callable[[Any], bool]


def get(opened: OpenTable, key: Key[Any], *, consistent: bool, expired: bool) -> Steps[Any]:
    """The object of a key, or None."""
    entity = entity_of_key(opened, key)
    parameters: dict[str, Any] = {
        "TableName": opened.reader.name,
        "Key": key_of(entity, key.values),
        "ReturnConsumedCapacity": "TOTAL",
    }
    if consistent:
        parameters["ConsistentRead"] = True
    (body,) = yield (Call("GetItem", parameters),)
    answer = read_get(body)
    if answer.consumed_capacity is not None:
        opened.reader.metrics.read("get", answer.consumed_capacity.capacity_units)
    if answer.item is None or not opened.reader.is_alive(answer.item, Options(expired=expired)):
        return None
    if not opened.reader.is_of(answer.item, entity, "get"):
        return None
    return opened.reader.kinds.decoder(entity).read(answer.item)


def update(opened: OpenTable, target: Any, changes: tuple[FieldChange[Any], ...], where: Where | None) -> Wanted:
    """The change of fields of the item that an object or a key names; an object's version must still be its version."""
    entity, values = named(opened, target)
    if not changes:
        raise ArgumentRefused(f"the update of {entity.label} changes nothing; give it field(...).set(...) or the like")
    seen: set[Any] = set()
    for each in changes:
        if not isinstance(each, FieldChange):  # pyright: ignore[reportUnnecessaryIsInstance]  # the user's own argument
            raise ArgumentRefused(f"{each!r} is no change; write field({entity.label}, lambda o: o.status).set(...)")
        if each.change.path in seen:
            raise ArgumentRefused(f"the update changes {each.change.path} twice; say what it is to be once")
        seen.add(each.change.path)
        if each.entity is not entity.cls:
            raise ArgumentRefused(f"{each.change.path} is a field of {each.entity.__name__}, not of {entity.label}")
    recorded = tuple(each.change for each in changes)
    version = _version_of(entity, target)
    return Wanted("update", entity, values, target, recorded, _recorded(entity, where), version=version)


def delete(opened: OpenTable, target: Any, where: Where | None) -> Wanted:
    """The end of the item that an object or a key names; an object's version must still be its version."""
    entity, values = named(opened, target)
    where_recorded = _recorded(entity, where)
    return Wanted("delete", entity, values, target, where=where_recorded, version=_version_of(entity, target))


def _version_of(entity: Entity, target: Any) -> int | None:
    """The version that an object was read as; a key has none."""
    name = entity.declaration.version
    return None if name is None or isinstance(target, Key) else getattr(target, name) or 0


def check(opened: OpenTable, target: Any, where: Where | None, *, absent: bool) -> Wanted:
    """The look at an item that an object or a key names: that it is there, that it meets a condition, or is absent."""
    if absent and where is not None:
        raise ArgumentRefused("an item that is absent meets no condition; leave where= or absent= out")
    entity, values = named(opened, target)
    return Wanted("check", entity, values, target, where=_recorded(entity, where), absent=absent)


def edit(opened: OpenTable, key: Key[Any], change: Callable[[Any], Any], attempts: int) -> Steps[Any]:
    """An object changed by a function, which is called again when somebody else was quicker."""
    entity, values = named(opened, key)
    return opened.writer.edit(Wanted("check", entity, values, key), change, attempts)


def named(opened: OpenTable, target: Any) -> tuple[Entity, Mapping[str, Any]]:
    """The entity and the key's fields of an object or a key."""
    if isinstance(target, Key):
        return entity_of_key(opened, target), target.values
    entity = opened.writer.entity_of(target)
    values = values_of(entity, target)
    return entity, {name: values[name] for name in entity.base.fields}


def entity_of_key(opened: OpenTable, key: Any) -> Entity:
    """The entity of a key; refuses what is none, and fields that the entity does not have."""
    if not isinstance(key, Key):
        raise ArgumentRefused(f'{key!r} is no key; write key({opened.reader.design.entities[0].label}, id="...")')
    entity = entity_of_class(opened, key.entity)
    if unknown := [name for name in key.values if name not in entity.fields]:
        has = ", ".join(sorted(entity.base.fields))
        raise ArgumentRefused(f"{entity.label} has no field {unknown[0]!r}; its key is made of {has}")
    return entity


def entity_of_class(opened: OpenTable, cls: type) -> Entity:
    """The entity of a class; refuses one that the table does not have."""
    for entity in opened.reader.design.entities:
        if entity.cls is cls:
            return entity
    known = ", ".join(entity.label for entity in opened.reader.design.entities)
    raise ArgumentRefused(f"{name_of(cls)} is no entity of {opened.reader.design.name}, which has {known}")


def _recorded(entity: Entity, where: Where | None) -> Any:
    if where is not None and not callable(where):
        raise ArgumentRefused(
            f'where={where!r} is no condition; write one as a function: where=lambda o: o.status == "OPEN"'
        )
    return None if where is None else record_condition(entity.cls, where)
