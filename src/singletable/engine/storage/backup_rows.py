"""Backups in the store: one row per backup, and one tree with the items of the table at the time of the backup."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from singletable.engine.storage.catalog_rows import create_tree, drop_tree
from singletable.engine.storage.item_tree import Row, Tree

_COLUMNS = "number, identifier, document"


class BackupRow(NamedTuple):
    """A stored backup. `document` describes the backup as JSON, and the storage layer does not parse it."""

    number: int
    identifier: str
    document: bytes

    @property
    def tree(self) -> Tree:
        """The tree with the items of the backup."""
        return tree_of(self.number)


def tree_of(number: int) -> Tree:
    """Return the tree of the backup with this number."""
    return Tree(f"b{number}")


def rows(connection: sqlite3.Connection) -> list[BackupRow]:
    """Return every backup, oldest first."""
    found = connection.execute(f"SELECT {_COLUMNS} FROM backups ORDER BY number")  # noqa: S608  # a constant
    return [BackupRow(*row) for row in found]


def row(connection: sqlite3.Connection, identifier: str) -> BackupRow | None:
    """Return a backup by its identifier, or None."""
    found = connection.execute(f"SELECT {_COLUMNS} FROM backups WHERE identifier = ?", (identifier,)).fetchone()  # noqa: S608
    return None if found is None else BackupRow(*found)


def create(connection: sqlite3.Connection, identifier: str, document: bytes) -> BackupRow:
    """Add a backup with an empty tree."""
    added = _insert(connection, identifier, document)
    create_tree(connection, added.tree)
    return added


def adopt(connection: sqlite3.Connection, identifier: str, document: bytes, tree: Tree) -> BackupRow:
    """Add a backup that takes an existing tree, so that no item is copied."""
    added = _insert(connection, identifier, document)
    connection.execute(f"ALTER TABLE {tree.name} RENAME TO {added.tree.name}")
    return added


def change(connection: sqlite3.Connection, number: int, document: bytes) -> bool:
    """Replace the document of a backup. Return whether the backup still exists."""
    return connection.execute("UPDATE backups SET document = ? WHERE number = ?", (document, number)).rowcount > 0


def drop(connection: sqlite3.Connection, row: BackupRow) -> None:
    """Delete a backup with its tree."""
    connection.execute("DELETE FROM backups WHERE number = ?", (row.number,))
    drop_tree(connection, row.tree)


def copy_all(connection: sqlite3.Connection, source: Tree, target: Tree) -> tuple[int, int]:
    """Copy a whole tree into an empty tree. Return the number of items and the sum of their sizes."""
    # `SELECT *` between two tables with the same columns lets SQLite copy records without decoding them.
    connection.execute(f"INSERT INTO {target.name} SELECT * FROM {source.name}")  # noqa: S608  # tree names are letters and digits
    return target.count(connection)


def add(connection: sqlite3.Connection, target: Tree, rows: Iterable[Row]) -> None:
    """Insert rows into a tree. Their keys must not exist yet."""
    connection.executemany(f"INSERT INTO {target.name} (key, item, size) VALUES (?, ?, ?)", rows)  # noqa: S608


def remove_some(connection: sqlite3.Connection, row: BackupRow, count: int) -> bool:
    """Delete up to `count` items of a backup. Return whether it deleted any items."""
    name = row.tree.name
    some = f"SELECT rowid FROM {name} LIMIT ?"  # noqa: S608  # tree names are letters and digits
    return connection.execute(f"DELETE FROM {name} WHERE rowid IN ({some})", (count,)).rowcount > 0  # noqa: S608


def is_small(connection: sqlite3.Connection, tree: Tree, items_max: int, bytes_max: int) -> bool:
    """Return whether a tree is within these limits. Read no more rows than needed."""
    counted = f"SELECT count(*), coalesce(sum(size), 0) FROM (SELECT size FROM {tree.name} LIMIT ?)"  # noqa: S608
    items, size = connection.execute(counted, (items_max + 1,)).fetchone()
    return bool(items <= items_max and size <= bytes_max)


def _insert(connection: sqlite3.Connection, identifier: str, document: bytes) -> BackupRow:
    added = connection.execute("INSERT INTO backups (identifier, document) VALUES (?, ?)", (identifier, document))
    assert added.lastrowid is not None
    return BackupRow(added.lastrowid, identifier, document)
