"""Reads one page of a key range: up to one megabyte, the requested limit, or the end of the range."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import Raw

from singletable.engine.storage.entry_keys import EntryRange
from singletable.engine.storage.item_tree import Tree
from singletable.engine.tables.stored_table import Item, decode_item
from singletable.values.limits import PAGE_BYTES_MAX
from singletable.wire.query_and_scan import warm_up_allocator

# Most of a page is read in strides: SQLite returns several items joined into one string. Near the end of the page,
# items are read one by one. The first stride is short, so that little work is wasted even if its items have the maximum
# size. Each stride costs a statement, so later strides are long; above this length, they do not become faster.
_FIRST_STRIDE = 128
_STRIDE_BYTES = 200_000
_SHORTEST_STRIDE = 12
_SMALL_PAGE_ITEMS = 64
_SMALL_ITEM_BYTES = 4_096

warm_up_allocator()


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page of items, with the number of items and bytes read.

    `last_item` is the last item read if the page ends before the range does. Otherwise it is None.
    """

    items: list[Raw]
    """Fragments of the JSON array: each fragment is one item, or several items separated by commas."""
    count: int
    scanned: int
    read_bytes: int
    last_item: bytes | None


class PageRange(NamedTuple):
    """A key range of a tree, the direction in which to read it, and the maximum number of items."""

    tree: Tree
    keys: EntryRange
    descending: bool
    limit: int | None


def read_page(connection: sqlite3.Connection, range_: PageRange) -> StoredPage:
    """Return a page read from one snapshot. The JSON of stored items is copied without decoding it."""
    tree, keys, descending, limit = range_
    if limit is not None and (page := _small_page(connection, range_, limit)) is not None:
        return page
    edge = keys.high if descending else keys.low
    is_short = tree.typical_items < _SMALL_PAGE_ITEMS or (limit is not None and limit <= _SHORTEST_STRIDE)
    if is_short or not tree.joins:  # for few items, reading one by one is faster
        return _read_rest(connection, range_, _Strides([], 0, 0, edge))
    # Each stride is a separate statement. Without a common snapshot, an entry that moves in its index between two
    # strides would appear twice or not at all.
    starts_snapshot = not connection.in_transaction
    if starts_snapshot:
        connection.execute("BEGIN")
    try:
        return _read_rest(connection, range_, _read_strides(connection, range_, edge))
    finally:
        if starts_snapshot and connection.in_transaction:
            connection.execute("ROLLBACK")


def _read_rest(connection: sqlite3.Connection, range_: PageRange, strides_read: _Strides) -> StoredPage:
    """Read the part of a page that follows the strides, item by item."""
    tree, keys, descending, limit = range_
    if strides_read.is_whole:
        tree.typical_items = strides_read.count
        return StoredPage(strides_read.strides, strides_read.count, strides_read.count, strides_read.read_bytes, None)
    # As in DynamoDB, the item that crosses the size limit is still part of the page.
    bytes_left = PAGE_BYTES_MAX - strides_read.read_bytes
    items_left = -1 if limit is None else limit - strides_read.count
    low, high = (keys.low, strides_read.edge) if descending else (strides_read.edge, keys.high)
    body, found, size, last_item = tree.page(connection, low, high, descending, items_left, bytes_left)
    count = tree.typical_items = strides_read.count + found
    read_bytes = strides_read.read_bytes + size
    if count:
        tree.typical_bytes = read_bytes / count
    items = strides_read.strides
    if found:
        items.append(Raw(body))
    return StoredPage(items, count, count, read_bytes, last_item)


def _small_page(connection: sqlite3.Connection, range_: PageRange, limit: int) -> StoredPage | None:
    """Read a small page in one SQL statement.

    Return None if its items may be too many or too large for one statement.
    """
    tree, (low, high), descending, _ = range_
    if (
        not tree.joins
        or not _SHORTEST_STRIDE <= limit <= _SMALL_PAGE_ITEMS
        or not 0 < tree.typical_bytes < _SMALL_ITEM_BYTES
    ):
        return None
    body, found, size, last = tree.first(connection, low, high, descending, limit)
    if not found:
        return StoredPage([], 0, 0, 0, None)
    tree.typical_items, tree.typical_bytes = found, size / found
    return StoredPage([Raw(body)], found, found, size, last) if size < PAGE_BYTES_MAX else None


@dataclass(slots=True)
class _Strides:
    """The first part of a page, read in strides that end before the last item of the page."""

    strides: list[Raw]
    """The strides. Each one contains several items, separated by commas."""
    count: int
    read_bytes: int
    edge: bytes
    """The key where the next read starts: at this key in ascending order, before this key in descending order."""
    is_whole: bool = False


def _read_strides(connection: sqlite3.Connection, range_: PageRange, edge: bytes) -> _Strides:
    tree, (low, high), descending, limit = range_
    read = _Strides([], 0, 0, edge)
    while True:
        if not tree.typical_bytes:
            return read
        # Leave a margin of ten percent, because item sizes vary and a stride that exceeds the page must be discarded.
        room = min(_STRIDE_BYTES, (PAGE_BYTES_MAX - read.read_bytes) * 0.9)
        count = int(room / tree.typical_bytes)
        if not read.count:
            count = min(count, _FIRST_STRIDE)
        if limit is not None:
            count = min(count, limit - 1 - read.count)
        if count < _SHORTEST_STRIDE:
            return read
        low, high = (low, read.edge) if descending else (read.edge, high)
        body, found, size, last = tree.joined(connection, low, high, descending, count)
        if not found:
            read.is_whole = True
            return read
        tree.typical_bytes = size / found
        if read.read_bytes + size >= PAGE_BYTES_MAX:
            return read
        read.strides.append(Raw(body))
        read.count += found
        read.read_bytes += size
        if last is None:  # the range ends here
            read.is_whole = True
            return read
        read.edge = last if descending else last + b"\x00"


def read_filtered_page(
    connection: sqlite3.Connection, range_: PageRange, select: Callable[[Item], Raw | None]
) -> StoredPage:
    """Return a page of the items for which `select` does not return None."""
    tree, keys, descending, limit = range_
    items = []
    scanned = read_bytes = 0
    for body, size in tree.items(connection, keys.low, keys.high, descending):
        scanned += 1
        read_bytes += size
        selected = select(decode_item(body))
        if selected is not None:
            items.append(selected)
        if read_bytes >= PAGE_BYTES_MAX or scanned == limit:
            return StoredPage(items, len(items), scanned, read_bytes, body)
    return StoredPage(items, len(items), scanned, read_bytes, None)
