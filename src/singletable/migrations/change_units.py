"""The write units that the change of an item consumes on the table and on each index, by DynamoDB's rules."""

from __future__ import annotations

from collections.abc import Iterable

from singletable.client.responses import Item
from singletable.evolve.snapshot_records import IndexSnapshot
from singletable.model.table_schema import TABLE
from singletable.values.item_size import entry_write_units, item_size, write_units


def change_units(before: Item, after: Item, table: IndexSnapshot, indexes: Iterable[IndexSnapshot]) -> int:
    """Return the write units of an update, given the item before and after it."""
    units = write_units(max(item_size(before), item_size(after)))
    for index in indexes:
        if index.alias == TABLE:
            continue
        old, new = _entry(before, table, index), _entry(after, table, index)
        if old is None and new is None:
            continue
        is_moved = old is not None and new is not None and any(old[name] != new[name] for name in index.attributes)
        units += entry_write_units(
            None if old is None else item_size(old),
            None if new is None else item_size(new),
            is_moved=is_moved,
            is_changed=old != new,
        )
    return units


def _entry(item: Item, table: IndexSnapshot, index: IndexSnapshot) -> Item | None:
    """Return the projected attributes of an item, or None if the index does not contain the item."""
    if any(each.type not in item.get(each.name, {}) for each in (*index.partition, *index.sort)):
        return None
    if index.projection == "ALL":
        return item
    names = {*table.attributes, *index.attributes, *index.included}
    return {name: value for name, value in item.items() if name in names}
