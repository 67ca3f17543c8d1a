"""Reads of a table by key, and scans; each is written once, for a table and for its awaited twin."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from singletable.client.answers import Item, read_get
from singletable.client.key import Key
from singletable.client.open_table import OpenTable
from singletable.client.options import Options
from singletable.client.reading.by_keys import batch_get, identity, transaction_get
from singletable.client.reading.scan import Scan
from singletable.client.steps import Call, Steps
from singletable.errors import ArgumentRefused
from singletable.model.entity import Entity
from singletable.planner.items import key_of

_ALIVE = Options()


def get(opened: OpenTable, key: Key[Any], *, consistent: bool, expired: bool) -> Steps[Any]:
    """The object of a key, or None."""
    entity = opened.entities.of_key(key)
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


def get_many(opened: OpenTable, keys: Iterable[Key[Any]], *, consistent: bool, transaction: bool) -> Steps[list[Any]]:
    """The objects of keys, in their order, and None for what is not there or has expired."""
    reader = opened.reader
    names = reader.design.table.key_attributes
    if isinstance(keys, Key):
        raise ArgumentRefused("get_many takes several keys, in a list; get(key) reads one")
    places: list[tuple[Entity, Hashable]] = []
    asked: dict[Hashable, tuple[Item, Key[Any]]] = {}
    for each in keys:
        entity = opened.entities.of_key(each)
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
        return reader.read(item, entity, "get_many")

    return [read(entity, place) for entity, place in places]


def scan(opened: OpenTable, cls: type | None, **settings: Any) -> Scan[Any]:
    """Every object of a class, or of all of the table's."""
    return Scan(opened, None if cls is None else opened.entities.of_class(cls), **settings)
