"""Reads and writes of many items by key and object, each written once, for a table and for its awaited twin."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from singletable.client.answers import Item
from singletable.client.key import Key
from singletable.client.open_table import OpenTable
from singletable.client.options import Options
from singletable.client.reading.by_keys import batch_get, identity, transaction_get
from singletable.client.steps import Steps
from singletable.client.work import entity_of_class
from singletable.model.entity import Entity
from singletable.planner.items import key_of

_ALIVE = Options()


def get_many(opened: OpenTable, keys: Iterable[Key[Any]], *, consistent: bool, transaction: bool) -> Steps[list[Any]]:
    """The objects of keys, in their order, and None for what is not there or has expired."""
    reader = opened.reader
    names = reader.design.table.key_attributes
    places: list[tuple[Entity, Hashable]] = []
    asked: dict[Hashable, tuple[Item, Key[Any]]] = {}
    for each in keys:
        entity = entity_of_class(opened, each.entity)
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
    decoder = reader.kinds.decoder
    return [decoder(entity).read(alive[place]) if place in alive else None for entity, place in places]
