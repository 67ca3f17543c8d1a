"""The change log of a table, and its streams. The transaction that makes a change also logs it."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

from singletable.engine.storage import store_format
from singletable.engine.storage.row_checksum import change_checksum, check_record, damage_error, record_checksum
from singletable.engine.storage.sqlite_connection import StoreConnection

# The key of a row that marks a gap in the log; every real key is longer.
NO_KEY = b""
# The maximum number of changes that one trim removes. The newest change always stays, because SQLite would otherwise
# reuse its number, and the order of changes would be lost.
_TRIMMED_ROWS = 1000


class LoggedChange(NamedTuple):
    """A change of an item.

    `before` or `after` is None if the item did not exist. `by_service` marks an expiry (TTL).
    """

    sequence: int
    at: float
    by_service: bool
    key: bytes
    before: bytes | None
    after: bytes | None


class ItemChangeSpan(NamedTuple):
    """The sequence numbers of the first and the last change to one item within a range of the log."""

    key: bytes
    first: int
    last: int


class ChangeLog:
    """The change log of the table with this number.

    If a stream or recovery needs the log, it remains after the table is deleted.
    """

    __slots__ = ("_add", "_at", "_first", "_first_after", "_first_since", "_last", "_next", "_since", "_spans", "name")

    def __init__(self, number: int) -> None:
        self.name = name = f"c{number}"
        self._add = f"INSERT INTO {name} VALUES (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608  # built from a number
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
        """Create the log, unless it exists already."""
        connection.execute(f"CREATE TABLE IF NOT EXISTS {self.name} ({store_format.CHANGE_LOG_COLUMNS})")

    def drop(self, connection: sqlite3.Connection) -> None:
        """Drop the log with its content."""
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
        """Append a change."""
        sequence, at = self.last(connection) + 1, float(at)
        checksum = change_checksum(sequence, at, by_service, key, before, after)
        connection.execute(self._add, (sequence, at, by_service, key, before, after, checksum))

    def mark_gap(self, connection: sqlite3.Connection, at: float) -> None:
        """Append a row without a key. It marks a gap: some changes before this row were not logged."""
        self.add(connection, at, NO_KEY, None, None)

    def between(self, connection: sqlite3.Connection, first: int, last: int, count: int) -> list[LoggedChange]:
        """Return up to `count` changes, from number `first` to `last` inclusive."""
        return [self._verified(connection, *row) for row in connection.execute(self._next, (first, last, count))]

    def newest_first(self, connection: sqlite3.Connection, after: float) -> Iterator[LoggedChange]:
        """Return the changes made after a time, the latest first."""
        return (self._verified(connection, *row) for row in connection.execute(self._since, (after,)))

    def first_since(self, connection: sqlite3.Connection, at: float) -> int:
        """Return the number of the first change at or after a time.

        If there is none, return the number of the next change.
        """
        row = connection.execute(self._first_since, (at,)).fetchone()
        return self.last(connection) + 1 if row is None else int(row[0])

    def first_after(self, connection: sqlite3.Connection, at: float) -> int:
        """Return the number of the first change after a time.

        If there is none, return the number of the next change.
        """
        number: int | None = connection.execute(self._first_after, (at,)).fetchone()[0]
        return self.last(connection) + 1 if number is None else number

    def spans(self, connection: sqlite3.Connection, first: int, last: int) -> Iterator[ItemChangeSpan]:
        """Return the keys changed from number `first` to `last` inclusive. Each key occurs once, in key order."""
        assert isinstance(connection, StoreConnection)
        rows = connection.execute(self._spans, (first, last))
        connection.open_cursors.append(rows)
        return map(ItemChangeSpan._make, rows)

    def change(self, connection: sqlite3.Connection, sequence: int) -> LoggedChange:
        """Return the change with this number."""
        return self._verified(connection, *connection.execute(self._at, (sequence,)).fetchone())

    def first(self, connection: sqlite3.Connection) -> int:
        """Return the number of the oldest change in the log, or 0 if the log is empty."""
        number: int = connection.execute(self._first).fetchone()[0]
        return number

    def last(self, connection: sqlite3.Connection) -> int:
        """Return the number of the latest change, or 0 if the log is empty."""
        number: int = connection.execute(self._last).fetchone()[0]
        return number

    def trim(self, connection: sqlite3.Connection, before: float) -> bool:
        """Remove some of the changes older than a time. Return whether there may be more."""
        end = min(self.first_since(connection, before), self.last(connection))
        removed = connection.execute(
            f"DELETE FROM {self.name} WHERE sequence IN "  # noqa: S608
            f"(SELECT sequence FROM {self.name} WHERE sequence < ? ORDER BY sequence LIMIT {_TRIMMED_ROWS})",
            (end,),
        )
        return removed.rowcount == _TRIMMED_ROWS

    def _verified(
        self,
        connection: sqlite3.Connection,
        sequence: int,
        at: float,
        by_service: int,
        key: bytes,
        before: bytes | None,
        after: bytes | None,
        checksum: int | None,
    ) -> LoggedChange:
        change = LoggedChange(sequence, at, bool(by_service), key, before, after)
        try:
            is_sound = checksum == change_checksum(sequence, at, by_service, key, before, after)
        except (TypeError, ValueError, struct.error):
            is_sound = False
        if not is_sound and not (checksum is None and store_format.may_lack_checksums(connection)):
            raise damage_error(f"change {sequence} in the change log {self.name}")
        return change


_STREAM_COLUMNS = "table_name, label, number, first, last, ended_at, document, checksum"


class StreamRow(NamedTuple):
    """A stored stream, which is a range of a change log.

    `document` is JSON, and the storage layer does not parse it.
    """

    table_name: str
    label: str
    number: int
    """The number of the table, which is also the number of its log."""
    first: int
    last: int | None
    """None while the stream is enabled."""
    ended_at: float | None
    document: bytes


def list_streams(connection: sqlite3.Connection, table_name: str | None = None) -> list[StreamRow]:
    """Return every stream, or the streams of one table, ordered by table name and label."""
    where = "" if table_name is None else "WHERE table_name = ?"
    found = connection.execute(
        f"SELECT {_STREAM_COLUMNS} FROM streams {where} ORDER BY table_name, label",  # noqa: S608  # constants
        () if table_name is None else (table_name,),
    )
    return [_verified_stream(connection, row) for row in found]


def find_stream(connection: sqlite3.Connection, table_name: str, label: str) -> StreamRow | None:
    """Return a stream, or None."""
    found = connection.execute(
        f"SELECT {_STREAM_COLUMNS} FROM streams WHERE table_name = ? AND label = ?",  # noqa: S608
        (table_name, label),
    ).fetchone()
    return None if found is None else _verified_stream(connection, found)


def _verified_stream(connection: sqlite3.Connection, row: tuple[Any, ...]) -> StreamRow:
    check_record(connection, f"the record of stream {row[1]} of table {row[0]}", row[-1], *row[:-1])
    return StreamRow(*row[:-1])


def insert_stream(connection: sqlite3.Connection, stream: StreamRow) -> None:
    """Add a stream."""
    row = (*stream, record_checksum(*stream))
    connection.execute("INSERT OR REPLACE INTO streams VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)


def end_stream(connection: sqlite3.Connection, number: int, last: int, at: float) -> None:
    """End the enabled stream of a log at its latest change."""
    for stream in list_streams(connection):
        if stream.number == number and stream.last is None:
            insert_stream(connection, stream._replace(last=last, ended_at=float(at)))


def delete_ended_streams(connection: sqlite3.Connection, ended_before: float) -> list[int]:
    """Delete the streams that ended before a time. Return the numbers of their tables."""
    gone = connection.execute("SELECT number FROM streams WHERE ended_at < ?", (ended_before,)).fetchall()
    connection.execute("DELETE FROM streams WHERE ended_at < ?", (ended_before,))
    return [each[0] for each in gone]


def streamed_table_numbers(connection: sqlite3.Connection) -> set[int]:
    """Return the numbers of the tables that have a stream."""
    return {each[0] for each in connection.execute("SELECT DISTINCT number FROM streams")}
