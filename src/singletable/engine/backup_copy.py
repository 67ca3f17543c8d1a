"""Making a backup and removing it: at once when it is small, else in steps between which others write."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from singletable.engine.arns import new_identifier
from singletable.engine.backups import (
    Backup,
    all_backups,
    backup_bytes,
    change_backup,
    find_backup,
    is_over,
    is_small,
    kept,
)
from singletable.engine.definition import TableDefinition, definition_from
from singletable.engine.jobs import Stopped
from singletable.engine.moment import STEP_ITEMS, Held, in_steps, items_now
from singletable.engine.storage import backup_rows, catalog_rows
from singletable.engine.storage.backup_rows import BackupRow
from singletable.engine.storage.store import StaleCatalog
from singletable.engine.storage.tree import Row, Tree
from singletable.engine.table import OpenTable
from singletable.errors import RequestRefused, StoreRefused

LAST_BACKUP_SECONDS = 35 * 86_400

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def make_backup(engine: Engine, table: OpenTable, backup: Backup) -> Backup:
    """Copies the table as it is now; what is too large to be copied at once goes on when this returns."""
    with engine.store.reading() as connection:
        at_once = engine.store.is_memory or is_small(connection, table.tree)
    if at_once:
        return _copy_at_once(engine, table, backup)
    moment = items_now(engine.store, table)
    try:
        engine.jobs.start_owned(f"backup {backup.identifier}", lambda: _begun(engine, moment, backup))
    except BaseException:
        moment.close()
        raise
    return backup


def _copy_at_once(engine: Engine, table: OpenTable, backup: Backup) -> Backup:
    with engine.store.writing() as connection:
        row = backup_rows.create(connection, backup.identifier, backup_bytes(backup))
        items, size = backup_rows.copy_all(connection, table.tree, row.tree)
        made = msgspec.structs.replace(backup, status="AVAILABLE", items=items, size=size)
        change_backup(connection, row, made)
    return made


class _Copy:
    """A backup that is being made, as a function without arguments: what its thread does."""

    def __init__(self, engine: Engine, moment: Held[Row], row: BackupRow, backup: Backup) -> None:
        self._engine = engine
        self._moment = moment
        self._row = row
        self._backup = backup

    def __call__(self) -> None:
        try:
            self._copy()
        except (Stopped, sqlite3.Error, StaleCatalog, StoreRefused):
            # A copy of a part of the table is none. If the store itself is out of reach, whoever opens it next says so.
            discard(self._engine, self._row)
        except BaseException:
            discard(self._engine, self._row)
            raise
        finally:
            self._moment.close()

    def _copy(self) -> None:
        store, items, size = self._engine.store, 0, 0
        for step in in_steps(self._moment.found):
            self._engine.jobs.check()
            with store.writing() as connection:
                backup_rows.add(connection, self._row.tree, step)
            items += len(step)
            size += sum(item_size for _, _, item_size in step)
        with store.writing() as connection:
            made = msgspec.structs.replace(self._backup, status="AVAILABLE", items=items, size=size)
            change_backup(connection, self._row, made)
        store.flush()


def _begun(engine: Engine, moment: Held[Row], backup: Backup) -> _Copy:
    with engine.store.writing() as connection:
        row = backup_rows.create(connection, backup.identifier, backup_bytes(backup))
    return _Copy(engine, moment, row, backup)


def last_backup(engine: Engine, definition: TableDefinition) -> Callable[[sqlite3.Connection, Tree], None]:
    """What makes a backup out of the tree of a table that ends; nothing is copied."""

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
            expires_at=now + LAST_BACKUP_SECONDS,
        )
        backup_rows.adopt(connection, backup.identifier, backup_bytes(backup), tree)

    return adopt


def discard(engine: Engine, row: BackupRow) -> None:
    """Marks a backup as removed, if the store lets it; its items are removed later, by whoever opens the store next."""
    try:
        with engine.store.writing() as connection:
            change_backup(connection, row, msgspec.structs.replace(kept(row).backup, status="DELETED"))
    except StoreRefused:
        pass


def remove_backup(engine: Engine, arn: str) -> Backup:
    """Removes a backup for everybody to see, and its items at once or in steps; returns it as it was."""
    with engine.store.writing() as connection:
        found = find_backup(engine, connection, arn)
        if found.backup.status == "CREATING" or arn in _restored_from(connection):
            raise RequestRefused("BackupInUseException", f"Backup is in use: {arn}")
        if is_small(connection, found.row.tree):
            backup_rows.drop(connection, found.row)
            return found.backup
        change_backup(connection, found.row, msgspec.structs.replace(found.backup, status="DELETED"))
    start_removals(engine)
    return found.backup


def _restored_from(connection: sqlite3.Connection) -> set[str]:
    """The ARNs of the backups that tables are being restored from."""
    definitions = [definition_from(row.definition) for row in catalog_rows.rows(connection)]
    return {
        definition.restored.backup
        for definition in definitions
        if definition.status == "CREATING" and definition.restored is not None and definition.restored.backup
    }


def start_removals(engine: Engine) -> None:
    """Goes on with removing the items of backups that are no more, also where a process left off."""
    with engine.store.reading() as connection:
        removed = [found.row for found in all_backups(connection) if is_over(found.backup, engine.now())]
    for row in removed:
        engine.jobs.start(f"removal {row.identifier}", _Removal(engine, row))


class _Removal:
    """The items of a backup that is no more, as a function without arguments: what its thread does."""

    def __init__(self, engine: Engine, row: BackupRow) -> None:
        self._engine = engine
        self._row = row

    def __call__(self) -> None:
        try:
            while self._removes_more():
                self._engine.jobs.check()
        except (Stopped, StaleCatalog, StoreRefused):
            return  # another process was quicker, or the next one goes on

    def _removes_more(self) -> bool:
        with self._engine.store.writing() as connection:
            if backup_rows.remove_some(connection, self._row, STEP_ITEMS):
                return True
            backup_rows.drop(connection, self._row)
            return False
