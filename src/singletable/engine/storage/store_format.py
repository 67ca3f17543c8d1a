"""The file format of a store (docs/reference/store-format.md): header, versions and metadata tables."""

from __future__ import annotations

import re
import secrets
import sqlite3
from pathlib import Path
from zlib import crc32

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
    # The tables of earlier versions with a checksum. An older release that has the store open cannot insert into them.
    4: {
        "catalog": "CREATE TABLE catalog (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE NOT NULL, "
        "generation INTEGER NOT NULL, definition BLOB NOT NULL, checksum INTEGER NOT NULL)",
        "tokens": "CREATE TABLE tokens (token TEXT PRIMARY KEY NOT NULL, fingerprint BLOB NOT NULL, at REAL NOT NULL, "
        "answer BLOB NOT NULL, checksum INTEGER NOT NULL)",
        "streams": "CREATE TABLE streams (table_name TEXT NOT NULL, label TEXT NOT NULL, number INTEGER NOT NULL, "
        "first INTEGER NOT NULL, last INTEGER, ended_at REAL, document BLOB NOT NULL, checksum INTEGER NOT NULL, "
        "PRIMARY KEY (table_name, label))",
        "backups": "CREATE TABLE backups (number INTEGER PRIMARY KEY AUTOINCREMENT, identifier TEXT UNIQUE NOT NULL, "
        "document BLOB NOT NULL, checksum INTEGER NOT NULL)",
        "transfers": "CREATE TABLE transfers (identifier TEXT PRIMARY KEY NOT NULL, kind TEXT NOT NULL, "
        "document BLOB NOT NULL, checksum INTEGER NOT NULL)",
    },
}
VERSION = max(_ADDED)
BACKUPS_SINCE = 3
CHECKSUMS_SINCE = 4
_VERSION = re.compile("[1-9][0-9]{0,8}")
_SECRET_BYTES = 32
_SECRET_CHECKSUM = "secret_checksum"  # noqa: S105  # the name of a row
# The size comes before the item, so that SQLite reads the size without walking through a large item.
CHECKSUM_OF_ROW, CHECKSUM_OF_CHANGE = "checksum BLOB", "checksum INTEGER"
_TREE_COLUMNS = "key BLOB PRIMARY KEY NOT NULL, size INTEGER NOT NULL, item BLOB NOT NULL"
_CHANGE_LOG_COLUMNS = (
    "sequence INTEGER PRIMARY KEY NOT NULL, at REAL NOT NULL, by_service INTEGER NOT NULL, "
    "key BLOB NOT NULL, before BLOB, after BLOB"
)
# The checksum comes last and can be NULL, because an upgrade adds the column to existing tables.
TREE_COLUMNS = f"{_TREE_COLUMNS}, {CHECKSUM_OF_ROW}"
CHANGE_LOG_COLUMNS = f"{_CHANGE_LOG_COLUMNS}, {CHECKSUM_OF_CHANGE}"
PENDING_CHECKSUMS = "checksums"
"""The name of the row in `meta` that exists until all rows of an upgraded store have checksums."""


def tree_columns(version: int) -> str:
    """Return the column definitions of a tree, for a version of the store format."""
    return TREE_COLUMNS if version >= CHECKSUMS_SINCE else _TREE_COLUMNS


def change_log_columns(version: int) -> str:
    """Return the column definitions of a change log, for a version of the store format."""
    return CHANGE_LOG_COLUMNS if version >= CHECKSUMS_SINCE else _CHANGE_LOG_COLUMNS


def tree_prefix(version: int) -> str:
    """Return the first letter of the tree names of tables and indexes, for a version of the store format.

    The letter changed together with the columns. So an older release that has the store open finds no tree to write to.
    """
    return "r" if version >= CHECKSUMS_SINCE else "t"


def statements_added_in(version: int) -> dict[str, str]:
    """Return the statements that create the new or changed metadata tables of a version, by name."""
    return _ADDED[version]


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
            connection.executemany("INSERT INTO meta VALUES (?, ?)", [("format", FORMAT), ("version", str(VERSION))])
            create_secret(connection)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def create_secret(connection: sqlite3.Connection) -> None:
    """Give a store a random secret, unless it has one, and a checksum of the secret."""
    connection.execute("INSERT OR IGNORE INTO meta VALUES ('secret', ?)", (secrets.token_hex(_SECRET_BYTES),))
    connection.execute(
        "INSERT OR REPLACE INTO meta VALUES (?, ?)", (_SECRET_CHECKSUM, _checksum_of(secret(connection)))
    )


def is_secret_sound(connection: sqlite3.Connection) -> bool:
    """Return whether the secret matches its checksum, which older formats do not have."""
    meta = dict(connection.execute("SELECT name, value FROM meta"))
    if int(meta["version"]) < CHECKSUMS_SINCE:
        return True
    try:
        return meta.get(_SECRET_CHECKSUM) == _checksum_of(bytes.fromhex(meta["secret"]))
    except (KeyError, ValueError):
        return False


def _checksum_of(key: bytes) -> str:
    return f"{crc32(key):08x}"


def secret(connection: sqlite3.Connection) -> bytes:
    """Return the key with which the store signs. It is created with the store, and stored only in its file."""
    return bytes.fromhex(_meta_value(connection, "secret"))


def read_version(connection: sqlite3.Connection) -> int:
    """Return the format version of a store."""
    return int(_meta_value(connection, "version"))


def _meta_value(connection: sqlite3.Connection, name: str) -> str:
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise StoreRefused(f"The store is damaged: it does not contain its {name}.\n  Restore the file from a copy.")
    return str(row[0])


def may_lack_checksums(connection: sqlite3.Connection) -> bool:
    """Return whether a row without a checksum is valid: in an older format, and until an upgrade has completed."""
    meta = dict(connection.execute("SELECT name, value FROM meta"))
    return int(meta["version"]) < CHECKSUMS_SINCE or PENDING_CHECKSUMS in meta


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
