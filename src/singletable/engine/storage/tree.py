"""Trees: ordered maps from an entry key to an item's bytes and its size, each a table of SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import ClassVar

from singletable.engine.storage.connection import Connection

Row = tuple[bytes, bytes, int]  # key, item, size
Joined = tuple[bytes, int, int, bytes | None]
"""Items with commas between them, how many they are, the sum of their sizes, and the last; of none, just the number."""


class Tree:
    """One ordered map; every method is one statement on the connection it is given, so trees are shared by all."""

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
    """Whether `joined` gives what `items` gives."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.typical_bytes = 0.0
        """How large the items were that were read last; 0 before any were."""
        self.typical_items = 0
        """How many items the page had that was read last."""
        self._get = f"SELECT item, size FROM {name} WHERE key = ?"  # noqa: S608  # names are ours: letters, digits
        self._put = (
            f"INSERT INTO {name} (key, item, size) VALUES (?, ?, ?) "  # noqa: S608  # as above, here and below
            "ON CONFLICT (key) DO UPDATE SET item = excluded.item, size = excluded.size"
        )
        self._delete = f"DELETE FROM {name} WHERE key = ?"  # noqa: S608
        self._up = f"SELECT key, item, size FROM {name} WHERE key >= ? AND key < ? ORDER BY key"  # noqa: S608
        self._down = self._up + " DESC"
        self._items_up = f"SELECT item, size FROM {name} WHERE key >= ? AND key < ? ORDER BY key"  # noqa: S608
        self._items_down = self._items_up + " DESC"
        # With a LIMIT, SQLite reads the inner rows in their order and joins them in it. To find the last key by its
        # place takes a third of the time that max(key) takes.
        joined = (
            "SELECT CAST(group_concat(item, ',') AS BLOB), count(*), sum(size), ({last} LIMIT 1 OFFSET ?4) "
            "FROM ({rows} LIMIT ?3)"
        )
        among = f"FROM {name} WHERE key >= ?1 AND key < ?2 ORDER BY key"
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
        """The item with that key and its size."""
        row: tuple[bytes, int] | None = connection.execute(self._get, (key,)).fetchone()
        return row

    def put(self, connection: sqlite3.Connection, key: bytes, item: bytes, size: int) -> None:
        """Sets the item of a key, whether it has one or not."""
        connection.execute(self._put, (key, item, size))

    def put_many(self, connection: sqlite3.Connection, rows: Iterable[Row]) -> None:
        """Sets the items of several keys."""
        connection.executemany(self._put, rows)

    def delete(self, connection: sqlite3.Connection, key: bytes) -> None:
        """Removes the item of a key, if it has one."""
        connection.execute(self._delete, (key,))

    def range(self, connection: sqlite3.Connection, low: bytes, high: bytes, descending: bool = False) -> Iterator[Row]:
        """The rows from `low` up to but without `high`, for as long as the connection is held."""
        return _begun(connection, self._down if descending else self._up, low, high)

    def all(self, connection: sqlite3.Connection) -> Iterator[Row]:
        """Every row in the order of the keys, for as long as the connection is held."""
        return _begun(connection, self._all)

    def items(
        self, connection: sqlite3.Connection, low: bytes, high: bytes, descending: bool = False
    ) -> Iterator[tuple[bytes, int]]:
        """The same without the keys: items and sizes, a sixth faster."""
        return _begun(connection, self._items_down if descending else self._items_up, low, high)

    def joined(self, connection: sqlite3.Connection, low: bytes, high: bytes, descending: bool, count: int) -> Joined:
        """The first `count` items, and the key of the last of them unless there are fewer.

        SQLite joins them, which is twice as fast as handing them over one by one.
        """
        statement = self._joined_down if descending else self._joined_up
        row: Joined = connection.execute(statement, (low, high, count, count - 1)).fetchone()
        return row

    def first(self, connection: sqlite3.Connection, low: bytes, high: bytes, descending: bool, count: int) -> Joined:
        """The same with the last item itself instead of its key."""
        statement = self._first_down if descending else self._first_up
        row: Joined = connection.execute(statement, (low, high, count, count - 1)).fetchone()
        return row

    def after(self, connection: sqlite3.Connection, key: bytes, count: int) -> list[Row]:
        """The next rows above a key, at most `count` of them."""
        return connection.execute(self._after, (key, count)).fetchall()

    def last_key(self, connection: sqlite3.Connection) -> bytes:
        """The highest key, or nothing when there is none."""
        key: bytes | None = connection.execute(self._last).fetchone()[0]
        return key or b""

    def count(self, connection: sqlite3.Connection) -> tuple[int, int]:
        """How many items there are, and the sum of their sizes; it reads all of them."""
        row: tuple[int, int] = connection.execute(self._count).fetchone()
        return row

    def bytes_between(self, connection: sqlite3.Connection, low: bytes, high: bytes) -> int:
        """The sum of the sizes of the rows from `low` up to but without `high`."""
        total: int = connection.execute(self._between, (low, high)).fetchone()[0]
        return total


def _begun(connection: sqlite3.Connection, statement: str, *bounds: bytes) -> sqlite3.Cursor:
    """A range that ends with the hold of its connection, if not before."""
    assert isinstance(connection, Connection)
    rows = connection.execute(statement, bounds)
    connection.open_ranges.append(rows)
    return rows
