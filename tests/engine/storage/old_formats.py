"""Turns a store of the newest format into one of format 3, which has no checksums."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from singletable.engine.storage import store_format

OLD_PUT = (
    "INSERT INTO {tree} (key, item, size) VALUES (?, ?, ?) "
    "ON CONFLICT (key) DO UPDATE SET item = excluded.item, size = excluded.size"
)


def downgrade(path: Path) -> None:
    """Give a closed store format 3."""
    with closing(sqlite3.connect(path)) as connection, connection:
        listed = "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB ?"
        trees, logs = ([row[0] for row in connection.execute(listed, (glob,))] for glob in ("[rb][0-9]*", "c[0-9]*"))
        for tree in trees:
            old = re.sub("^r", "t", tree)
            connection.execute(f"ALTER TABLE {tree} RENAME TO new")
            connection.execute(f"CREATE TABLE {old} ({store_format.tree_columns(3)})")
            connection.execute(f"INSERT INTO {old} SELECT key, size, item FROM new")
            connection.execute("DROP TABLE new")
        for log in logs:
            connection.execute(f"ALTER TABLE {log} RENAME TO new")
            connection.execute(f"CREATE TABLE {log} ({store_format.change_log_columns(3)})")
            connection.execute(f"INSERT INTO {log} SELECT sequence, at, by_service, key, before, after FROM new")
            connection.execute("DROP TABLE new")
        numbers = connection.execute("SELECT name, seq FROM sqlite_sequence").fetchall()
        metadata = store_format.schema_statements(3)
        for name in store_format.statements_added_in(4):
            rows = [row[:-1] for row in connection.execute(f"SELECT * FROM {name}")]
            connection.execute(f"DROP TABLE {name}")
            connection.execute(metadata[name])
            for row in rows:
                connection.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", row)
        connection.execute(metadata["tokens_by_time"])
        connection.execute("DELETE FROM sqlite_sequence")
        connection.executemany("INSERT INTO sqlite_sequence VALUES (?, ?)", numbers)
        connection.execute("UPDATE meta SET value = '3' WHERE name = 'version'")
        connection.execute("DELETE FROM meta WHERE name = 'secret_checksum'")
