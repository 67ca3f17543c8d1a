"""UpdateContinuousBackups: enables or disables point-in-time recovery."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from singletable.engine.backups.backup_records import table_not_found
from singletable.engine.backups.point_in_time_recovery import DAYS_MAX, continuous_backups
from singletable.engine.tables.arns import table_name
from singletable.engine.tables.table_definition import PointInTimeRecovery, TableDefinition
from singletable.errors import RequestRefused, invalid
from singletable.wire.backup_requests import ContinuousBackupsResult, UpdateContinuousBackups

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def update_continuous_backups(engine: Engine, request: UpdateContinuousBackups) -> ContinuousBackupsResult:
    """Enable or disable point-in-time recovery.

    While recovery is enabled, every change is logged. Disabling recovery discards the logged changes.
    """
    specification = request.point_in_time_recovery_specification
    if not specification.point_in_time_recovery_enabled and specification.recovery_period_in_days is not None:
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
        old = definition.recovery
        if not specification.point_in_time_recovery_enabled:
            return msgspec.structs.replace(definition, recovery=None)
        days = specification.recovery_period_in_days or (DAYS_MAX if old is None else old.days)
        return msgspec.structs.replace(
            definition, recovery=PointInTimeRecovery(since=engine.now() if old is None else old.since, days=days)
        )

    _, after = engine.catalog.change(table.name, change)
    return ContinuousBackupsResult(continuous_backups_description=continuous_backups(engine, after))
