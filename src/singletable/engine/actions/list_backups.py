"""ListBackups: backups of one table or of all, of a time and of a type, a page at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from singletable.engine.arns import table_name
from singletable.engine.backups import Backup, all_backups, backup_arn, backup_summary, is_over
from singletable.wire.backups import ListBackups, ListBackupsResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

BACKUPS_MAX = 100


def list_backups(engine: Engine, request: ListBackups) -> ListBackupsResult:
    """Lists the backups behind the one that the request starts after, in the order of their ARNs."""
    with engine.store.reading() as connection:
        backups = {backup_arn(engine, each.backup): each.backup for each in all_backups(connection)}
    start = request.exclusive_start_backup_arn or ""
    arns = [arn for arn in sorted(backups) if arn > start and _is_asked_for(engine, request, backups[arn])]
    limit = request.limit or BACKUPS_MAX
    page = arns[:limit]
    return ListBackupsResult(
        backup_summaries=[backup_summary(engine, backups[arn]) for arn in page],
        last_evaluated_backup_arn=page[-1] if len(arns) > limit else UNSET,
    )


def _is_asked_for(engine: Engine, request: ListBackups, backup: Backup) -> bool:
    """From the lower bound on, up to but without the upper one."""
    lower, upper = request.time_range_lower_bound, request.time_range_upper_bound
    return (
        not is_over(backup, engine.now())
        and (request.table_name is None or table_name(engine, request.table_name) == backup.definition.name)
        and (lower is None or backup.at >= lower)
        and (upper is None or backup.at < upper)
        and request.backup_type in (None, "ALL", backup.kind)
    )
