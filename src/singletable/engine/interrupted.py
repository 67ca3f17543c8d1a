"""What a process had under way when it ended: found by whoever opens the store next, and brought to an end."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import msgspec

from singletable.engine.backups import KeptBackup, all_backups, change_backup
from singletable.engine.definition import TableDefinition, definition_from
from singletable.engine.export import INTERRUPTED
from singletable.engine.restore import set_ready
from singletable.engine.storage import catalog_rows
from singletable.engine.storage.catalog_rows import CatalogRow
from singletable.engine.transfers import Export, Import, all_of, keep

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def end_interrupted(engine: Engine) -> None:
    """Ends what only the process could have finished that is no more; what another one still runs is left alone."""
    with engine.store.reading() as connection:
        is_needed = bool(_backups(connection) or _transfers(connection) or _half_tables(connection))
    if not is_needed:
        return
    with engine.jobs.presence.alone() as is_alone:
        if is_alone:
            with engine.store.writing() as connection:
                _end_all(engine, connection)
    engine.catalog.reload()


def _end_all(engine: Engine, connection: sqlite3.Connection) -> None:
    for found in _backups(connection):
        change_backup(connection, found.row, msgspec.structs.replace(found.backup, status="DELETED"))
    imported = set()
    for transfer in _transfers(connection):
        code, message = INTERRUPTED
        failed = msgspec.structs.replace(
            transfer, status="FAILED", ended_at=engine.now(), failure_code=code, failure_message=message
        )
        keep(connection, failed)
        if isinstance(transfer, Import):
            imported.add(transfer.table_id)
    for row, definition in _half_tables(connection):
        numbers = [index.number for index in definition.indexes]
        if definition.identifier in imported:
            set_ready(connection, row.name)
        else:
            catalog_rows.drop(connection, row, numbers)


def _backups(connection: sqlite3.Connection) -> list[KeptBackup]:
    return [found for found in all_backups(connection) if found.backup.status == "CREATING"]


def _transfers(connection: sqlite3.Connection) -> list[Export | Import]:
    transfers: list[Export | Import] = [*all_of(connection, Export), *all_of(connection, Import)]
    return [transfer for transfer in transfers if transfer.status == "IN_PROGRESS"]


def _half_tables(connection: sqlite3.Connection) -> list[tuple[CatalogRow, TableDefinition]]:
    """Tables that are being made of anything but a backup, which any process can go on with."""
    tables = [(row, definition_from(row.definition)) for row in catalog_rows.rows(connection)]
    return [
        (row, definition)
        for row, definition in tables
        if definition.status == "CREATING" and (definition.restored is None or definition.restored.backup is None)
    ]
