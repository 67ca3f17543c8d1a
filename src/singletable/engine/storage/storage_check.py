"""The integrity check of a store file: SQLite's own check, then the tables and entries by the store format."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

from singletable.engine.storage import backup_rows, catalog_rows, change_log_rows, item_tree, store_format
from singletable.engine.storage.catalog_rows import tree_of, tree_statement
from singletable.engine.storage.entry_keys import split_table_key
from singletable.engine.storage.item_tree import Tree
from singletable.engine.storage.store import Store

# A longer list of problems does not help the user.
PROBLEMS_MAX = 100

_TREE_NAME = re.compile(r"t(\d+)_(\d+)(?:_i\d+)?")


def check_storage(store: Store, *, quick: bool = False) -> list[str]:
    """Return the problems of a store, at most 100. `quick` skips the check of each item."""
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
    return [] if found == ["ok"] else [f"SQLite reports a damaged database: {line}" for line in found]


def _wrong_tables(connection: sqlite3.Connection) -> Iterator[str]:
    there = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    trees = {name: tree_statement(Tree(name)) for name in _tree_names(connection)}
    logs = {
        name: f"CREATE TABLE {name} ({change_log_rows.CHANGE_LOG_COLUMNS})" for name in _names(connection, "c[0-9]*")
    }
    expiries = {
        name: f"CREATE TABLE {name} ({item_tree.EXPIRY_COLUMNS}) WITHOUT ROWID"
        for name in _names(connection, "x[0-9]*")
    }
    version = store_format.read_version(connection)
    for name, statement in (store_format.schema_statements(version) | trees | logs | expiries).items():
        # SQLite quotes a name when it renames a table.
        if str(there.get(name)).replace('"', "") != statement:
            yield f"{name} does not match format version {version}: {there.get(name)}"
    page_bytes = connection.execute("PRAGMA page_size").fetchone()[0]
    if page_bytes != store_format.PAGE_BYTES:
        yield f"the page size is {page_bytes} bytes, but format version {version} has {store_format.PAGE_BYTES} bytes"


def _wrong_trees(connection: sqlite3.Connection) -> Iterator[str]:
    rows = catalog_rows.rows(connection)
    names = set(_tree_names(connection))
    generations = {row.number: row.generation for row in rows}
    for row in rows:
        if tree_of(row.number, row.generation).name not in names:
            yield f"the items of {row.name} are missing: {tree_of(row.number, row.generation).name} does not exist"
    has_backups = store_format.read_version(connection) >= store_format.BACKUPS_SINCE
    copies = {backup.tree.name: backup for backup in backup_rows.rows(connection)} if has_backups else {}
    for name, backup in copies.items():
        if name not in names:
            yield f"the items of backup {backup.identifier} are missing: {name} does not exist"
    for name in sorted(names - set(copies)):
        matched = _TREE_NAME.fullmatch(name)
        if matched is None:
            yield f"{name} does not belong to a backup"
        elif generations.get(int(matched[1])) != int(matched[2]):
            yield f"{name} does not belong to a table in the catalog"


def _tree_names(connection: sqlite3.Connection) -> list[str]:
    return _names(connection, "[bt][0-9]*")


def _names(connection: sqlite3.Connection, pattern: str) -> list[str]:
    statement = "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB ? ORDER BY 1"
    return [row[0] for row in connection.execute(statement, (pattern,))]


def _wrong_entries(connection: sqlite3.Connection, tree: str) -> Iterator[str]:
    rows = connection.execute(f"SELECT key, typeof(key), typeof(item), size, typeof(size) FROM {tree}")  # noqa: S608  # a name from the database's own list
    for key, key_type, item_type, size, size_type in rows:
        if (key_type, item_type, size_type) != ("blob", "blob", "integer"):
            yield f"{tree} has a row with wrong types ({key_type}, {item_type}, {size_type}): {key!r}"
            continue
        if size < 1:
            yield f"{tree} has an item with the invalid size {size}: {key.hex()}"
        try:
            split_table_key(key)
        except ValueError as error:
            yield f"{tree}: {error}"
