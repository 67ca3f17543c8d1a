"""DescribeBackup: what a backup is, and of what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.backups import backup_description, find_backup
from singletable.wire.backups import BackupDescriptionResult, DescribeBackup

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_backup(engine: Engine, request: DescribeBackup) -> BackupDescriptionResult:
    """Describes the backup, and the table as it was when the backup was made."""
    with engine.store.reading() as connection:
        found = find_backup(engine, connection, request.backup_arn)
    return BackupDescriptionResult(backup_description=backup_description(engine, found.backup))
