"""Whether a store is whole: the database by SQLite's own judgement, and everything in it by the rules of the format."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

from singletable.engine.storage import backup_rows, catalog_rows, change_log, expiry_tree, layout
from singletable.engine.storage.catalog_rows import tree_of, tree_statement
from singletable.engine.storage.entry_key import split_table_key
from singletable.engine.storage.store import Store
from singletable.engine.storage.tree import Tree

# More of the same tells nobody more.
PROBLEMS_MAX = 100

_TREE_NAME = re.compile(r"t(\d+)_(\d+)(?:_i\d+)?")


def check(store: Store, *, quick: bool = False) -> list[str]:
    """What is wrong with a store, in sentences, at most a hundred of them; `quick` does not look at each item."""
    with store.snapshot() as connection:
        try:
            problems = _damage(connection, quick)
            if not problems:
                problems = [*_wrong_tables(connection), *_wrong_trees(connection)]
            if not problems and not quick:
                for name in _tree_names(connection):
                    problems.extend(_wrong_entries(connection, name))
        except sqlite3.DatabaseError as error:
            return [f"SQLite cannot read the database: {error}"]
    return problems[:PROBLEMS_MAX]


def _damage(connection: sqlite3.Connection, quick: bool) -> list[str]:
    pragma = "quick_check" if quick else "integrity_check"
    found = [str(row[0]) for row in connection.execute(f"PRAGMA {pragma}({PROBLEMS_MAX})")]
    return [] if found == ["ok"] else [f"SQLite finds the database damaged: {line}" for line in found]


def _wrong_tables(connection: sqlite3.Connection) -> Iterator[str]:
    there = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    trees = {name: tree_statement(Tree(name)) for name in _tree_names(connection)}
    logs = {name: f"CREATE TABLE {name} ({change_log.COLUMNS})" for name in _names(connection, "c[0-9]*")}
    expiries = {
        name: f"CREATE TABLE {name} ({expiry_tree.COLUMNS}) WITHOUT ROWID" for name in _names(connection, "x[0-9]*")
    }
    version = layout.version_of(connection)
    for name, statement in (layout.statements_of(version) | trees | logs | expiries).items():
        # SQLite quotes a name when it renames a table.
        if str(there.get(name)).replace('"', "") != statement:
            yield f"{name} is not what format {version} has there: {there.get(name)}"
    page_bytes = connection.execute("PRAGMA page_size").fetchone()[0]
    if page_bytes != layout.PAGE_BYTES:
        yield f"pages have {page_bytes} bytes, and {layout.PAGE_BYTES} in format {version}"


def _wrong_trees(connection: sqlite3.Connection) -> Iterator[str]:
    rows = catalog_rows.rows(connection)
    names = set(_tree_names(connection))
    generations = {row.number: row.generation for row in rows}
    for row in rows:
        if tree_of(row.number, row.generation).name not in names:
            yield f"the items of {row.name} are missing: there is no {tree_of(row.number, row.generation).name}"
    has_backups = layout.version_of(connection) >= layout.BACKUPS_SINCE
    copies = {backup.tree.name: backup for backup in backup_rows.rows(connection)} if has_backups else {}
    for name, backup in copies.items():
        if name not in names:
            yield f"the items of backup {backup.identifier} are missing: there is no {name}"
    for name in sorted(names - set(copies)):
        matched = _TREE_NAME.fullmatch(name)
        if matched is None:
            yield f"{name} belongs to no backup"
        elif generations.get(int(matched[1])) != int(matched[2]):
            yield f"{name} belongs to no table of the catalog"


def _tree_names(connection: sqlite3.Connection) -> list[str]:
    return _names(connection, "[bt][0-9]*")


def _names(connection: sqlite3.Connection, pattern: str) -> list[str]:
    statement = "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB ? ORDER BY 1"
    return [row[0] for row in connection.execute(statement, (pattern,))]


def _wrong_entries(connection: sqlite3.Connection, tree: str) -> Iterator[str]:
    rows = connection.execute(f"SELECT key, typeof(key), typeof(item), size, typeof(size) FROM {tree}")  # noqa: S608  # a name out of the database's own list
    for key, key_type, item_type, size, size_type in rows:
        if (key_type, item_type, size_type) != ("blob", "blob", "integer"):
            yield f"{tree} has a row of {key_type}, {item_type} and {size_type}: {key!r}"
            continue
        if size < 1:
            yield f"{tree} has an item of {size} bytes: {key.hex()}"
        try:
            split_table_key(key)
        except ValueError as error:
            yield f"{tree}: {error}"
