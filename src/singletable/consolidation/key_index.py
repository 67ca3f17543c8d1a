"""Key index: finds rows that map to the same key, in a temporary SQLite database on disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from types import TracebackType
from typing import Self


class KeyIndex:
    """The keys of mapped items with their rows, and the keys that these items refer to."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)  # a temporary file, which SQLite deletes
        self._database.execute("PRAGMA synchronous = OFF")
        self._database.execute("CREATE TABLE items (key TEXT PRIMARY KEY, row TEXT) WITHOUT ROWID")
        self._database.execute("CREATE TABLE referred (key TEXT PRIMARY KEY, row TEXT) WITHOUT ROWID")
        self._database.execute("BEGIN")

    def add(self, key: str, row: str) -> str | None:
        """Add the key of an item. Return the row that already maps to it, or None."""
        added = self._database.execute("INSERT OR IGNORE INTO items VALUES (?, ?)", (key, row))
        if added.rowcount:
            return None
        with closing(self._database.execute("SELECT row FROM items WHERE key = ?", (key,))) as found:
            known: str = found.fetchone()[0]
        return known

    def refer(self, key: str, row: str) -> None:
        """Add a key that an item refers to."""
        self._database.execute("INSERT OR IGNORE INTO referred VALUES (?, ?)", (key, row))

    def missing(self) -> Iterator[tuple[str, str]]:
        """Yield the keys that items refer to and that no row maps to, each with the first row that refers to it."""
        yield from self._database.execute(
            "SELECT key, row FROM referred WHERE key NOT IN (SELECT key FROM items) ORDER BY key"
        )

    def close(self) -> None:
        """Delete the index."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
