"""DeleteBackup: deletes a backup, but not the tables restored from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from singletable.engine.backups.backup_jobs import remove_backup
from singletable.engine.backups.backup_records import backup_description
from singletable.wire.backup_requests import BackupDescriptionResult, DeleteBackup

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def delete_backup(engine: Engine, request: DeleteBackup) -> BackupDescriptionResult:
    """Delete the backup at once. Its disk space may become free a little later."""
    removed = msgspec.structs.replace(remove_backup(engine, request.backup_arn), status="DELETED")
    return BackupDescriptionResult(backup_description=backup_description(engine, removed))
