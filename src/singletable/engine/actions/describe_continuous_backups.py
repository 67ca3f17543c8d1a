"""DescribeContinuousBackups: from when to when a table can be restored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.arns import table_name
from singletable.engine.backups import table_not_found
from singletable.engine.recovery import continuous_backups
from singletable.wire.backups import ContinuousBackupsResult, DescribeContinuousBackups

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_continuous_backups(engine: Engine, request: DescribeContinuousBackups) -> ContinuousBackupsResult:
    """Tells whether recovery to a point in time is on."""
    name = table_name(engine, request.table_name)
    table = None if name is None else engine.catalog.fresh(name)
    if table is None:
        raise table_not_found(name or request.table_name)
    return ContinuousBackupsResult(continuous_backups_description=continuous_backups(engine, table.definition))
