"""The pass over an upgraded store that adds checksums to its rows, in small steps while the store is in use."""

from __future__ import annotations

from collections.abc import Callable

from singletable.engine.storage import store_format
from singletable.engine.storage.row_checksum import change_checksum, row_checksum
from singletable.engine.storage.sqlite_connection import StoreConnection
from singletable.engine.storage.store import StaleCatalog, Store
from singletable.engine.storage.store_upgrade import table_names

# One step is one transaction, short enough not to delay other writers.
STEP_ROWS = 500
STEP_BYTES = 4 * 2**20
_SIZE_MAX = 2**32 - 1  # a row with a damaged size or type gets no checksum


def lacks_checksums(store: Store) -> bool:
    """Return whether rows of the store may still lack checksums, because the pass is not complete."""
    with store.reading() as connection:
        return store_format.may_lack_checksums(connection)


def add_checksums(store: Store, pause: Callable[[], None]) -> None:
    """Add the missing checksums; any process can resume an interrupted pass, and several can run it at once.

    `pause` is called between two steps, and can raise an exception to end the pass.
    """
    done: set[str] = set()
    while not _complete(store, done):
        for name in _names(store) - done:
            try:
                _fill(store, name, pause)
            except StaleCatalog:
                continue  # the table was changed or dropped; a changed table has another name now
            done.add(name)


def _names(store: Store) -> set[str]:
    with store.reading() as connection:
        return _trees_and_logs(connection)


def _trees_and_logs(connection: StoreConnection) -> set[str]:
    return set(table_names(connection, "[brc][0-9]*"))


def _complete(store: Store, done: set[str]) -> bool:
    """End the pass if it has reached every table. Rows written since its start already have checksums."""
    with store.writing() as connection:
        if _trees_and_logs(connection) - done:
            return False
        connection.execute("DELETE FROM meta WHERE name = ?", (store_format.PENDING_CHECKSUMS,))
        return True


def _fill(store: Store, name: str, pause: Callable[[], None]) -> None:
    step = _log_step if name.startswith("c") else _tree_step
    first_missing = f"SELECT min(rowid) FROM {name} WHERE rowid > ? AND checksum IS NULL"  # noqa: S608  # a name from the database's own list
    position = -1
    while True:
        with store.reading() as connection:  # the search may take long, and a reader does not delay writers
            first: int | None = connection.execute(first_missing, (position,)).fetchone()[0]
        if first is None:
            return
        with store.writing() as connection:
            position = step(connection, name, first)
        pause()


def _tree_step(connection: StoreConnection, name: str, first: int) -> int:
    """Add missing checksums to the next rows of a tree, starting at a rowid. Return the last rowid reached."""
    rows = connection.execute(
        f"SELECT rowid, key, item, size FROM {name} WHERE rowid >= ? AND checksum IS NULL ORDER BY rowid LIMIT ?",  # noqa: S608
        (first, STEP_ROWS),
    )
    found: list[tuple[bytes, int]] = []
    read_bytes = 0
    number = first
    for number, key, item, size in rows:
        if isinstance(key, bytes) and isinstance(item, bytes) and 0 < size <= _SIZE_MAX:
            found.append((row_checksum(key, item, size), number))
            read_bytes += len(item)
        if read_bytes >= STEP_BYTES:
            break
    rows.close()
    connection.executemany(f"UPDATE {name} SET checksum = ? WHERE rowid = ?", found)  # noqa: S608
    return number


def _log_step(connection: StoreConnection, name: str, first: int) -> int:
    """Add missing checksums to the next changes of a log, from a sequence number on. Return the last number reached."""
    rows = connection.execute(
        f"SELECT sequence, at, by_service, key, before, after FROM {name} "  # noqa: S608
        "WHERE sequence >= ? AND checksum IS NULL ORDER BY sequence LIMIT ?",
        (first, STEP_ROWS),
    ).fetchall()
    connection.executemany(
        f"UPDATE {name} SET checksum = ? WHERE sequence = ?",  # noqa: S608
        [(change_checksum(*row), row[0]) for row in rows],
    )
    return int(rows[-1][0]) if rows else first
