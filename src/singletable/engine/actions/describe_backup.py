"""DescribeBackup: describes a backup and its source table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.backups.backup_records import backup_description, find_backup
from singletable.wire.backup_requests import BackupDescriptionResult, DescribeBackup

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_backup(engine: Engine, request: DescribeBackup) -> BackupDescriptionResult:
    """Describe the backup, and its source table as it was when the backup was created."""
    with engine.store.reading() as connection:
        found = find_backup(engine, connection, request.backup_arn)
    return BackupDescriptionResult(backup_description=backup_description(engine, found.backup))
