"""Trees: ordered maps from entry key to item, and from expiry time to entry key (TTL).

Each tree is one SQLite table.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import ClassVar

from singletable.engine.storage.sqlite_connection import StoreConnection

Row = tuple[bytes, bytes, int]  # key, item, size
Joined = tuple[bytes, int, int, bytes | None]
"""Items joined with commas, their count, the sum of their sizes, and the last key or item.

For no items, only the count.
"""


class Tree:
    """An ordered map of items. The object contains only SQL statements and statistics, so threads can share it."""

    __slots__ = (
        "_after",
        "_all",
        "_between",
        "_count",
        "_delete",
        "_down",
        "_first_down",
        "_first_up",
        "_get",
        "_items_down",
        "_items_up",
        "_joined_down",
        "_joined_up",
        "_last",
        "_put",
        "_up",
        "name",
        "typical_bytes",
        "typical_items",
    )
    joins: ClassVar[bool] = True
    """Whether `joined` returns the same items as `items`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.typical_bytes = 0.0
        """The average size of the items of the last read, or 0 before the first read."""
        self.typical_items = 0
        """The number of items in the last page that was read."""
        self._get = f"SELECT item, size FROM {name} WHERE key = ?"  # noqa: S608  # tree names are letters and digits
        self._put = (
            f"INSERT INTO {name} (key, item, size) VALUES (?, ?, ?) "  # noqa: S608  # as above, here and below
            "ON CONFLICT (key) DO UPDATE SET item = excluded.item, size = excluded.size"
        )
        self._delete = f"DELETE FROM {name} WHERE key = ?"  # noqa: S608
        self._up = f"SELECT key, item, size FROM {name} WHERE key >= ? AND key < ? ORDER BY key"  # noqa: S608
        self._down = self._up + " DESC"
        self._items_up = f"SELECT item, size FROM {name} WHERE key >= ? AND key < ? ORDER BY key"  # noqa: S608
        self._items_down = self._items_up + " DESC"
        # With a LIMIT, SQLite reads the inner rows in order and joins them in this order. Finding the last key by its
        # OFFSET takes a third of the time of max(key).
        joined = (
            "SELECT CAST(group_concat(item, ',') AS BLOB), count(*), sum(size), ({last} LIMIT 1 OFFSET ?) "
            "FROM ({rows} LIMIT ?)"
        )
        among = f"FROM {name} WHERE key >= ? AND key < ? ORDER BY key"
        self._joined_up = joined.format(last=f"SELECT key {among}", rows=f"SELECT item, size {among}")
        self._joined_down = joined.format(last=f"SELECT key {among} DESC", rows=f"SELECT item, size {among} DESC")
        self._first_up = joined.format(last=f"SELECT item {among}", rows=f"SELECT item, size {among}")
        self._first_down = joined.format(last=f"SELECT item {among} DESC", rows=f"SELECT item, size {among} DESC")
        self._all = f"SELECT key, item, size FROM {name} ORDER BY key"  # noqa: S608
        self._after = f"SELECT key, item, size FROM {name} WHERE key > ? ORDER BY key LIMIT ?"  # noqa: S608
        self._last = f"SELECT max(key) FROM {name}"  # noqa: S608
        self._count = f"SELECT count(*), coalesce(sum(size), 0) FROM {name}"  # noqa: S608
        self._between = f"SELECT coalesce(sum(size), 0) FROM {name} WHERE key >= ? AND key < ?"  # noqa: S608

    def get(self, connection: sqlite3.Connection, key: bytes) -> tuple[bytes, int] | None:
        """Return the item with this key and its size, or None."""
        row: tuple[bytes, int] | None = connection.execute(self._get, (key,)).fetchone()
        return row

    def put(self, connection: sqlite3.Connection, key: bytes, item: bytes, size: int) -> None:
        """Insert or replace the item of a key."""
        connection.execute(self._put, (key, item, size))

    def put_many(self, connection: sqlite3.Connection, rows: Iterable[Row]) -> None:
        """Insert or replace several items."""
        connection.executemany(self._put, rows)

    def delete(self, connection: sqlite3.Connection, key: bytes) -> None:
        """Delete the item of a key, if it exists."""
        connection.execute(self._delete, (key,))

    def range(self, connection: sqlite3.Connection, low: bytes, high: bytes, descending: bool = False) -> Iterator[Row]:
        """Return the rows from `low` (included) to `high` (excluded).

        They are valid until the connection is released.
        """
        return _open_range(connection, self._down if descending else self._up, low, high)

    def all(self, connection: sqlite3.Connection) -> Iterator[Row]:
        """Return every row in key order. The rows are valid until the connection is released."""
        return _open_range(connection, self._all)

    def items(
        self, connection: sqlite3.Connection, low: bytes, high: bytes, descending: bool = False
    ) -> Iterator[tuple[bytes, int]]:
        """Return the items and sizes of a range without the keys. This is a sixth faster than `range`."""
        return _open_range(connection, self._items_down if descending else self._items_up, low, high)

    def joined(self, connection: sqlite3.Connection, low: bytes, high: bytes, descending: bool, count: int) -> Joined:
        """Return the first `count` items of a range, and the key of the last item if the range has this many items.

        SQLite joins the items, which is twice as fast as returning them one by one.
        """
        statement = self._joined_down if descending else self._joined_up
        row: Joined = connection.execute(statement, (low, high, count - 1, low, high, count)).fetchone()
        return row

    def first(self, connection: sqlite3.Connection, low: bytes, high: bytes, descending: bool, count: int) -> Joined:
        """Return the same as `joined`, but with the last item instead of its key."""
        statement = self._first_down if descending else self._first_up
        row: Joined = connection.execute(statement, (low, high, count - 1, low, high, count)).fetchone()
        return row

    def after(self, connection: sqlite3.Connection, key: bytes, count: int) -> list[Row]:
        """Return the next rows above a key, at most `count`."""
        return connection.execute(self._after, (key, count)).fetchall()

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
