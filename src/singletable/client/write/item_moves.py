"""Moves of items to another key: the actions of the transaction that deletes the old item and puts the new one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from singletable.client.responses import Item
from singletable.client.write.derived_actions import OWNER, DerivedData
from singletable.client.write.item_actions import ItemAction
from singletable.client.write.prepare_actions import Preparer
from singletable.client.write.stored_expressions import attribute_equals, exists, missing
from singletable.expressions.tree import Change, Constant, Path
from singletable.model.entity import Entity

ATTRIBUTES_MAX = 140
"""The most attributes of an item that one condition can compare, in addition to the caller's own condition.

DynamoDB allows 300 operators in an expression, and each attribute needs two.
"""


def marker_keys(preparer: Preparer, entity: Entity, values: Mapping[str, Any]) -> Iterator[Item]:
    """Yield the keys of the unique markers of an item."""
    names = preparer.design.table.key_attributes
    for unique in entity.uniques:
        marker = DerivedData(preparer, entity, 0).marker_item(unique, values)
        if marker is not None:
            yield {name: marker[name] for name in names}


def move_actions(item: Item, source: Item, target: Item, markers: Sequence[Item]) -> tuple[ItemAction, ...]:
    """Return the delete of an item, its put under another key, and the updates of its unique markers.

    The delete requires that the item is unchanged, and the put requires that the new key is free. `markers` are
    the stored markers of the item. A marker contains the key of its item. A marker of another item is not updated.
    """
    partition = next(iter(source))
    same = (attribute_equals(name, value) for name, value in item.items() if name not in source)
    return (
        ItemAction("Delete", source, 0, guards=(exists(partition), *same)),
        ItemAction("Put", target, 0, {**item, **target}, guards=(missing(partition),)),
        *(marker_update(each, source, target) for each in markers if each.get(OWNER) == {"M": source}),
    )


def marker_update(marker: Item, source: Item, target: Item) -> ItemAction:
    """Return the update that stores the new key of an item in its unique marker."""
    change = Change("SET", Path((OWNER,)), Constant({"M": target}))
    key = {name: marker[name] for name in source}
    return ItemAction("Update", key, 0, None, (change,), guards=(attribute_equals(OWNER, {"M": source}),))
