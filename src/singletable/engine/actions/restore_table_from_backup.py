"""RestoreTableFromBackup: creates a table from the items in a backup."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from singletable.engine.backups.backup_records import find_backup, is_small
from singletable.engine.backups.restore import (
    fill_at_once,
    from_backup,
    new_table,
    restored_definition,
    resume_restores,
)
from singletable.engine.tables.table_description import table_description
from singletable.errors import RequestRefused
from singletable.wire.backup_requests import RestoreTableFromBackup
from singletable.wire.table_requests import TableDescriptionResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def restore_table_from_backup(engine: Engine, request: RestoreTableFromBackup) -> TableDescriptionResult:
    """Create the table. Like DynamoDB, return the status CREATING, although a small table is already active."""
    with engine.store.writing() as connection:
        found = find_backup(engine, connection, request.backup_arn)
        if found.backup.status == "CREATING":
            raise RequestRefused("BackupInUseException", f"Backup is being created: {request.backup_arn}")
        origin = from_backup(engine, found)
        definition = restored_definition(engine, found.backup.definition, request.target_table_name, origin, request)
        at_once = engine.store.is_memory or is_small(connection, found.row.tree)
        made = msgspec.structs.replace(definition, status="ACTIVE") if at_once else definition
        table = new_table(engine, connection, made)
        if at_once:
            fill_at_once(connection, table, found)
    engine.catalog.reload()
    if not at_once:
        resume_restores(engine)
    return TableDescriptionResult(
        table_description=table_description(definition, engine.arn(definition.name), "CREATING", {}, engine.now())
    )
