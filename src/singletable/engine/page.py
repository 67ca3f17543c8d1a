"""One page of a range of keys: until a megabyte was read, the limit was met, or the range ends."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import Raw

from singletable.engine.storage.key_range import KeyRange
from singletable.engine.storage.tree import Tree
from singletable.engine.table import Item, decode_item
from singletable.values.limits import PAGE_BYTES_MAX
from singletable.wire.page_memory import expect_pages

# A page is read in strides, which SQLite joins, up to where it might end, and from there on item by item. The first is
# so short that even items of the largest size, read in vain, are not much. The others are no longer than a block of
# memory that is still taken from what the process has: a larger one is asked of the system each time, and costs more
# than all the rest.
_FIRST_STRIDE = 128
_STRIDE_BYTES = 60_000
_SHORTEST_STRIDE = 12
_FEW_ITEMS = 64
_FEW_BYTES_EACH = 4_096

expect_pages()


@dataclass(frozen=True, slots=True)
class Page:
    """What a page holds, what was read for it, and the item it stopped at, if it stopped before the end."""

    items: list[Raw]
    """What stands between the brackets of their array: each is one item, or several with commas between them."""
    count: int
    scanned: int
    read_bytes: int
    stopped_at: bytes | None


class Reading(NamedTuple):
    """What is read: a range of keys of a tree, from either end, and how many items at most."""

    tree: Tree
    keys: KeyRange
    descending: bool
    limit: int | None


def read_page(connection: sqlite3.Connection, reading: Reading) -> Page:
    """Items as they are stored, all at one moment; they are copied, never decoded."""
    tree, keys, descending, limit = reading
    if limit is not None and (few := _few(connection, reading, limit)) is not None:
        return few
    edge = keys.high if descending else keys.low
    is_short = tree.typical_items < _FEW_ITEMS or (limit is not None and limit <= _SHORTEST_STRIDE)
    if is_short or not tree.joins:  # a few items are read sooner one by one
        return _read_on(connection, reading, _Beginning([], 0, 0, edge))
    # Each stride is a statement of its own. If they saw different moments, an entry that moves in its index meanwhile
    # would be in two of them, or in none.
    is_moment_ours = not connection.in_transaction
    if is_moment_ours:
        connection.execute("BEGIN")
    try:
        return _read_on(connection, reading, _beginning(connection, reading, edge))
    finally:
        if is_moment_ours and connection.in_transaction:
            connection.execute("ROLLBACK")


def _read_on(connection: sqlite3.Connection, reading: Reading, beginning: _Beginning) -> Page:
    """What the strides left of a page, item by item."""
    tree, keys, descending, limit = reading
    if beginning.is_whole:
        tree.typical_items = beginning.count
        return Page(beginning.strides, beginning.count, beginning.count, beginning.read_bytes, None)
    bodies: list[bytes] = []
    read_bytes = beginning.read_bytes
    stop = -1 if limit is None else limit - beginning.count
    low, high = (keys.low, beginning.edge) if descending else (beginning.edge, keys.high)
    stopped_at = None
    for body, size in tree.items(connection, low, high, descending):
        bodies.append(body)
        read_bytes += size
        # The item that crosses the line is still read, as in the service.
        if read_bytes >= PAGE_BYTES_MAX or len(bodies) == stop:
            stopped_at = body
            break
    count = tree.typical_items = beginning.count + len(bodies)
    if count:
        tree.typical_bytes = read_bytes / count
    items = beginning.strides
    if bodies:
        items.append(Raw(b",".join(bodies)))
    return Page(items, count, count, read_bytes, stopped_at)


def _few(connection: sqlite3.Connection, reading: Reading, limit: int) -> Page | None:
    """A page of few items in one go; None when they are not few, not small, or too many for one after all."""
    tree, (low, high), descending, _ = reading
    if not tree.joins or not _SHORTEST_STRIDE <= limit <= _FEW_ITEMS or not 0 < tree.typical_bytes < _FEW_BYTES_EACH:
        return None
    body, found, size, last = tree.first(connection, low, high, descending, limit)
    if not found:
        return Page([], 0, 0, 0, None)
    tree.typical_items, tree.typical_bytes = found, size / found
    return Page([Raw(body)], found, found, size, last) if size < PAGE_BYTES_MAX else None


@dataclass(slots=True)
class _Beginning:
    """What of a page was read in long strides, none of which reached the item that the page stops at."""

    strides: list[Raw]
    """Each of several items, with commas between them."""
    count: int
    read_bytes: int
    edge: bytes
    """Where to go on: upwards from this key, or downwards from below it."""
    is_whole: bool = False


def _beginning(connection: sqlite3.Connection, reading: Reading, edge: bytes) -> _Beginning:
    tree, (low, high), descending, limit = reading
    read = _Beginning([], 0, 0, edge)
    while True:
        if not tree.typical_bytes:
            return read
        # Ninety of a hundred: sizes vary, and a stride that goes too far was read in vain.
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
        if last is None:  # there are fewer
            read.is_whole = True
            return read
        read.edge = last if descending else last + b"\x00"


def read_page_through(connection: sqlite3.Connection, reading: Reading, through: Callable[[Item], Raw | None]) -> Page:
    """Items decoded and passed through a filter or projection, which returns None for what is not wanted."""
    tree, keys, descending, limit = reading
    items = []
    scanned = read_bytes = 0
    for body, size in tree.items(connection, keys.low, keys.high, descending):
        scanned += 1
        read_bytes += size
        kept = through(decode_item(body))
        if kept is not None:
            items.append(kept)
        if read_bytes >= PAGE_BYTES_MAX or scanned == limit:
            return Page(items, len(items), scanned, read_bytes, body)
    return Page(items, len(items), scanned, read_bytes, None)
