"""One write of one item: the item, its index entries, and what that consumed."""

from __future__ import annotations

import sqlite3

from singletable.engine.capacity import Consumed
from singletable.engine.table import Entry, Image, OpenTable, decode_item
from singletable.errors import invalid
from singletable.values.capacity_units import entry_write_units, write_units
from singletable.values.comparison import equal
from singletable.values.limits import ITEM_BYTES_MAX


def stored(connection: sqlite3.Connection, table: OpenTable, key: bytes) -> Image | None:
    """The item that has the key now."""
    row = table.tree.get(connection, key)
    return None if row is None else table.stored_image(key, row[0], row[1])


def replace(
    connection: sqlite3.Connection,
    table: OpenTable,
    key: bytes,
    before: Image | None,
    after: Image | None,
    by_service: bool = False,
) -> None:
    """Puts `after` where `before` was, in the table and in every index; either may be nothing."""
    if after is not None:
        table.tree.put(connection, key, after.body, after.size)
    elif before is not None:
        table.tree.delete(connection, key)
    for position, index in enumerate(table.indexes):
        old = before.entries[position] if before is not None else None
        new = after.entries[position] if after is not None else None
        if old is not None and (new is None or new.key != old.key):
            index.tree.delete(connection, old.key)
        if new is not None and new != old:
            index.tree.put(connection, new.key, new.body, new.size)
    if table.changes is not None:
        table.changes.note(connection, key, before, after, by_service)
    if table.expiry is not None:
        table.expiry.note(connection, key, before, after)


def consumed(table: OpenTable, before: Image | None, after: Image | None, factor: int = 1) -> Consumed:
    """The units of a write; `factor` is that of a transaction and reaches the table alone (captured)."""
    size = max(before.size if before is not None else 0, after.size if after is not None else 0)
    units = Consumed(table=float(write_units(size) * factor))
    for position, index in enumerate(table.indexes):
        old = before.entries[position] if before is not None else None
        new = after.entries[position] if after is not None else None
        of_index = _index_units(old, new)
        if of_index:
            units.add_index(index.name, float(of_index), is_local=index.definition.is_local)
    return units


def _index_units(old: Entry | None, new: Entry | None) -> int:
    if old is None or new is None:
        sizes = (old.size if old is not None else None), (new.size if new is not None else None)
        return entry_write_units(*sizes, is_moved=False, is_changed=True)
    is_moved = old.key != new.key
    return entry_write_units(old.size, new.size, is_moved=is_moved, is_changed=is_moved or not _same(old, new))


def _same(old: Entry, new: Entry) -> bool:
    """Whether two entries hold the same: the order of attributes and of the members of sets does not count."""
    return old.body == new.body or equal({"M": decode_item(old.body)}, {"M": decode_item(new.body)})


def check_size(table: OpenTable, image: Image, words: str) -> None:
    """Refuses an item that is too large, its entries in local indexes included."""
    size = image.size
    if table.has_local_indexes:
        for index, entry in zip(table.indexes, image.entries, strict=True):
            if entry is not None and index.definition.is_local:
                size += entry.size
    if size > ITEM_BYTES_MAX:
        raise invalid(words)
