"""Streams: which numbers of a table's change log each of them shows; they outlive the table by a day."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

_COLUMNS = "table_name, label, number, first, last, ended_at, document"


class StreamRow(NamedTuple):
    """A stream as the store knows it; what its document says is the engine's business."""

    table_name: str
    label: str
    number: int
    """Of the table, and so of its log."""
    first: int
    last: int | None
    """None while changes are added."""
    ended_at: float | None
    document: bytes


def rows(connection: sqlite3.Connection, table_name: str | None = None) -> list[StreamRow]:
    """Every stream, or those that a table has had, in the order of their names."""
    where = "" if table_name is None else "WHERE table_name = ?"
    found = connection.execute(
        f"SELECT {_COLUMNS} FROM streams {where} ORDER BY table_name, label",  # noqa: S608  # constants
        () if table_name is None else (table_name,),
    )
    return [StreamRow(*row) for row in found]


def row(connection: sqlite3.Connection, table_name: str, label: str) -> StreamRow | None:
    """The stream of that name."""
    found = connection.execute(
        f"SELECT {_COLUMNS} FROM streams WHERE table_name = ? AND label = ?",  # noqa: S608
        (table_name, label),
    ).fetchone()
    return None if found is None else StreamRow(*found)


def begin(connection: sqlite3.Connection, stream: StreamRow) -> None:
    """Adds a stream."""
    connection.execute("INSERT OR REPLACE INTO streams VALUES (?, ?, ?, ?, ?, ?, ?)", stream)


def end(connection: sqlite3.Connection, number: int, last: int, at: float) -> None:
    """Ends the stream that shows a log, at its latest change."""
    connection.execute(
        "UPDATE streams SET last = ?, ended_at = ? WHERE number = ? AND last IS NULL", (last, at, number)
    )


def forget(connection: sqlite3.Connection, ended_before: float) -> list[int]:
    """Removes the streams that ended before a time; returns the numbers of their tables."""
    gone = connection.execute("SELECT number FROM streams WHERE ended_at < ?", (ended_before,)).fetchall()
    connection.execute("DELETE FROM streams WHERE ended_at < ?", (ended_before,))
    return [each[0] for each in gone]


def numbers(connection: sqlite3.Connection) -> set[int]:
    """The numbers of the tables whose logs are shown by some stream."""
    return {each[0] for each in connection.execute("SELECT DISTINCT number FROM streams")}
