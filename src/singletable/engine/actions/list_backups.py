"""ListBackups: a paginated list of the backups of one or all tables, filtered by time and type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from singletable.engine.backups.backup_records import (
    Backup,
    all_backups,
    backup_arn,
    backup_summary,
    is_deleted_or_expired,
)
from singletable.engine.tables.arns import table_name
from singletable.wire.backup_requests import ListBackups, ListBackupsResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

BACKUPS_MAX = 100


def list_backups(engine: Engine, request: ListBackups) -> ListBackupsResult:
    """List one page of backups, ordered by ARN."""
    with engine.store.reading() as connection:
        backups = {backup_arn(engine, each.backup): each.backup for each in all_backups(connection)}
    start = request.exclusive_start_backup_arn or ""
    arns = [arn for arn in sorted(backups) if arn > start and _matches(engine, request, backups[arn])]
    limit = request.limit or BACKUPS_MAX
    page = arns[:limit]
    return ListBackupsResult(
        backup_summaries=[backup_summary(engine, backups[arn]) for arn in page],
        last_evaluated_backup_arn=page[-1] if len(arns) > limit else UNSET,
    )


def _matches(engine: Engine, request: ListBackups, backup: Backup) -> bool:
    """Return whether a backup matches the request. The upper time bound is exclusive."""
    lower, upper = request.time_range_lower_bound, request.time_range_upper_bound
    return (
        not is_deleted_or_expired(backup, engine.now())
        and (request.table_name is None or table_name(engine, request.table_name) == backup.definition.name)
        and (lower is None or backup.at >= lower)
        and (upper is None or backup.at < upper)
        and request.backup_type in (None, "ALL", backup.kind)
    )
