"""The catalog: one row per table with its definition, and the trees of the table and its indexes.

The name of a tree contains the number of its table, which is never reused, and the generation of the definition. Each
change of a definition renames the trees. So a process with an outdated definition finds no tree under the old name, and
no process has to check before each request whether its definition is current.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from singletable.engine.storage.item_tree import Tree
from singletable.engine.storage.row_checksum import check_record, record_checksum
from singletable.engine.storage.sqlite_errors import StaleCatalog
from singletable.engine.storage.store_format import VERSION, tree_columns, tree_prefix

_PREFIX = tree_prefix(VERSION)
_COLUMNS = "name, number, generation, definition, checksum"


class CatalogRow(NamedTuple):
    """A stored table. `definition` is JSON, and the storage layer does not parse it."""

    name: str
    number: int
    generation: int
    definition: bytes


def rows(connection: sqlite3.Connection) -> list[CatalogRow]:
    """Return every table, ordered by name."""
    found = connection.execute(f"SELECT {_COLUMNS} FROM catalog ORDER BY name")  # noqa: S608  # a constant
    return [_verified(connection, *row) for row in found]


def row(connection: sqlite3.Connection, name: str) -> CatalogRow | None:
    """Return a table by its name, or None."""
    found = connection.execute(f"SELECT {_COLUMNS} FROM catalog WHERE name = ?", (name,)).fetchone()  # noqa: S608
    return None if found is None else _verified(connection, *found)


def _verified(
    connection: sqlite3.Connection, name: str, number: int, generation: int, definition: bytes, checksum: int | None
) -> CatalogRow:
    check_record(connection, f"table {name} in the catalog", checksum, number, name, generation, definition)
    return CatalogRow(name, number, generation, definition)


def tree_of(number: int, generation: int, index: int | None = None, label: str | None = None) -> Tree:
    """Return the tree of a table, or of its index with this number; error messages show the label."""
    name = f"{_PREFIX}{number}_{generation}"
    return Tree(name if index is None else f"{name}_i{index}", label)


def create(connection: sqlite3.Connection, name: str, definition: bytes, indexes: Iterable[int]) -> CatalogRow:
    """Add a table with its trees."""
    added = connection.execute(
        "INSERT INTO catalog (name, generation, definition, checksum) VALUES (?, 1, ?, 0)", (name, definition)
    )
    number = added.lastrowid
    assert number is not None
    checksum = record_checksum(number, name, 1, definition)
    connection.execute("UPDATE catalog SET checksum = ? WHERE number = ?", (checksum, number))
    for index in (None, *indexes):
        create_tree(connection, tree_of(number, 1, index))
    return CatalogRow(name, number, 1, definition)


def change(
    connection: sqlite3.Connection, before: CatalogRow, definition: bytes, had: Iterable[int], has: Iterable[int]
) -> CatalogRow:
    """Store a changed definition as the next generation. Create and drop index trees to match it."""
    after = before._replace(generation=before.generation + 1, definition=definition)
    checksum = record_checksum(after.number, after.name, after.generation, definition)
    changed = connection.execute(
        "UPDATE catalog SET generation = ?, definition = ?, checksum = ? WHERE number = ? AND generation = ?",
        (after.generation, definition, checksum, before.number, before.generation),
    )
    if changed.rowcount == 0:
        raise StaleCatalog(f"{before.name} no longer has generation {before.generation}")
    old_indexes, new_indexes = set(had), set(has)
    for index in (None, *sorted(old_indexes & new_indexes)):
        old, new = tree_of(before.number, before.generation, index), tree_of(after.number, after.generation, index)
        connection.execute(f"ALTER TABLE {old.name} RENAME TO {new.name}")
    for index in sorted(old_indexes - new_indexes):
        drop_tree(connection, tree_of(before.number, before.generation, index))
    for index in sorted(new_indexes - old_indexes):
        create_tree(connection, tree_of(after.number, after.generation, index))
    return after


def drop(connection: sqlite3.Connection, row: CatalogRow, indexes: Iterable[int], *, keeps_items: bool = False) -> None:
    """Delete a table with its trees. With `keeps_items`, do not drop the tree of its items."""
    connection.execute("DELETE FROM catalog WHERE number = ?", (row.number,))
    for index in indexes if keeps_items else (None, *indexes):
        drop_tree(connection, tree_of(row.number, row.generation, index))


def tree_statement(name: str, version: int = VERSION) -> str:
    """Return the CREATE TABLE statement of a tree, for a version of the store format."""
    return f"CREATE TABLE {name} ({tree_columns(version)})"


def create_tree(connection: sqlite3.Connection, tree: Tree) -> None:
    """Create an empty tree."""
    connection.execute(tree_statement(tree.name))


def drop_tree(connection: sqlite3.Connection, tree: Tree) -> None:
    """Drop a tree with its content."""
    connection.execute(f"DROP TABLE {tree.name}")
