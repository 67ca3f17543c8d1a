"""Backups in the store: a row for each, with a tree of its own that holds the items of its table at one moment."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from singletable.engine.storage.catalog_rows import create_tree, drop_tree
from singletable.engine.storage.tree import Row, Tree

_COLUMNS = "number, identifier, document"


class BackupRow(NamedTuple):
    """A backup as the store knows it; what its document says is the engine's business."""

    number: int
    identifier: str
    document: bytes

    @property
    def tree(self) -> Tree:
        """Where its items are."""
        return tree_of(self.number)


def tree_of(number: int) -> Tree:
    """The tree of the backup with that number."""
    return Tree(f"b{number}")


def rows(connection: sqlite3.Connection) -> list[BackupRow]:
    """Every backup, in the order in which they were made."""
    found = connection.execute(f"SELECT {_COLUMNS} FROM backups ORDER BY number")  # noqa: S608  # a constant
    return [BackupRow(*row) for row in found]


def row(connection: sqlite3.Connection, identifier: str) -> BackupRow | None:
    """The backup of that identifier."""
    found = connection.execute(f"SELECT {_COLUMNS} FROM backups WHERE identifier = ?", (identifier,)).fetchone()  # noqa: S608
    return None if found is None else BackupRow(*found)


def create(connection: sqlite3.Connection, identifier: str, document: bytes) -> BackupRow:
    """Adds a backup with an empty tree."""
    added = _insert(connection, identifier, document)
    create_tree(connection, added.tree)
    return added


def adopt(connection: sqlite3.Connection, identifier: str, document: bytes, tree: Tree) -> BackupRow:
    """Adds a backup whose items are those of a tree that ends with it: nothing is copied."""
    added = _insert(connection, identifier, document)
    connection.execute(f"ALTER TABLE {tree.name} RENAME TO {added.tree.name}")
    return added


def change(connection: sqlite3.Connection, number: int, document: bytes) -> bool:
    """Keeps another document; whether the backup is still there."""
    return connection.execute("UPDATE backups SET document = ? WHERE number = ?", (document, number)).rowcount > 0


def drop(connection: sqlite3.Connection, row: BackupRow) -> None:
    """Removes a backup with its tree."""
    connection.execute("DELETE FROM backups WHERE number = ?", (row.number,))
    drop_tree(connection, row.tree)


def copy_all(connection: sqlite3.Connection, source: Tree, target: Tree) -> tuple[int, int]:
    """Copies a whole tree into an empty one; returns how many items these are, and the sum of their sizes."""
    # `SELECT *` between two tables that were made alike lets SQLite copy records as they are, without reading them.
    connection.execute(f"INSERT INTO {target.name} SELECT * FROM {source.name}")  # noqa: S608  # names are ours
    return target.count(connection)


def add(connection: sqlite3.Connection, target: Tree, rows: Iterable[Row]) -> None:
    """Adds rows whose keys the tree does not have yet."""
    connection.executemany(f"INSERT INTO {target.name} (key, item, size) VALUES (?, ?, ?)", rows)  # noqa: S608


def remove_some(connection: sqlite3.Connection, row: BackupRow, count: int) -> bool:
    """Removes so many items of a backup; whether there were any."""
    name = row.tree.name
    some = f"SELECT rowid FROM {name} LIMIT ?"  # noqa: S608  # names are ours
    return connection.execute(f"DELETE FROM {name} WHERE rowid IN ({some})", (count,)).rowcount > 0  # noqa: S608


def is_small(connection: sqlite3.Connection, tree: Tree, items_max: int, bytes_max: int) -> bool:
    """Whether a tree has no more items and bytes than these; it reads no more of it than it has to."""
    counted = f"SELECT count(*), coalesce(sum(size), 0) FROM (SELECT size FROM {tree.name} LIMIT ?)"  # noqa: S608
    items, size = connection.execute(counted, (items_max + 1,)).fetchone()
    return bool(items <= items_max and size <= bytes_max)


def _insert(connection: sqlite3.Connection, identifier: str, document: bytes) -> BackupRow:
    added = connection.execute("INSERT INTO backups (identifier, document) VALUES (?, ?)", (identifier, document))
    assert added.lastrowid is not None
    return BackupRow(added.lastrowid, identifier, document)
