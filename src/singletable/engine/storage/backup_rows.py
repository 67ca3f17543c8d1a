"""Backups in the store: one row per backup, and one tree with the items of the table at the time of the backup."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from singletable.engine.storage import store_format
from singletable.engine.storage.catalog_rows import create_tree, drop_tree
from singletable.engine.storage.item_tree import Row, Tree
from singletable.engine.storage.row_checksum import check_record, record_checksum

_COLUMNS = "number, identifier, document, checksum"


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
    return Tree(f"b{number}", f"backup {number}")


def rows(connection: sqlite3.Connection) -> list[BackupRow]:
    """Return every backup, oldest first."""
    found = connection.execute(f"SELECT {_COLUMNS} FROM backups ORDER BY number")  # noqa: S608  # a constant
    return [_verified(connection, *row) for row in found]


def row(connection: sqlite3.Connection, identifier: str) -> BackupRow | None:
    """Return a backup by its identifier, or None."""
    found = connection.execute(f"SELECT {_COLUMNS} FROM backups WHERE identifier = ?", (identifier,)).fetchone()  # noqa: S608
    return None if found is None else _verified(connection, *found)


def _verified(
    connection: sqlite3.Connection, number: int, identifier: str, document: bytes, checksum: int | None
) -> BackupRow:
    check_record(connection, f"the record of backup {identifier}", checksum, number, identifier, document)
    return BackupRow(number, identifier, document)


def create(connection: sqlite3.Connection, identifier: str, document: bytes) -> BackupRow:
    """Add a backup with an empty tree."""
    added = _insert(connection, identifier, document)
    create_tree(connection, added.tree)
    return added


def adopt(connection: sqlite3.Connection, identifier: str, document: bytes, tree: Tree) -> BackupRow:
    """Add a backup that takes over an existing tree, so that no item is copied."""
    added = _insert(connection, identifier, document)
    connection.execute(f"ALTER TABLE {tree.name} RENAME TO {added.tree.name}")
    return added


def change(connection: sqlite3.Connection, number: int, document: bytes) -> bool:
    """Replace the document of a backup; return whether the backup still exists."""
    found = connection.execute("SELECT identifier FROM backups WHERE number = ?", (number,)).fetchone()
    if found is None:
        return False
    checksum = record_checksum(number, found[0], document)
    connection.execute("UPDATE backups SET document = ?, checksum = ? WHERE number = ?", (document, checksum, number))
    return True


def drop(connection: sqlite3.Connection, row: BackupRow) -> None:
    """Delete a backup with its tree."""
    connection.execute("DELETE FROM backups WHERE number = ?", (row.number,))
    drop_tree(connection, row.tree)


def copy_all(connection: sqlite3.Connection, source: Tree, target: Tree) -> tuple[int, int]:
    """Copy a whole tree into an empty one; return the number of items and the sum of their sizes."""
    if store_format.may_lack_checksums(connection):
        target.add_many(connection, source.all(connection))
        return target.count(connection)
    # `SELECT *` between two tables with the same columns lets SQLite copy records without decoding them.
    connection.execute(f"INSERT INTO {target.name} SELECT * FROM {source.name}")  # noqa: S608  # tree names are letters and digits
    return target.count(connection)


def add(connection: sqlite3.Connection, target: Tree, rows: Iterable[Row]) -> None:
    """Insert rows into a tree; their keys must not exist yet."""
    target.add_many(connection, rows)


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
    statement = "INSERT INTO backups (identifier, document, checksum) VALUES (?, ?, 0)"
    added = connection.execute(statement, (identifier, document))
    assert added.lastrowid is not None
    checksum = record_checksum(added.lastrowid, identifier, document)
    connection.execute("UPDATE backups SET checksum = ? WHERE number = ?", (checksum, added.lastrowid))
    return BackupRow(added.lastrowid, identifier, document)
