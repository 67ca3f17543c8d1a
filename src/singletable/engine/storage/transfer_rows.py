"""Exports and imports in the store: one row per job with its description."""

from __future__ import annotations

import sqlite3
from typing import Literal, NamedTuple

Kind = Literal["export", "import"]


class TransferRow(NamedTuple):
    """A stored export or import; the store does not interpret the document."""

    identifier: str
    kind: Kind
    document: bytes


def rows(connection: sqlite3.Connection, kind: Kind) -> list[TransferRow]:
    """Return every export or every import, ordered by identifier."""
    statement = "SELECT identifier, kind, document FROM transfers WHERE kind = ? ORDER BY identifier"
    return [TransferRow(*row) for row in connection.execute(statement, (kind,))]


def row(connection: sqlite3.Connection, identifier: str) -> TransferRow | None:
    """Return an export or import by its identifier, or None."""
    statement = "SELECT identifier, kind, document FROM transfers WHERE identifier = ?"
    found = connection.execute(statement, (identifier,)).fetchone()
    return None if found is None else TransferRow(*found)


def save(connection: sqlite3.Connection, row: TransferRow) -> None:
    """Insert or replace an export or import."""
    connection.execute("INSERT OR REPLACE INTO transfers VALUES (?, ?, ?)", row)
