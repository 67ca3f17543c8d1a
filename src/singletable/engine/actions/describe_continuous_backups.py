"""DescribeContinuousBackups: the point-in-time recovery of a table, and the period to which it can be restored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.backups.backup_records import table_not_found
from singletable.engine.backups.point_in_time_recovery import continuous_backups
from singletable.engine.tables.arns import table_name
from singletable.wire.backup_requests import ContinuousBackupsResult, DescribeContinuousBackups

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_continuous_backups(engine: Engine, request: DescribeContinuousBackups) -> ContinuousBackupsResult:
    """Describe the point-in-time recovery setting of the table."""
    name = table_name(engine, request.table_name)
    table = None if name is None else engine.catalog.fresh(name)
    if table is None:
        raise table_not_found(name or request.table_name)
    return ContinuousBackupsResult(continuous_backups_description=continuous_backups(engine, table.definition))
