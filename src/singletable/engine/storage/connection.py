"""Connections to SQLite, set up the same way for every use."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path
from typing import Any

from singletable.engine.storage.layout import PAGE_BYTES

# Between processes a writer waits this long for its turn before anybody hears of it.
BUSY_SECONDS = 60.0

_CACHE_BYTES = 16 * 2**20
# What a log that one huge transaction has stretched is cut back to.
_LOG_BYTES_KEPT = 80 * 2**20
# SQLite maps no more than its own limit, two gigabytes in most builds. It was measured on Linux alone, and is left off
# elsewhere.
_MAPPED_BYTES = 2**40 if sys.platform == "linux" else 0
_STATEMENTS_KEPT = 1024

_SETTINGS = (
    f"PRAGMA page_size = {PAGE_BYTES}",  # counts for a file that is made now
    f"PRAGMA cache_size = {-_CACHE_BYTES // 1024}",
    f"PRAGMA mmap_size = {_MAPPED_BYTES}",
    f"PRAGMA journal_size_limit = {_LOG_BYTES_KEPT}",
    # Checkpoints are ours to start, never beside a writer: see connection_pool.py.
    "PRAGMA wal_autocheckpoint = 0",
    # Some distributions build SQLite to overwrite what is deleted, which doubles the work of an overwrite.
    "PRAGMA secure_delete = OFF",
    "PRAGMA temp_store = MEMORY",
)


class Connection(sqlite3.Connection):
    """A connection that knows which ranges are being read on it.

    A statement that is not read to its end holds its snapshot, and whoever is given the connection next would read the
    past. Cursors end with the frame that holds them, but an exception keeps frames alive; so they are ended by hand.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.open_ranges: list[sqlite3.Cursor] = []
        self.moment: float | None = None
        """When the transaction that is open began to change items; a transaction has one moment."""

    def end_ranges(self) -> None:
        """Ends every range that was begun on the connection."""
        for cursor in self.open_ranges:
            cursor.close()
        self.open_ranges.clear()

    def map_anew(self) -> None:
        """Maps the file as large as it has become; SQLite does that only where the limit changes."""
        self.execute("PRAGMA mmap_size = 0")
        self.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")


def connect_to_memory() -> Connection:
    """A new store in memory, seen by this connection alone."""
    connection = _connect(":memory:")
    set_up(connection)
    return connection


def connect_to_file(path: Path, *, may_create: bool) -> Connection:
    """A connection to a file, not set up yet, since that makes SQLite look into the file."""
    return _connect(f"{path.as_uri()}?mode={'rwc' if may_create else 'rw'}")


def set_up(connection: Connection) -> None:
    """Gives a connection its settings, none of which is written into the file."""
    for setting in _SETTINGS:
        connection.execute(setting)


def _connect(target: str) -> Connection:
    return sqlite3.connect(
        target,
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=_STATEMENTS_KEPT,
        factory=Connection,
    )
