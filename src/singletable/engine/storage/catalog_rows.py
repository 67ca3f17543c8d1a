"""The catalog: a row for each table with its definition, and the trees of the table and its indexes.

The name of a tree has the number of its table, which is never used again, and the generation of its definition. What
changes a definition renames the trees; so a process that remembers an older one finds no tree of the name it knows, and
no process has to ask before each request whether it is up to date.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from singletable.engine.storage.layout import TREE_COLUMNS
from singletable.engine.storage.refusals import StaleCatalog
from singletable.engine.storage.tree import Tree

_COLUMNS = "name, number, generation, definition"


class CatalogRow(NamedTuple):
    """A table as the store knows it; what its definition says is the engine's business."""

    name: str
    number: int
    generation: int
    definition: bytes


def rows(connection: sqlite3.Connection) -> list[CatalogRow]:
    """Every table, by name."""
    found = connection.execute(f"SELECT {_COLUMNS} FROM catalog ORDER BY name")  # noqa: S608  # a constant
    return [CatalogRow(*row) for row in found]


def row(connection: sqlite3.Connection, name: str) -> CatalogRow | None:
    """The table of that name."""
    found = connection.execute(f"SELECT {_COLUMNS} FROM catalog WHERE name = ?", (name,)).fetchone()  # noqa: S608
    return None if found is None else CatalogRow(*found)


def tree_of(number: int, generation: int, index: int | None = None) -> Tree:
    """The tree of a table, or of the index that has this number in it."""
    return Tree(f"t{number}_{generation}" if index is None else f"t{number}_{generation}_i{index}")


def create(connection: sqlite3.Connection, name: str, definition: bytes, indexes: Iterable[int]) -> CatalogRow:
    """Adds a table with its trees."""
    added = connection.execute(
        "INSERT INTO catalog (name, generation, definition) VALUES (?, 1, ?)", (name, definition)
    )
    number = added.lastrowid
    assert number is not None
    for index in (None, *indexes):
        create_tree(connection, tree_of(number, 1, index))
    return CatalogRow(name, number, 1, definition)


def change(
    connection: sqlite3.Connection, before: CatalogRow, definition: bytes, had: Iterable[int], has: Iterable[int]
) -> CatalogRow:
    """Keeps a changed definition as the next generation, with the trees of the indexes that it has now."""
    after = before._replace(generation=before.generation + 1, definition=definition)
    changed = connection.execute(
        "UPDATE catalog SET generation = ?, definition = ? WHERE number = ? AND generation = ?",
        (after.generation, definition, before.number, before.generation),
    )
    if changed.rowcount == 0:
        raise StaleCatalog(f"{before.name} is no longer of generation {before.generation}")
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
    """Removes a table with its trees; `keeps_items` leaves the tree of its items, which then is the caller's."""
    connection.execute("DELETE FROM catalog WHERE number = ?", (row.number,))
    for index in indexes if keeps_items else (None, *indexes):
        drop_tree(connection, tree_of(row.number, row.generation, index))


def tree_statement(tree: Tree) -> str:
    """What makes a tree."""
    return f"CREATE TABLE {tree.name} ({TREE_COLUMNS})"


def create_tree(connection: sqlite3.Connection, tree: Tree) -> None:
    """Makes an empty tree."""
    connection.execute(tree_statement(tree))


def drop_tree(connection: sqlite3.Connection, tree: Tree) -> None:
    """Ends a tree with everything in it."""
    connection.execute(f"DROP TABLE {tree.name}")
