"""The file format of a store (docs/reference/store-format.md): header, versions and metadata tables."""

from __future__ import annotations

import re
import secrets
import sqlite3
from pathlib import Path

from singletable.engine.storage.sqlite_errors import is_busy
from singletable.errors import StoreRefused

FORMAT = "singletable"
APPLICATION_ID = int.from_bytes(b"STBL", "big")
PAGE_BYTES = 8192

# The tables that each version adds. Opening a store of an older version creates the missing tables.
_ADDED = {
    1: {
        "meta": "CREATE TABLE meta (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL)",
        # AUTOINCREMENT never uses a number twice. Otherwise, a process with an old definition could read another table.
        "catalog": "CREATE TABLE catalog (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE NOT NULL, "
        "generation INTEGER NOT NULL, definition BLOB NOT NULL)",
        "tokens": "CREATE TABLE tokens (token TEXT PRIMARY KEY NOT NULL, fingerprint BLOB NOT NULL, at REAL NOT NULL, "
        "answer BLOB NOT NULL)",
        "tokens_by_time": "CREATE INDEX tokens_by_time ON tokens (at)",
    },
    2: {
        "streams": "CREATE TABLE streams (table_name TEXT NOT NULL, label TEXT NOT NULL, number INTEGER NOT NULL, "
        "first INTEGER NOT NULL, last INTEGER, ended_at REAL, document BLOB NOT NULL, PRIMARY KEY (table_name, label))",
    },
    3: {
        # AUTOINCREMENT is needed for the same reason as in the catalog, because the name of a backup's tree contains
        # its number.
        "backups": "CREATE TABLE backups (number INTEGER PRIMARY KEY AUTOINCREMENT, identifier TEXT UNIQUE NOT NULL, "
        "document BLOB NOT NULL)",
        "transfers": "CREATE TABLE transfers (identifier TEXT PRIMARY KEY NOT NULL, kind TEXT NOT NULL, "
        "document BLOB NOT NULL)",
    },
}
VERSION = max(_ADDED)
BACKUPS_SINCE = 3
_VERSION = re.compile("[1-9][0-9]{0,8}")
_SECRET_BYTES = 32
# The size comes before the item, so that SQLite can read the size without reading through a large item.
TREE_COLUMNS = "key BLOB PRIMARY KEY NOT NULL, size INTEGER NOT NULL, item BLOB NOT NULL"


def schema_statements(version: int) -> dict[str, str]:
    """Return the statements that create the metadata tables and indexes of a version, by name."""
    return {name: made for number, added in _ADDED.items() if number <= version for name, made in added.items()}


def initialize(connection: sqlite3.Connection) -> None:
    """Turn an empty database into a store, unless another process has just done this."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _application_id(connection) == 0 and _table_count(connection) == 0:
            for statement in schema_statements(VERSION).values():
                connection.execute(statement)
            rows = [("format", FORMAT), ("version", str(VERSION)), ("secret", secrets.token_hex(_SECRET_BYTES))]
            connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def upgrade(connection: sqlite3.Connection) -> None:
    """Upgrade a store to the latest version in one transaction, unless another process has just done this."""
    if read_version(connection) >= VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for number in range(read_version(connection) + 1, VERSION + 1):
            for statement in _ADDED[number].values():
                connection.execute(statement)
            connection.execute("UPDATE meta SET value = ? WHERE name = 'version'", (str(number),))
        connection.execute("INSERT OR IGNORE INTO meta VALUES ('secret', ?)", (secrets.token_hex(_SECRET_BYTES),))
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def secret(connection: sqlite3.Connection) -> bytes:
    """Return the key with which the store signs. It is created with the store, and stored only in its file."""
    return bytes.fromhex(connection.execute("SELECT value FROM meta WHERE name = 'secret'").fetchone()[0])


def read_version(connection: sqlite3.Connection) -> int:
    """Return the format version of a store."""
    return int(connection.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()[0])


def is_blank(connection: sqlite3.Connection) -> bool:
    """Return whether the file is new or empty."""
    pages: int = connection.execute("PRAGMA page_count").fetchone()[0]
    return pages == 0


def check_format(connection: sqlite3.Connection, path: Path) -> None:
    """Raise StoreRefused for a database that is not a store, or whose version this release does not support."""
    if _application_id(connection) != APPLICATION_ID:
        raise StoreRefused(
            f"{path} is a SQLite database of another program, not a singletable store.\n"
            "  Choose another path; singletable creates the store when the file does not exist."
        )
    try:
        meta = dict(connection.execute("SELECT name, value FROM meta"))
    except sqlite3.OperationalError as error:
        if is_busy(error):
            raise
        meta = {}
    version = str(meta.get("version"))
    if meta.get("format") != FORMAT or _VERSION.fullmatch(version) is None:
        raise StoreRefused(f"{path} does not contain its format version.\n  Restore the file from a copy.")
    if int(version) > VERSION:
        raise StoreRefused(
            f"{path} has format version {version}; this release of singletable supports versions up to {VERSION}.\n"
            "  Open it with a newer release: pip install --upgrade singletable"
        )


def _application_id(connection: sqlite3.Connection) -> int:
    identity: int = connection.execute("PRAGMA application_id").fetchone()[0]
    return identity


def _table_count(connection: sqlite3.Connection) -> int:
    count: int = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return count
