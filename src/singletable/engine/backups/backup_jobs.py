"""Creates and deletes backups. Small backups complete within the request, large backups in a background job."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from singletable.engine.background_jobs import Stopped
from singletable.engine.backups.backup_records import (
    Backup,
    all_backups,
    backup_bytes,
    backup_record,
    change_backup,
    find_backup,
    is_deleted_or_expired,
    is_small,
)
from singletable.engine.backups.table_snapshot import STEP_ITEMS, TableSnapshot, in_steps, items_now
from singletable.engine.storage import backup_rows, catalog_rows
from singletable.engine.storage.backup_rows import BackupRow
from singletable.engine.storage.item_tree import Row, Tree
from singletable.engine.storage.store import StaleCatalog
from singletable.engine.tables.arns import new_identifier
from singletable.engine.tables.stored_table import StoredTable
from singletable.engine.tables.table_definition import TableDefinition, definition_from
from singletable.errors import RequestRefused, StoreRefused

DELETED_TABLE_BACKUP_SECONDS = 35 * 86_400

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def make_backup(engine: Engine, table: StoredTable, backup: Backup) -> Backup:
    """Back up a table. For a large table, a background job continues to copy after this function returns."""
    with engine.store.reading() as connection:
        is_immediate = engine.store.is_memory or is_small(connection, table.tree)
    if is_immediate:
        return _copy_at_once(engine, table, backup)
    snapshot = items_now(engine.store, table)
    try:
        engine.jobs.start_owned(f"backup {backup.identifier}", lambda: _start_copy(engine, snapshot, backup))
    except BaseException:
        snapshot.close()
        raise
    return backup


def _copy_at_once(engine: Engine, table: StoredTable, backup: Backup) -> Backup:
    with engine.store.writing() as connection:
        row = backup_rows.create(connection, backup.identifier, backup_bytes(backup))
        items, size = backup_rows.copy_all(connection, table.tree, row.tree)
        finished = msgspec.structs.replace(backup, status="AVAILABLE", items=items, size=size)
        change_backup(connection, row, finished)
    return finished


class _Copy:
    """The background job that copies a table into a backup."""

    def __init__(self, engine: Engine, snapshot: TableSnapshot[Row], row: BackupRow, backup: Backup) -> None:
        self._engine = engine
        self._snapshot = snapshot
        self._row = row
        self._backup = backup

    def __call__(self) -> None:
        try:
            self._copy()
        except (Stopped, sqlite3.Error, StaleCatalog, StoreRefused):
            # Discard the partial copy. If the store is unavailable, the next engine that opens it discards the copy.
            discard(self._engine, self._row)
        except BaseException:
            discard(self._engine, self._row)
            raise
        finally:
            self._snapshot.close()

    def _copy(self) -> None:
        store, items, size = self._engine.store, 0, 0
        for step in in_steps(self._snapshot.rows):
            self._engine.jobs.check()
            with store.writing() as connection:
                backup_rows.add(connection, self._row.tree, step)
            items += len(step)
            size += sum(item_size for _, _, item_size in step)
        with store.writing() as connection:
            finished = msgspec.structs.replace(self._backup, status="AVAILABLE", items=items, size=size)
            change_backup(connection, self._row, finished)
        store.flush()


def _start_copy(engine: Engine, snapshot: TableSnapshot[Row], backup: Backup) -> _Copy:
    with engine.store.writing() as connection:
        row = backup_rows.create(connection, backup.identifier, backup_bytes(backup))
    return _Copy(engine, snapshot, row, backup)


def deleted_table_backup(engine: Engine, definition: TableDefinition) -> Callable[[sqlite3.Connection, Tree], None]:
    """Return a function that turns the tree of a deleted table into a backup without copying any items."""

    def adopt(connection: sqlite3.Connection, tree: Tree) -> None:
        now = engine.now()
        items, size = tree.count(connection)
        backup = Backup(
            identifier=new_identifier(now),
            name=f"{definition.name}$DeletedTableBackup",
            at=now,
            status="AVAILABLE",
            definition=definition,
            items=items,
            size=size,
            kind="SYSTEM",
            expires_at=now + DELETED_TABLE_BACKUP_SECONDS,
        )
        backup_rows.adopt(connection, backup.identifier, backup_bytes(backup), tree)

    return adopt


def discard(engine: Engine, row: BackupRow) -> None:
    """Mark a backup as deleted, if the store is available.

    The next engine that opens the store deletes the items of the backup.
    """
    try:
        with engine.store.writing() as connection:
            change_backup(connection, row, msgspec.structs.replace(backup_record(row).backup, status="DELETED"))
    except StoreRefused:
        pass


def remove_backup(engine: Engine, arn: str) -> Backup:
    """Delete a backup and return its metadata. A background job deletes the items of a large backup."""
    with engine.store.writing() as connection:
        found = find_backup(engine, connection, arn)
        if found.backup.status == "CREATING" or arn in _restored_from(connection):
            raise RequestRefused("BackupInUseException", f"Backup is in use: {arn}")
        if is_small(connection, found.row.tree):
            backup_rows.drop(connection, found.row)
            return found.backup
        change_backup(connection, found.row, msgspec.structs.replace(found.backup, status="DELETED"))
    start_deletions(engine)
    return found.backup


def _restored_from(connection: sqlite3.Connection) -> set[str]:
    """Return the ARNs of the backups from which a table is currently being restored."""
    definitions = [definition_from(row.definition) for row in catalog_rows.rows(connection)]
    return {
        definition.restored.backup
        for definition in definitions
        if definition.status == "CREATING" and definition.restored is not None and definition.restored.backup
    }


def start_deletions(engine: Engine) -> None:
    """Start background jobs that delete the items of deleted and expired backups, and resume unfinished deletions."""
    with engine.store.reading() as connection:
        removed = [found.row for found in all_backups(connection) if is_deleted_or_expired(found.backup, engine.now())]
    for row in removed:
        engine.jobs.start(f"removal {row.identifier}", _Deletion(engine, row))


class _Deletion:
    """The background job that deletes the items of a backup."""

    def __init__(self, engine: Engine, row: BackupRow) -> None:
        self._engine = engine
        self._row = row

    def __call__(self) -> None:
        try:
            while self._delete_some():
                self._engine.jobs.check()
        except (Stopped, StaleCatalog, StoreRefused):
            return  # another process has finished the deletion, or the next engine resumes it

    def _delete_some(self) -> bool:
        with self._engine.store.writing() as connection:
            if backup_rows.remove_some(connection, self._row, STEP_ITEMS):
                return True
            backup_rows.drop(connection, self._row)
            return False
