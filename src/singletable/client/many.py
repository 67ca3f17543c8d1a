"""Reads and writes of many items by key and object, each written once, for a table and for its awaited twin."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from typing import Any

from singletable.client.answers import Item
from singletable.client.batch_result import BatchFailure, BatchProgress, BatchResult
from singletable.client.key import Key
from singletable.client.open_table import OpenTable
from singletable.client.options import Options
from singletable.client.reading.by_keys import batch_get, identity, transaction_get
from singletable.client.reading.scan import Scan
from singletable.client.steps import Steps
from singletable.client.work import entity_of_class, entity_of_key, named
from singletable.client.writing.batch import Batch, Prepared, Write
from singletable.client.writing.batch_rules import why_not_in_batch
from singletable.errors import ArgumentRefused, SingletableError
from singletable.model.entity import Entity
from singletable.planner.items import item_of, key_of, values_of
from singletable.values.accept import accept_item
from singletable.values.limits import ITEM_BYTES_MAX

Progress = Callable[[BatchProgress], None]
_ALIVE = Options()


def get_many(opened: OpenTable, keys: Iterable[Key[Any]], *, consistent: bool, transaction: bool) -> Steps[list[Any]]:
    """The objects of keys, in their order, and None for what is not there or has expired."""
    reader = opened.reader
    names = reader.design.table.key_attributes
    if isinstance(keys, Key):
        raise ArgumentRefused("get_many takes several keys, in a list; get(key) reads one")
    places: list[tuple[Entity, Hashable]] = []
    asked: dict[Hashable, tuple[Item, Key[Any]]] = {}
    for each in keys:
        entity = entity_of_key(opened, each)
        key = key_of(entity, each.values)
        place = identity(key, names)
        places.append((entity, place))
        asked.setdefault(place, (key, each))
    wanted = [key for key, _ in asked.values()]
    if transaction:
        found = yield from transaction_get(reader, wanted, "get_many", [target for _, target in asked.values()])
    else:
        found = yield from batch_get(reader, wanted, "get_many", {"ConsistentRead": True} if consistent else {})
    alive = {place: item for place, item in found.items() if reader.is_alive(item, _ALIVE)}

    def read(entity: Entity, place: Hashable) -> Any:
        item = alive.get(place)
        if item is None or not reader.is_of(item, entity, "get_many"):
            return None
        return reader.kinds.decoder(entity).read(item)

    return [read(entity, place) for entity, place in places]


def put_many(opened: OpenTable, values: Iterable[Any], progress: Progress | None) -> Steps[BatchResult[Any]]:
    """Writes objects in place of those with their keys, as many as there are."""
    entities = _entities(opened, values)
    return _batch(opened, "put_many", progress).write(_puts(opened, values, entities))


def delete_many(opened: OpenTable, targets: Iterable[Any], progress: Progress | None) -> Steps[BatchResult[Any]]:
    """Takes away the items that objects or keys name, as many as there are."""
    entities = _entities(opened, targets)
    return _batch(opened, "delete_many", progress).write(_deletes(opened, targets, entities))


def _batch(opened: OpenTable, source: str, progress: Progress | None) -> Batch:
    reader, names = opened.reader, opened.reader.design.table.key_attributes
    return Batch(reader.name, names, reader.retries, reader.metrics, source, progress)


def _entities(opened: OpenTable, targets: Iterable[Any]) -> dict[type, Entity]:
    """The entities that a batch can write, looked up as they are met; a collection is looked through beforehand."""
    if not hasattr(targets, "__iter__"):
        raise ArgumentRefused(f"many objects come in a list or the like, and {type(targets).__name__} is none")
    entities: dict[type, Entity] = {}
    for target in targets if isinstance(targets, Collection) else ():
        _entity(opened, entities, target)
    return entities


def _entity(opened: OpenTable, entities: dict[type, Entity], target: Any) -> Entity:
    cls = target.entity if isinstance(target, Key) else type(target)
    entity = entities.get(cls)
    if entity is None:
        entity = entity_of_class(opened, cls)
        why_not = why_not_in_batch(opened.reader.design, entity)
        if why_not is not None:
            raise ArgumentRefused(why_not)
        entities[cls] = entity
    return entity


def _puts(opened: OpenTable, values: Iterable[Any], entities: dict[type, Entity]) -> Iterator[Prepared]:
    design = opened.reader.design
    names = design.table.key_attributes
    for value in values:
        entity = _entity(opened, entities, value)
        opened.reader.kinds.decoder(entity)  # refuses a class that could not be read back
        try:
            item = item_of(design, entity, values_of(entity, value))
            size = accept_item(item)
            if size > ITEM_BYTES_MAX:
                raise ArgumentRefused(f"the {entity.label} has {size} bytes, and an item at most {ITEM_BYTES_MAX}")
        except SingletableError as refusal:
            yield BatchFailure(value, refusal)
        else:
            yield Write(identity(item, names), {"PutRequest": {"Item": item}}, [value])


def _deletes(opened: OpenTable, targets: Iterable[Any], entities: dict[type, Entity]) -> Iterator[Prepared]:
    names = opened.reader.design.table.key_attributes
    for target in targets:
        entity = _entity(opened, entities, target)
        try:
            key = key_of(entity, named(opened, target)[1])
        except SingletableError as refusal:
            yield BatchFailure(target, refusal)
        else:
            yield Write(identity(key, names), {"DeleteRequest": {"Key": key}}, [target])


def scan(opened: OpenTable, cls: type | None, **settings: Any) -> Scan[Any]:
    """Every object of a class, or of all of the table's."""
    return Scan(opened, None if cls is None else entity_of_class(opened, cls), **settings)
