"""Recovery to a point in time: whether a table has it, and from when to when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from singletable.engine.definition import Recovery, TableDefinition
from singletable.errors import RequestRefused

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

DAYS_MAX = 35
DAY_SECONDS = 86_400


def recovery_of(definition: TableDefinition) -> Recovery:
    """The recovery of a table; refuses a table that has none."""
    if definition.recovery is None:
        raise RequestRefused(
            "PointInTimeRecoveryUnavailableException",
            f"Point in time recovery is not enabled for table '{definition.name}'",
        )
    return definition.recovery


def earliest(recovery: Recovery, now: float) -> float:
    """The first moment that a table can be brought back to."""
    return max(recovery.since, now - recovery.days * DAY_SECONDS)


def check_time(recovery: Recovery, at: float, now: float, code: str) -> None:
    """Refuses a time that nothing is known of: before recovery was turned on, too long ago, or still to come."""
    if not earliest(recovery, now) <= at <= now:
        raise RequestRefused(
            code, "The time must be between EarliestRestorableDateTime and LatestRestorableDateTime of the table"
        )


def continuous_backups(engine: Engine, definition: TableDefinition) -> dict[str, Any]:
    """What DescribeContinuousBackups tells; the status of continuous backups is always ENABLED, as in the service."""
    recovery = definition.recovery
    if recovery is None:
        told: dict[str, Any] = {"PointInTimeRecoveryStatus": "DISABLED"}
    else:
        now = engine.now()
        told = {
            "PointInTimeRecoveryStatus": "ENABLED",
            "RecoveryPeriodInDays": recovery.days,
            "EarliestRestorableDateTime": earliest(recovery, now),
            "LatestRestorableDateTime": now,
        }
    return {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": told}
