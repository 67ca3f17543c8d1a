"""The integrity check of a store file: SQLite's own check, then the tables and entries by the store format."""

from __future__ import annotations

import re
import sqlite3
import struct
from collections.abc import Iterator
from typing import Any

from singletable.engine.storage import backup_rows, catalog_rows, item_tree, store_format
from singletable.engine.storage.catalog_rows import tree_statement
from singletable.engine.storage.entry_keys import split_table_key
from singletable.engine.storage.row_checksum import change_checksum, record_checksum
from singletable.engine.storage.store import Store
from singletable.engine.storage.store_format import CHECKSUMS_SINCE
from singletable.engine.storage.store_upgrade import table_names

# A longer list of problems does not help the user.
PROBLEMS_MAX = 100

_SEQUENCE_STATEMENT = "CREATE TABLE sqlite_sequence(name,seq)"
_TREE_NAME = re.compile(r"[rt](\d+)_(\d+)(?:_i\d+)?")


def check_storage(store: Store, *, quick: bool = False) -> list[str]:
    """Return the problems of a store, at most 100. `quick` skips the check of each item."""
    with store.snapshot() as connection:
        try:
            problems = _damage(connection, quick)
            if not problems:
                problems = list(_wrong_records(connection))
            if not problems:
                problems = [*_wrong_tables(connection), *_wrong_trees(connection)]
            if not problems and not quick:
                for name in _tree_names(connection):
                    problems.extend(_wrong_entries(connection, name))
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            return [f"SQLite cannot read the database: {error}"]
    return problems[:PROBLEMS_MAX]


def _damage(connection: sqlite3.Connection, quick: bool) -> list[str]:
    pragma = "quick_check" if quick else "integrity_check"
    found = [str(row[0]) for row in connection.execute(f"PRAGMA {pragma}({PROBLEMS_MAX})")]
    return [] if found == ["ok"] else [f"SQLite reports a damaged database: {line}" for line in found]


def _wrong_tables(connection: sqlite3.Connection) -> Iterator[str]:
    there = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    version = store_format.read_version(connection)
    trees = {name: tree_statement(name, version) for name in _tree_names(connection)}
    log_columns = store_format.change_log_columns(version)
    logs = {name: f"CREATE TABLE {name} ({log_columns})" for name in table_names(connection, "c[0-9]*")}
    expiries = {
        name: f"CREATE TABLE {name} ({item_tree.EXPIRY_COLUMNS}) WITHOUT ROWID"
        for name in table_names(connection, "x[0-9]*")
    }
    for name, statement in (store_format.schema_statements(version) | trees | logs | expiries).items():
        # SQLite quotes a name when it renames a table.
        if str(there.get(name)).replace('"', "") != statement:
            yield f"{name} does not match format version {version}: {there.get(name)}"
    yield from _wrong_schema_rows(connection)
    page_bytes = connection.execute("PRAGMA page_size").fetchone()[0]
    if page_bytes != store_format.PAGE_BYTES:
        yield f"the page size is {page_bytes} bytes, but format version {version} has {store_format.PAGE_BYTES} bytes"


def _wrong_schema_rows(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield a problem for each wrong row of SQLite's schema, and for each wrong AUTOINCREMENT counter."""
    for kind, name, table, statement in connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"):
        if kind == "table":
            is_sound = name == table and (name != "sqlite_sequence" or statement == _SEQUENCE_STATEMENT)
        else:
            is_sound = kind == "index" and (
                (name, table) == ("tokens_by_time", "tokens")
                or (statement is None and name.startswith(f"sqlite_autoindex_{table}_") and name[-1] in "12")
            )
        if not is_sound:
            yield f"SQLite's schema has a damaged row: {name!r}"
    highest = dict(connection.execute("SELECT name, seq FROM sqlite_sequence"))
    for table in ("catalog", "backups"):
        if _exists(connection, table):
            last = connection.execute(f"SELECT max(number) FROM {table}").fetchone()[0]  # noqa: S608  # a constant
            if last is not None and not last <= highest.pop(table, 0):
                yield f"the AUTOINCREMENT counter of {table} is too low: SQLite could use the number {last} again"
    yield from (
        f"sqlite_sequence has an unexpected row for {name!r}" for name in highest if name not in ("catalog", "backups")
    )


def _wrong_trees(connection: sqlite3.Connection) -> Iterator[str]:
    rows = catalog_rows.rows(connection)
    names = set(_tree_names(connection))
    prefix = store_format.tree_prefix(store_format.read_version(connection))
    generations = {row.number: row.generation for row in rows}
    for row in rows:
        if (tree := f"{prefix}{row.number}_{row.generation}") not in names:
            yield f"the items of {row.name} are missing: {tree} does not exist"
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
    prefix = store_format.tree_prefix(store_format.read_version(connection))
    return table_names(connection, f"[b{prefix}][0-9]*")


def _wrong_records(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield a problem for each metadata row and each logged change that does not match its checksum."""
    may_lack_checksums = store_format.may_lack_checksums(connection)
    if not store_format.is_secret_sound(connection):
        yield "the secret in meta does not match its checksum"
    for table in (name for name in store_format.statements_added_in(CHECKSUMS_SINCE) if _exists(connection, name)):
        for *values, checksum in connection.execute(f"SELECT * FROM {table}"):  # noqa: S608  # names of our metadata tables
            if not (checksum is None and may_lack_checksums) and checksum != record_checksum(*values):
                yield f"{table} has a row that does not match its checksum: {values[0]!r}"
    for log in table_names(connection, "c[0-9]*"):
        expected = None
        for *values, checksum in connection.execute(f"SELECT * FROM {log} ORDER BY sequence"):  # noqa: S608  # a name from the database's own list
            if not (checksum is None and may_lack_checksums) and checksum != _change_checksum(values):
                yield f"{log} has a change that does not match its checksum: {values[0]}"
            elif expected is not None and values[0] != expected:
                yield f"{log} lacks the changes from {expected} to {values[0] - 1}"
            expected = values[0] + 1


def _exists(connection: sqlite3.Connection, table: str) -> bool:
    return bool(table_names(connection, table))


def _change_checksum(values: list[Any]) -> int | None:
    try:
        return change_checksum(*values)
    except (TypeError, struct.error):
        return None


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
