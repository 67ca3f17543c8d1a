"""Exports and imports in the store: a row for each, with all that is known of it."""

from __future__ import annotations

import sqlite3
from typing import Literal, NamedTuple

Kind = Literal["export", "import"]


class TransferRow(NamedTuple):
    """An export or an import as the store knows it; what its document says is the engine's business."""

    identifier: str
    kind: Kind
    document: bytes


def rows(connection: sqlite3.Connection, kind: Kind) -> list[TransferRow]:
    """Every export, or every import, by its identifier."""
    statement = "SELECT identifier, kind, document FROM transfers WHERE kind = ? ORDER BY identifier"
    return [TransferRow(*row) for row in connection.execute(statement, (kind,))]


def row(connection: sqlite3.Connection, identifier: str) -> TransferRow | None:
    """The export or import of that identifier."""
    statement = "SELECT identifier, kind, document FROM transfers WHERE identifier = ?"
    found = connection.execute(statement, (identifier,)).fetchone()
    return None if found is None else TransferRow(*found)


def keep(connection: sqlite3.Connection, row: TransferRow) -> None:
    """Keeps an export or import, in place of what was known of it."""
    connection.execute("INSERT OR REPLACE INTO transfers VALUES (?, ?, ?)", row)
