"""Upgrades a store to the newest format in one transaction, and shows an older store as if it had been upgraded."""

from __future__ import annotations

import sqlite3

from singletable.engine.storage import store_format
from singletable.engine.storage.row_checksum import record_checksum
from singletable.engine.storage.store_format import CHECKSUMS_SINCE, PENDING_CHECKSUMS, VERSION

_TREES, _LOGS = "[bt][0-9]*", "c[0-9]*"
_LAST_WITHOUT_CHECKSUMS = CHECKSUMS_SINCE - 1


def upgrade(connection: sqlite3.Connection) -> None:
    """Bring a store to the latest version in one transaction, unless another process has just done so.

    Existing rows get their checksums later: see checksum_pass.py.
    """
    if store_format.read_version(connection) >= VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for number in range(store_format.read_version(connection) + 1, VERSION + 1):
            if number == CHECKSUMS_SINCE:
                _add_checksum_columns(connection)
            else:
                for statement in store_format.statements_added_in(number).values():
                    connection.execute(statement)
            connection.execute("UPDATE meta SET value = ? WHERE name = 'version'", (str(number),))
        store_format.create_secret(connection)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def show_as_upgraded(connection: sqlite3.Connection) -> None:
    """Make an older store readable without changing it: with views for this connection only."""
    if store_format.read_version(connection) >= CHECKSUMS_SINCE:
        return
    metadata = store_format.schema_statements(VERSION)
    names = [name for name in table_names(connection, "*") if name in metadata and name != "meta"]
    for old in (*names, *table_names(connection, _TREES), *table_names(connection, _LOGS)):
        connection.execute(f"CREATE TEMP VIEW {_new_name(old)} AS SELECT *, NULL AS checksum FROM main.{old}")  # noqa: S608  # names from the database's own list


def table_names(connection: sqlite3.Connection, pattern: str) -> list[str]:
    """Return the names of the SQLite tables that match a GLOB pattern."""
    statement = "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name GLOB ? ORDER BY name"
    return [row[0] for row in connection.execute(statement, (pattern,))]


def _add_checksum_columns(connection: sqlite3.Connection) -> None:
    trees, logs = table_names(connection, _TREES), table_names(connection, _LOGS)
    for old in trees:
        if (new := _new_name(old)) != old:
            connection.execute(f"ALTER TABLE {old} RENAME TO {new}")
        connection.execute(f"ALTER TABLE {new} ADD COLUMN {store_format.CHECKSUM_OF_ROW}")
    for log in logs:
        connection.execute(f"ALTER TABLE {log} ADD COLUMN {store_format.CHECKSUM_OF_CHANGE}")
    for name, statement in store_format.statements_added_in(CHECKSUMS_SINCE).items():
        _rebuild(connection, name, statement)
    connection.execute(store_format.schema_statements(VERSION)["tokens_by_time"])  # dropped with the old table
    connection.execute("INSERT INTO meta VALUES (?, 'pending')", (PENDING_CHECKSUMS,))


def _new_name(name: str) -> str:
    old_prefix = store_format.tree_prefix(_LAST_WITHOUT_CHECKSUMS)
    is_tree = name.startswith(old_prefix) and name[len(old_prefix) :][:1].isdigit()
    return store_format.tree_prefix(VERSION) + name.removeprefix(old_prefix) if is_tree else name


def _rebuild(connection: sqlite3.Connection, name: str, statement: str) -> None:
    """Create a metadata table again, with a checksum for each row and with the same AUTOINCREMENT counter."""
    rows = connection.execute(f"SELECT * FROM {name}").fetchall()  # noqa: S608  # names of our metadata tables
    used = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (name,)).fetchone()
    connection.execute(f"DROP TABLE {name}")
    connection.execute(statement)
    for row in rows:
        marks = ", ".join("?" * (len(row) + 1))
        connection.execute(f"INSERT INTO {name} VALUES ({marks})", (*row, record_checksum(*row)))  # noqa: S608
    if used is not None:
        connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
        connection.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (name, used[0]))
