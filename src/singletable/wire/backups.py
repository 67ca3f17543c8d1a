"""Backups on the wire: CreateBackup to RestoreTableFromBackup, and recovery to a point in time."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from singletable.wire.shape import NAME_REGEX, NewTableName, Result, Shape
from singletable.wire.tables import (
    BillingMode,
    GlobalSecondaryIndex,
    LocalSecondaryIndex,
    OnDemandThroughput,
    ProvisionedThroughput,
    SSESpecification,
)

# A table by its name or by its ARN.
TableArn = Annotated[str, Meta(min_length=1, max_length=1024)]
BackupName = Annotated[str, Meta(min_length=3, max_length=255, pattern=NAME_REGEX)]
BackupArn = Annotated[str, Meta(min_length=37, max_length=1024)]


class CreateBackup(Shape, kw_only=True, frozen=True):
    """A copy of a table as it is now."""

    table_name: TableArn
    backup_name: BackupName


class DescribeBackup(Shape, kw_only=True, frozen=True):
    """What a backup is, and of what."""

    backup_arn: BackupArn


class ListBackups(Shape, kw_only=True, frozen=True):
    """Backups in the order of their ARNs, a page at a time."""

    table_name: TableArn | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] | None = None
    time_range_lower_bound: float | None = None
    time_range_upper_bound: float | None = None
    exclusive_start_backup_arn: BackupArn | None = None
    backup_type: Literal["USER", "SYSTEM", "AWS_BACKUP", "ALL"] | None = None


class DeleteBackup(Shape, kw_only=True, frozen=True):
    """The end of a backup."""

    backup_arn: BackupArn


class Overrides(Shape, kw_only=True, frozen=True):
    """What a restored table has otherwise than the one it was made from."""

    billing_mode_override: BillingMode | None = None
    global_secondary_index_override: list[GlobalSecondaryIndex] | None = None
    local_secondary_index_override: list[LocalSecondaryIndex] | None = None
    provisioned_throughput_override: ProvisionedThroughput | None = None
    on_demand_throughput_override: OnDemandThroughput | None = None
    sse_specification_override: SSESpecification | None = msgspec.field(default=None, name="SSESpecificationOverride")


class RestoreTableFromBackup(Overrides, kw_only=True, frozen=True):
    """A new table with the items of a backup."""

    target_table_name: NewTableName
    backup_arn: BackupArn


class RestoreTableToPointInTime(Overrides, kw_only=True, frozen=True):
    """A new table with the items that another one had at a moment."""

    source_table_arn: TableArn | None = None
    source_table_name: NewTableName | None = None
    target_table_name: NewTableName
    use_latest_restorable_time: bool | None = None
    restore_date_time: float | None = None


class PointInTimeRecoverySpecification(Shape, kw_only=True, frozen=True):
    """Whether a table can be brought back as it was, and how far back."""

    point_in_time_recovery_enabled: bool
    recovery_period_in_days: Annotated[int, Meta(ge=1, le=35)] | None = None


class DescribeContinuousBackups(Shape, kw_only=True, frozen=True):
    """From when to when a table can be restored."""

    table_name: TableArn


class UpdateContinuousBackups(Shape, kw_only=True, frozen=True):
    """Turns recovery to a point in time on or off."""

    table_name: TableArn
    point_in_time_recovery_specification: PointInTimeRecoverySpecification


class BackupDetailsResult(Result, kw_only=True, frozen=True):
    """A backup as it was just begun."""

    backup_details: dict[str, Any]


class BackupDescriptionResult(Result, kw_only=True, frozen=True):
    """A backup with what is known of its table."""

    backup_description: dict[str, Any]


class ListBackupsResult(Result, kw_only=True, frozen=True):
    """Backups in order, and where the next page starts."""

    backup_summaries: list[dict[str, Any]]
    last_evaluated_backup_arn: str | msgspec.UnsetType = msgspec.UNSET


class ContinuousBackupsResult(Result, kw_only=True, frozen=True):
    """Whether and from when to when a table can be restored."""

    continuous_backups_description: dict[str, Any]
