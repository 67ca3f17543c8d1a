"""The format of a store, as docs/format.md explains it: what makes a file one, and the tables it is made of."""

from __future__ import annotations

import secrets
import sqlite3
from pathlib import Path

from singletable.errors import StoreRefused

FORMAT = "singletable"
APPLICATION_ID = int.from_bytes(b"STBL", "big")
PAGE_BYTES = 8192

# What each version has beside what the one before it had; a store of an older version is given it when it is opened.
_ADDED = {
    1: {
        "meta": "CREATE TABLE meta (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL)",
        # AUTOINCREMENT: no number is given to a second table, whose trees a stale process could take for the first's.
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
        # AUTOINCREMENT: as in the catalog, since a backup has a tree of its number too.
        "backups": "CREATE TABLE backups (number INTEGER PRIMARY KEY AUTOINCREMENT, identifier TEXT UNIQUE NOT NULL, "
        "document BLOB NOT NULL)",
        "transfers": "CREATE TABLE transfers (identifier TEXT PRIMARY KEY NOT NULL, kind TEXT NOT NULL, "
        "document BLOB NOT NULL)",
    },
}
VERSION = max(_ADDED)
BACKUPS_SINCE = 3
_SECRET_BYTES = 32
# The size stands before the item, so that reading it never has to walk through a large item.
TREE_COLUMNS = "key BLOB PRIMARY KEY NOT NULL, size INTEGER NOT NULL, item BLOB NOT NULL"


def statements_of(version: int) -> dict[str, str]:
    """What makes the tables and indexes of a version that are not trees, by their names."""
    return {name: made for number, added in _ADDED.items() if number <= version for name, made in added.items()}


def make(connection: sqlite3.Connection) -> None:
    """Makes an empty database a store, unless another process was quicker."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _application_id(connection) == 0 and _table_count(connection) == 0:
            for statement in statements_of(VERSION).values():
                connection.execute(statement)
            facts = [("format", FORMAT), ("version", str(VERSION)), ("secret", secrets.token_hex(_SECRET_BYTES))]
            connection.executemany("INSERT INTO meta VALUES (?, ?)", facts)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Gives a store of an older version what it lacks, in one transaction, unless another process was quicker."""
    if version_of(connection) >= VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for number in range(version_of(connection) + 1, VERSION + 1):
            for statement in _ADDED[number].values():
                connection.execute(statement)
            connection.execute("UPDATE meta SET value = ? WHERE name = 'version'", (str(number),))
        connection.execute("INSERT OR IGNORE INTO meta VALUES ('secret', ?)", (secrets.token_hex(_SECRET_BYTES),))
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def secret(connection: sqlite3.Connection) -> bytes:
    """What the store signs with: made with it, and known to nobody who cannot read its file."""
    return bytes.fromhex(connection.execute("SELECT value FROM meta WHERE name = 'secret'").fetchone()[0])


def version_of(connection: sqlite3.Connection) -> int:
    """The version that a store says it has."""
    return int(connection.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()[0])


def is_blank(connection: sqlite3.Connection) -> bool:
    """Whether there is nothing in the file yet: it has just been made, or is empty."""
    pages: int = connection.execute("PRAGMA page_count").fetchone()[0]
    return pages == 0


def refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    """Refuses a database that is not a store, or one of a format that this release does not know."""
    if _application_id(connection) != APPLICATION_ID:
        raise StoreRefused(
            f"{path} is a SQLite database of another program, and no singletable store.\n"
            "  Name another path; a store is made where there is no file yet."
        )
    facts = dict(connection.execute("SELECT name, value FROM meta"))
    version = facts.get("version", "")
    if facts.get("format") != FORMAT or not version.isdecimal():
        raise StoreRefused(f"{path} does not say which format it has.\n  Bring it back from a copy.")
    if int(version) > VERSION:
        raise StoreRefused(
            f"{path} has format {version}, and this release of singletable knows formats up to {VERSION}.\n"
            "  Open it with a newer release: pip install --upgrade singletable"
        )


def _application_id(connection: sqlite3.Connection) -> int:
    identity: int = connection.execute("PRAGMA application_id").fetchone()[0]
    return identity


def _table_count(connection: sqlite3.Connection) -> int:
    count: int = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return count
