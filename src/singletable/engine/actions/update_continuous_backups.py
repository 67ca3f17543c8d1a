"""UpdateContinuousBackups: turns recovery to a point in time on or off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from singletable.engine.arns import table_name
from singletable.engine.backups import table_not_found
from singletable.engine.definition import Recovery, TableDefinition
from singletable.engine.recovery import DAYS_MAX, continuous_backups
from singletable.errors import RequestRefused, invalid
from singletable.wire.backups import ContinuousBackupsResult, UpdateContinuousBackups

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def update_continuous_backups(engine: Engine, request: UpdateContinuousBackups) -> ContinuousBackupsResult:
    """Keeps every change from now on, or forgets the changes that were kept."""
    asked = request.point_in_time_recovery_specification
    if not asked.point_in_time_recovery_enabled and asked.recovery_period_in_days is not None:
        raise invalid(
            "One or more parameter values were invalid: RecoveryPeriodInDays can only be specified when "
            "PointInTimeRecoveryEnabled is true"
        )
    name = table_name(engine, request.table_name)
    table = None if name is None else engine.catalog.fresh(name)
    if table is None:
        raise table_not_found(name or request.table_name)
    if table.definition.status == "CREATING":
        raise RequestRefused(
            "ContinuousBackupsUnavailableException",
            f"Backups are being enabled for the table: {table.name}. Please retry later",
        )

    def change(definition: TableDefinition) -> TableDefinition:
        had = definition.recovery
        if not asked.point_in_time_recovery_enabled:
            return msgspec.structs.replace(definition, recovery=None)
        days = asked.recovery_period_in_days or (DAYS_MAX if had is None else had.days)
        return msgspec.structs.replace(
            definition, recovery=Recovery(since=engine.now() if had is None else had.since, days=days)
        )

    _, after = engine.catalog.change(table.name, change)
    return ContinuousBackupsResult(continuous_backups_description=continuous_backups(engine, after))
