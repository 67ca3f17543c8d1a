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


@dataclass(frozen=True, slots=True)
class Page:
    """What a page holds, what was read for it, and the item it stopped at, if it stopped before the end."""

    items: list[Raw]
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
    """Items as they are stored; they are copied, never decoded."""
    bodies = []
    read_bytes = 0
    tree, keys, descending, limit = reading
    stop = -1 if limit is None else limit
    body = None
    for body, size in tree.items(connection, keys.low, keys.high, descending):
        bodies.append(Raw(body))
        read_bytes += size
        # The item that crosses the line is still read, as in the service.
        if read_bytes >= PAGE_BYTES_MAX or len(bodies) == stop:
            return Page(bodies, len(bodies), len(bodies), read_bytes, body)
    return Page(bodies, len(bodies), len(bodies), read_bytes, None)


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
