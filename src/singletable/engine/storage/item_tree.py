"""Trees: ordered maps from entry key to item, and from expiry time to entry key (TTL).

Each tree is one SQLite table.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import ClassVar

from singletable.engine.storage import store_format
from singletable.engine.storage.entry_keys import split_table_key
from singletable.engine.storage.row_checksum import (
    FAST_CHECKSUMS,
    JoinedRows,
    damage_error,
    joined_rows,
    row_checksum,
    verified_join,
    verified_size,
)
from singletable.engine.storage.sqlite_connection import StoreConnection
from singletable.values.fast_path import NotOnFastPath

Row = tuple[bytes, bytes, int]  # key, item, size
_StoredRow = tuple[bytes, bytes, bytes | None]  # key, item, checksum
Joined = tuple[bytes, int, int, bytes | None]
"""Items joined with commas, their count, the sum of their sizes, and the last key or item.

For no items, only the count.
"""


class Tree:
    """An ordered map of items; the object has only SQL statements and statistics, so threads can share it.

    Each read verifies the checksums of the rows that it returns, and raises StoreRefused for a damaged row.
    """

    __slots__ = (
        "_add",
        "_after",
        "_all",
        "_any",
        "_between",
        "_count",
        "_delete",
        "_down",
        "_get",
        "_joined_down",
        "_joined_up",
        "_last",
        "_put",
        "_unverified",
        "_unverified_get",
        "_up",
        "label",
        "name",
        "typical_bytes",
        "typical_items",
    )
    joins: ClassVar[bool] = True
    """Whether `joined` returns the same items as `items`."""

    def __init__(self, name: str, label: str | None = None) -> None:
        self.name = name
        self.label = label or name
        """The name of the tree in error messages."""
        self.typical_bytes = 0.0
        """The average size of the items of the last read, or 0 before the first read."""
        self.typical_items = 0
        """The number of items in the page read last."""
        self._get = f"SELECT item, checksum FROM {name} WHERE key = ?"  # noqa: S608  # tree names are letters and digits
        self._add = f"INSERT INTO {name} (key, item, size, checksum) VALUES (?, ?, ?, ?)"  # noqa: S608  # as above, here and below
        self._put = (
            f"{self._add} ON CONFLICT (key) DO UPDATE "
            "SET item = excluded.item, size = excluded.size, checksum = excluded.checksum"
        )
        self._delete = f"DELETE FROM {name} WHERE key = ?"  # noqa: S608
        self._up = f"SELECT key, item, checksum FROM {name} WHERE key >= ? AND key < ? ORDER BY key"  # noqa: S608
        self._down = self._up + " DESC"
        # SQLite joins the rows of a subquery with a LIMIT in their order. Without a subquery, it copies each item once
        # less; it then reads the rows in ascending order, which the checksums verify.
        joined = "SELECT CAST(group_concat(item) AS BLOB), CAST(group_concat({}, '') AS BLOB) FROM {}"
        end = f"SELECT key FROM {name} WHERE key >= ?1 AND key < ?2 ORDER BY key LIMIT 1 OFFSET ?3"  # noqa: S608
        self._joined_up = joined.format("checksum || key", f"{name} WHERE key >= ?1 AND key < coalesce(({end}), ?2)")
        self._joined_down = joined.format(
            "head",
            f"(SELECT item, checksum || key AS head FROM {name} WHERE key >= ? AND key < ? ORDER BY key DESC LIMIT ?)",  # noqa: S608
        )
        self._any = f"SELECT 1 FROM {name} WHERE key >= ? AND key < ? LIMIT 1"  # noqa: S608
        self._all = f"SELECT key, item, checksum FROM {name} ORDER BY key"  # noqa: S608
        self._after = f"SELECT key, item, checksum FROM {name} WHERE key > ? ORDER BY key LIMIT ?"  # noqa: S608
        self._unverified = f"SELECT key, item, size, checksum FROM {name} WHERE key > ? ORDER BY key LIMIT ?"  # noqa: S608
        self._unverified_get = f"SELECT item, size FROM {name} WHERE key = ?"  # noqa: S608
        self._last = f"SELECT max(key) FROM {name}"  # noqa: S608
        self._count = f"SELECT count(*), coalesce(sum(size), 0) FROM {name}"  # noqa: S608
        self._between = f"SELECT coalesce(sum(size), 0) FROM {name} WHERE key >= ? AND key < ?"  # noqa: S608

    def get(self, connection: sqlite3.Connection, key: bytes) -> tuple[bytes, int] | None:
        """Return the item with this key and its size, or None."""
        row = connection.execute(self._get, (key,)).fetchone()
        if row is None:
            return None
        item, checksum = row
        try:
            size = verified_size(key, item, checksum)
        except NotOnFastPath:
            return item, self._size_without_checksum(connection, key, checksum)
        FAST_CHECKSUMS.hits += 1
        return item, size

    def put(self, connection: sqlite3.Connection, key: bytes, item: bytes, size: int) -> None:
        """Insert or replace the item of a key."""
        connection.execute(self._put, (key, item, size, row_checksum(key, item, size)))

    def put_many(self, connection: sqlite3.Connection, rows: Iterable[Row]) -> None:
        """Insert or replace several items."""
        connection.executemany(self._put, [(*row, row_checksum(*row)) for row in rows])

    def add_many(self, connection: sqlite3.Connection, rows: Iterable[Row]) -> None:
        """Insert items, whose keys must not exist yet."""
        connection.executemany(self._add, ((*row, row_checksum(*row)) for row in rows))

    def delete(self, connection: sqlite3.Connection, key: bytes) -> None:
        """Delete the item of a key, if it exists."""
        connection.execute(self._delete, (key,))

    def range(self, connection: sqlite3.Connection, low: bytes, high: bytes, descending: bool = False) -> Iterator[Row]:
        """Return the rows from `low` up to, but excluding, `high`; valid until the connection is released."""
        rows = _open_range(connection, self._down if descending else self._up, low, high)
        return self._verified(connection, rows, descending)

    def all(self, connection: sqlite3.Connection) -> Iterator[Row]:
        """Return every row in key order; valid until the connection is released."""
        return self._verified(connection, _open_range(connection, self._all))

    def items(
        self, connection: sqlite3.Connection, low: bytes, high: bytes, descending: bool = False
    ) -> Iterator[tuple[bytes, int]]:
        """Return the items and sizes of a range."""
        return ((item, size) for _, item, size in self.range(connection, low, high, descending))

    def page(
        self, connection: sqlite3.Connection, low: bytes, high: bytes, descending: bool, count_max: int, bytes_max: int
    ) -> JoinedRows:
        """Return the items of a range, joined with commas, until the number or the sizes of the items reach a limit."""
        try:
            rows = _open_range(connection, self._down if descending else self._up, low, high)
            joined = joined_rows(rows, count_max, bytes_max, descending)
        except NotOnFastPath:
            return joined_items(self.items(connection, low, high, descending), count_max, bytes_max)
        FAST_CHECKSUMS.hits += 1
        return joined

    def joined(self, connection: sqlite3.Connection, low: bytes, high: bytes, descending: bool, count: int) -> Joined:
        """Return the first `count` items of a range, and the key of the last item if the range has this many items.

        SQLite joins the items, which is twice as fast as returning them one by one.
        """
        return self._joined(connection, low, high, descending, count)[:4]

    def first(self, connection: sqlite3.Connection, low: bytes, high: bytes, descending: bool, count: int) -> Joined:
        """Return the same as `joined`, but with the last item instead of its key."""
        body, found, size, _, last_item = self._joined(connection, low, high, descending, count)
        return body, found, size, last_item

    def _joined(
        self, connection: sqlite3.Connection, low: bytes, high: bytes, descending: bool, count: int
    ) -> tuple[bytes, int, int, bytes | None, bytes | None]:
        """Return joined items, their count, the sum of their sizes, and the last key and item if there are `count`."""
        statement = self._joined_down if descending else self._joined_up
        items, heads = connection.execute(statement, (low, high, count)).fetchone()
        try:
            found, size, item_bytes, key_bytes = verified_join(items, heads or b"", descending) if items else (0,) * 4
            last_key = heads[len(heads) - key_bytes :] if found else None
            if found < count and not descending and self._has_rows(connection, low, last_key, high):
                raise NotOnFastPath  # a damaged key ended the statement too early
        except NotOnFastPath:
            rows = list(islice(self.range(connection, low, high, descending), count + 1))[:count]  # verifies the end
            body = b",".join([item for _, item, _ in rows])
            last_key, last_item = rows[-1][:2] if len(rows) == count else (None, None)
            return body, len(rows), sum(size for _, _, size in rows), last_key, last_item
        FAST_CHECKSUMS.hits += 1
        if found < count:
            return items or b"", found, size, None, None
        return items, found, size, last_key, items[len(items) - item_bytes :]

    def _has_rows(self, connection: sqlite3.Connection, low: bytes, after: bytes | None, high: bytes) -> bool:
        """Return whether a range has rows, or rows above the key `after`."""
        start = low if after is None else after + b"\x00"
        return connection.execute(self._any, (start, high)).fetchone() is not None

    def after(self, connection: sqlite3.Connection, key: bytes, count: int) -> list[Row]:
        """Return the next rows above a key, at most `count`."""
        return list(self._verified(connection, iter(connection.execute(self._after, (key, count)).fetchall())))

    def unverified_get(self, connection: sqlite3.Connection, key: bytes) -> tuple[bytes, int] | None:
        """Return the item with this key and its size without verifying them, or None."""
        row: tuple[bytes, int] | None = connection.execute(self._unverified_get, (key,)).fetchone()
        return row

    def unverified_after(
        self, connection: sqlite3.Connection, key: bytes, count: int
    ) -> list[tuple[bytes, bytes, int, bytes | None]]:
        """Return the next rows above a key with their checksums, without verifying them."""
        return connection.execute(self._unverified, (key, count)).fetchall()

    def last_key(self, connection: sqlite3.Connection) -> bytes:
        """Return the highest key, or empty bytes."""
        key: bytes | None = connection.execute(self._last).fetchone()[0]
        return key or b""

    def count(self, connection: sqlite3.Connection) -> tuple[int, int]:
        """Return the number of items and the sum of their sizes, by reading all of them."""
        row: tuple[int, int] = connection.execute(self._count).fetchone()
        return row

    def bytes_between(self, connection: sqlite3.Connection, low: bytes, high: bytes) -> int:
        """Return the sum of the sizes from `low` (included) to `high` (excluded)."""
        total: int = connection.execute(self._between, (low, high)).fetchone()[0]
        return total

    def _verified(
        self, connection: sqlite3.Connection, rows: Iterator[_StoredRow], descending: bool = False
    ) -> Iterator[Row]:
        previous: bytes | None = None
        for key, item, checksum in rows:
            try:
                size = verified_size(key, item, checksum)
            except NotOnFastPath:
                size = self._size_without_checksum(connection, key, checksum)
            if previous is not None and (key >= previous if descending else key <= previous):
                raise damage_error(f"{self.label}: the row with the key {_key_text(key)}, which is not in key order,")
            previous = key
            yield key, item, size

    def _size_without_checksum(self, connection: sqlite3.Connection, key: bytes, checksum: bytes | None) -> int:
        """Return the stored size of a row that may lack a checksum; raise StoreRefused for a damaged row."""
        if checksum is not None or not store_format.may_lack_checksums(connection):
            raise damage_error(f"{self.label}: the row with the key {_key_text(key)}")
        FAST_CHECKSUMS.misses += 1
        size: int = connection.execute(self._unverified_get, (key,)).fetchone()[1]
        return size


def joined_items(items: Iterator[tuple[bytes, int]], count_max: int, bytes_max: int) -> JoinedRows:
    """Join items with commas until their number or their sizes reach a limit."""
    bodies: list[bytes] = []
    read_bytes = 0
    for body, size in items:
        bodies.append(body)
        read_bytes += size
        if len(bodies) == count_max or read_bytes >= bytes_max:
            return b",".join(bodies), len(bodies), read_bytes, body
    return b",".join(bodies), len(bodies), read_bytes, None


def _key_text(key: object) -> str:
    """Return a key for an error message: its bytes, and its partition and sort key if these can be decoded."""
    if not isinstance(key, bytes):
        return repr(key)
    try:
        partition, sort = split_table_key(key)
    except ValueError:
        return key.hex()
    return f"{partition!r}, {sort!r} (stored as {key.hex()})"


def _open_range(connection: sqlite3.Connection, statement: str, *bounds: bytes) -> sqlite3.Cursor:
    """Start a range read. Its cursor is closed when the connection is released, or earlier."""
    assert isinstance(connection, StoreConnection)
    rows = connection.execute(statement, bounds)
    connection.open_cursors.append(rows)
    return rows


EXPIRY_COLUMNS = "at INTEGER NOT NULL, key BLOB NOT NULL, PRIMARY KEY (at, key)"


class ExpiryTree:
    """Entry keys by the second in which their items expire, for the table with this number."""

    __slots__ = ("_add", "_due", "_remove", "name")

    def __init__(self, number: int) -> None:
        self.name = name = f"x{number}"
        self._add = f"INSERT OR IGNORE INTO {name} VALUES (?, ?)"  # noqa: S608  # built from a number
        self._remove = f"DELETE FROM {name} WHERE at = ? AND key = ?"  # noqa: S608
        self._due = f"SELECT at, key FROM {name} WHERE at > ? AND at <= ? ORDER BY at, key LIMIT ?"  # noqa: S608

    def create(self, connection: sqlite3.Connection) -> None:
        """Create the tree."""
        connection.execute(f"CREATE TABLE {self.name} ({EXPIRY_COLUMNS}) WITHOUT ROWID")

    def drop(self, connection: sqlite3.Connection) -> None:
        """Drop the tree with its content."""
        connection.execute(f"DROP TABLE IF EXISTS {self.name}")

    def add(self, connection: sqlite3.Connection, at: int, key: bytes) -> None:
        """Record the time when an item expires."""
        connection.execute(self._add, (at, key))

    def remove(self, connection: sqlite3.Connection, at: int, key: bytes) -> None:
        """Remove the record of an item."""
        connection.execute(self._remove, (at, key))

    def due(self, connection: sqlite3.Connection, after: int, until: int, count: int) -> list[tuple[int, bytes]]:
        """Return the first `count` records with `after` < time <= `until`."""
        return connection.execute(self._due, (after, until, count)).fetchall()

    def rows(self, connection: sqlite3.Connection) -> list[tuple[int, bytes]]:
        """Return all records: expiry times and entry keys."""
        return connection.execute(f"SELECT at, key FROM {self.name}").fetchall()  # noqa: S608
