"""When the items of one table expire: their keys by that time, kept beside the items."""

from __future__ import annotations

import sqlite3

COLUMNS = "at INTEGER NOT NULL, key BLOB NOT NULL, PRIMARY KEY (at, key)"


class ExpiryTree:
    """Keys by the second in which their items expire, for the table that has this number."""

    __slots__ = ("_add", "_due", "_remove", "name")

    def __init__(self, number: int) -> None:
        self.name = name = f"x{number}"
        self._add = f"INSERT OR IGNORE INTO {name} VALUES (?, ?)"  # noqa: S608  # names are ours
        self._remove = f"DELETE FROM {name} WHERE at = ? AND key = ?"  # noqa: S608
        self._due = f"SELECT at, key FROM {name} WHERE at > ? AND at <= ? ORDER BY at, key LIMIT ?"  # noqa: S608

    def create(self, connection: sqlite3.Connection) -> None:
        """Makes the tree."""
        connection.execute(f"CREATE TABLE {self.name} ({COLUMNS}) WITHOUT ROWID")

    def drop(self, connection: sqlite3.Connection) -> None:
        """Ends the tree."""
        connection.execute(f"DROP TABLE IF EXISTS {self.name}")

    def add(self, connection: sqlite3.Connection, at: int, key: bytes) -> None:
        """Notes when an item expires."""
        connection.execute(self._add, (at, key))

    def remove(self, connection: sqlite3.Connection, at: int, key: bytes) -> None:
        """Forgets it."""
        connection.execute(self._remove, (at, key))

    def due(self, connection: sqlite3.Connection, after: int, until: int, count: int) -> list[tuple[int, bytes]]:
        """The first of what expires between two times."""
        return connection.execute(self._due, (after, until, count)).fetchall()

    def rows(self, connection: sqlite3.Connection) -> list[tuple[int, bytes]]:
        """Everything that expires, and when."""
        return connection.execute(f"SELECT at, key FROM {self.name}").fetchall()  # noqa: S608
