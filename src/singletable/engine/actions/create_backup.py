"""CreateBackup: copies a table to a backup, which remains when the table is deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.backups.backup_jobs import make_backup
from singletable.engine.backups.backup_records import Backup, backup_details, table_not_found
from singletable.engine.tables.arns import new_identifier, table_name
from singletable.errors import RequestRefused
from singletable.wire.backup_requests import BackupDetailsResult, CreateBackup

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def create_backup(engine: Engine, request: CreateBackup) -> BackupDetailsResult:
    """Copy the table. Like DynamoDB, return the status CREATING even if the backup is already available."""
    name = table_name(engine, request.table_name)
    table = None if name is None else engine.catalog.fresh(name)
    if table is None:
        raise table_not_found(name or request.table_name)
    if table.definition.status == "CREATING":
        raise RequestRefused("TableInUseException", f"Table is being created: {table.name}")
    now = engine.now()
    backup = Backup(new_identifier(now), request.backup_name, now, "CREATING", table.definition)
    made = make_backup(engine, table, backup)
    return BackupDetailsResult(backup_details={**backup_details(engine, made), "BackupStatus": "CREATING"})
