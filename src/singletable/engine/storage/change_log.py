"""The changes to the items of one table, in their order, each written in the transaction that makes it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from singletable.engine.storage.connection import Connection

COLUMNS = (
    "sequence INTEGER PRIMARY KEY NOT NULL, at REAL NOT NULL, by_service INTEGER NOT NULL, "
    "key BLOB NOT NULL, before BLOB, after BLOB"
)
# What a row has in place of a key where changes were not noted for a while; every real key is longer.
NO_KEY = b""
# The newest change is never removed: SQLite would give its number again, and the order would be lost.
_TRIMMED_ROWS = 1000


class Change(NamedTuple):
    """An item before and after a write, either of which may be nothing; `by_service` if its time had come."""

    sequence: int
    at: float
    by_service: bool
    key: bytes
    before: bytes | None
    after: bytes | None


class Span(NamedTuple):
    """The first and the last change to one item among some changes, by their numbers."""

    key: bytes
    first: int
    last: int


class ChangeLog:
    """The log of the table that has this number; it outlives the table as long as somebody may read it."""

    __slots__ = ("_add", "_at", "_first", "_first_after", "_first_since", "_last", "_next", "_since", "_spans", "name")

    def __init__(self, number: int) -> None:
        self.name = name = f"c{number}"
        self._add = f"INSERT INTO {name} (at, by_service, key, before, after) VALUES (?, ?, ?, ?, ?)"  # noqa: S608  # names are ours
        self._next = f"SELECT * FROM {name} WHERE sequence BETWEEN ? AND ? ORDER BY sequence LIMIT ?"  # noqa: S608
        self._since = f"SELECT * FROM {name} WHERE at > ? ORDER BY sequence DESC"  # noqa: S608
        self._first_since = f"SELECT sequence FROM {name} WHERE at >= ? ORDER BY sequence LIMIT 1"  # noqa: S608
        self._first_after = f"SELECT min(sequence) FROM {name} WHERE at > ?"  # noqa: S608
        self._spans = (
            f"SELECT key, min(sequence), max(sequence) FROM {name} "  # noqa: S608
            "WHERE sequence BETWEEN ? AND ? AND key != x'' GROUP BY key ORDER BY key"
        )
        self._at = f"SELECT * FROM {name} WHERE sequence = ?"  # noqa: S608
        self._first = f"SELECT coalesce(min(sequence), 0) FROM {name}"  # noqa: S608
        self._last = f"SELECT coalesce(max(sequence), 0) FROM {name}"  # noqa: S608

    def create(self, connection: sqlite3.Connection) -> None:
        """Makes the log, unless it is there from an earlier time."""
        connection.execute(f"CREATE TABLE IF NOT EXISTS {self.name} ({COLUMNS})")

    def drop(self, connection: sqlite3.Connection) -> None:
        """Ends the log with everything in it."""
        connection.execute(f"DROP TABLE IF EXISTS {self.name}")

    def add(
        self,
        connection: sqlite3.Connection,
        at: float,
        key: bytes,
        before: bytes | None,
        after: bytes | None,
        by_service: bool = False,
    ) -> None:
        """Notes a change as the latest."""
        connection.execute(self._add, (at, by_service, key, before, after))

    def mark_gap(self, connection: sqlite3.Connection, at: float) -> None:
        """Notes that changes before this were not noted for a while: a row without a key, which is no change."""
        self.add(connection, at, NO_KEY, None, None)

    def between(self, connection: sqlite3.Connection, first: int, last: int, count: int) -> list[Change]:
        """The changes with these numbers, both included, at most so many of them."""
        return [_change(row) for row in connection.execute(self._next, (first, last, count))]

    def newest_first(self, connection: sqlite3.Connection, after: float) -> Iterator[Change]:
        """The changes that were made after a time, the latest first."""
        return map(_change, connection.execute(self._since, (after,)))

    def first_since(self, connection: sqlite3.Connection, at: float) -> int:
        """The number of the first change from that time on, or the one that the next change will have."""
        row = connection.execute(self._first_since, (at,)).fetchone()
        return self.last(connection) + 1 if row is None else int(row[0])

    def first_after(self, connection: sqlite3.Connection, at: float) -> int:
        """The same for the first change that was made later than that time."""
        number: int | None = connection.execute(self._first_after, (at,)).fetchone()[0]
        return self.last(connection) + 1 if number is None else number

    def spans(self, connection: sqlite3.Connection, first: int, last: int) -> Iterator[Span]:
        """What was changed from one number to another, both included: each key once, in the order of the keys."""
        assert isinstance(connection, Connection)
        rows = connection.execute(self._spans, (first, last))
        connection.open_ranges.append(rows)
        return map(Span._make, rows)

    def change(self, connection: sqlite3.Connection, sequence: int) -> Change:
        """The change with that number."""
        return _change(connection.execute(self._at, (sequence,)).fetchone())

    def first(self, connection: sqlite3.Connection) -> int:
        """The number of the oldest change that is there; 0 when there is none."""
        number: int = connection.execute(self._first).fetchone()[0]
        return number

    def last(self, connection: sqlite3.Connection) -> int:
        """The number of the latest change; 0 before the first."""
        number: int = connection.execute(self._last).fetchone()[0]
        return number

    def trim(self, connection: sqlite3.Connection, before: float) -> bool:
        """Removes some of the changes older than a time; whether there may be more of them."""
        end = min(self.first_since(connection, before), self.last(connection))
        removed = connection.execute(
            f"DELETE FROM {self.name} WHERE sequence IN "  # noqa: S608
            f"(SELECT sequence FROM {self.name} WHERE sequence < ? ORDER BY sequence LIMIT {_TRIMMED_ROWS})",
            (end,),
        )
        return removed.rowcount == _TRIMMED_ROWS


def _change(row: tuple[int, float, int, bytes, bytes | None, bytes | None]) -> Change:
    return Change(row[0], row[1], bool(row[2]), *row[3:])
