"""DeleteBackup: the end of a backup, and not of the tables that were restored from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from singletable.engine.backup_copy import remove_backup
from singletable.engine.backups import backup_description
from singletable.wire.backups import BackupDescriptionResult, DeleteBackup

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def delete_backup(engine: Engine, request: DeleteBackup) -> BackupDescriptionResult:
    """Deletes the backup; it is gone when the answer arrives, though its space may be given back a little later."""
    removed = msgspec.structs.replace(remove_backup(engine, request.backup_arn), status="DELETED")
    return BackupDescriptionResult(backup_description=backup_description(engine, removed))
