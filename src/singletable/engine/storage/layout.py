"""The format of a store, as docs/format.md explains it: what makes a file one, and the tables it is made of."""

from __future__ import annotations

import secrets
import sqlite3
from pathlib import Path

from singletable.errors import StoreRefused

FORMAT = "singletable"
VERSION = 2
APPLICATION_ID = int.from_bytes(b"STBL", "big")
PAGE_BYTES = 8192

STATEMENTS = {
    "meta": "CREATE TABLE meta (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL)",
    # AUTOINCREMENT: a number is never given to a second table, whose trees a stale process could take for the first's.
    "catalog": "CREATE TABLE catalog (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE NOT NULL, "
    "generation INTEGER NOT NULL, definition BLOB NOT NULL)",
    "tokens": "CREATE TABLE tokens (token TEXT PRIMARY KEY NOT NULL, fingerprint BLOB NOT NULL, at REAL NOT NULL, "
    "answer BLOB NOT NULL)",
    "tokens_by_time": "CREATE INDEX tokens_by_time ON tokens (at)",
    "streams": "CREATE TABLE streams (table_name TEXT NOT NULL, label TEXT NOT NULL, number INTEGER NOT NULL, "
    "first INTEGER NOT NULL, last INTEGER, ended_at REAL, document BLOB NOT NULL, PRIMARY KEY (table_name, label))",
}
_SECRET_BYTES = 32
# The size stands before the item, so that reading it never has to walk through a large item.
TREE_COLUMNS = "key BLOB PRIMARY KEY NOT NULL, size INTEGER NOT NULL, item BLOB NOT NULL"


def make(connection: sqlite3.Connection) -> None:
    """Makes an empty database a store, unless another process was quicker."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _application_id(connection) == 0 and _table_count(connection) == 0:
            for statement in STATEMENTS.values():
                connection.execute(statement)
            facts = [("format", FORMAT), ("version", str(VERSION)), ("secret", secrets.token_hex(_SECRET_BYTES))]
            connection.executemany("INSERT INTO meta VALUES (?, ?)", facts)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Gives a store of an older format what it lacks: tables that it did not know, and nothing else."""
    if _version(connection) == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        there = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
        for name, statement in STATEMENTS.items():
            if name not in there:
                connection.execute(statement)
        connection.execute("INSERT OR IGNORE INTO meta VALUES ('secret', ?)", (secrets.token_hex(_SECRET_BYTES),))
        connection.execute("UPDATE meta SET value = ? WHERE name = 'version'", (str(VERSION),))
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def secret(connection: sqlite3.Connection) -> bytes:
    """What the store signs with: made with it, and known to nobody who cannot read its file."""
    return bytes.fromhex(connection.execute("SELECT value FROM meta WHERE name = 'secret'").fetchone()[0])


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


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()[0])


def _application_id(connection: sqlite3.Connection) -> int:
    identity: int = connection.execute("PRAGMA application_id").fetchone()[0]
    return identity


def _table_count(connection: sqlite3.Connection) -> int:
    count: int = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return count
