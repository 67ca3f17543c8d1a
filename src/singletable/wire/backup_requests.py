"""Requests and results of backups, restores and point-in-time recovery."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from singletable.wire.api_types import NAME_REGEX, NewTableName, Result, Shape
from singletable.wire.table_requests import (
    BillingMode,
    GlobalSecondaryIndex,
    LocalSecondaryIndex,
    OnDemandThroughput,
    ProvisionedThroughput,
    SSESpecification,
)

# The ARN of a table, or its name.
TableArn = Annotated[str, Meta(min_length=1, max_length=1024)]
BackupName = Annotated[str, Meta(min_length=3, max_length=255, pattern=NAME_REGEX)]
BackupArn = Annotated[str, Meta(min_length=37, max_length=1024)]


class CreateBackup(Shape, kw_only=True, frozen=True):
    """Create a backup of a table."""

    table_name: TableArn
    backup_name: BackupName


class DescribeBackup(Shape, kw_only=True, frozen=True):
    """Describe a backup."""

    backup_arn: BackupArn


class ListBackups(Shape, kw_only=True, frozen=True):
    """List backups in the order of their ARNs, in pages."""

    table_name: TableArn | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] | None = None
    time_range_lower_bound: float | None = None
    time_range_upper_bound: float | None = None
    exclusive_start_backup_arn: BackupArn | None = None
    backup_type: Literal["USER", "SYSTEM", "AWS_BACKUP", "ALL"] | None = None


class DeleteBackup(Shape, kw_only=True, frozen=True):
    """Delete a backup."""

    backup_arn: BackupArn


class Overrides(Shape, kw_only=True, frozen=True):
    """Settings of a restored table that differ from those of its source."""

    billing_mode_override: BillingMode | None = None
    global_secondary_index_override: list[GlobalSecondaryIndex] | None = None
    local_secondary_index_override: list[LocalSecondaryIndex] | None = None
    provisioned_throughput_override: ProvisionedThroughput | None = None
    on_demand_throughput_override: OnDemandThroughput | None = None
    sse_specification_override: SSESpecification | None = msgspec.field(default=None, name="SSESpecificationOverride")


class RestoreTableFromBackup(Overrides, kw_only=True, frozen=True):
    """Create a table with the items of a backup."""

    target_table_name: NewTableName
    backup_arn: BackupArn


class RestoreTableToPointInTime(Overrides, kw_only=True, frozen=True):
    """Create a table with the items that another table contained at a point in time."""

    source_table_arn: TableArn | None = None
    source_table_name: NewTableName | None = None
    target_table_name: NewTableName
    use_latest_restorable_time: bool | None = None
    restore_date_time: float | None = None


class PointInTimeRecoverySpecification(Shape, kw_only=True, frozen=True):
    """Whether point-in-time recovery is enabled, and how many days back a table can be restored."""

    point_in_time_recovery_enabled: bool
    recovery_period_in_days: Annotated[int, Meta(ge=1, le=35)] | None = None


class DescribeContinuousBackups(Shape, kw_only=True, frozen=True):
    """Describe the point-in-time recovery of a table."""

    table_name: TableArn


class UpdateContinuousBackups(Shape, kw_only=True, frozen=True):
    """Enable or disable point-in-time recovery."""

    table_name: TableArn
    point_in_time_recovery_specification: PointInTimeRecoverySpecification


class BackupDetailsResult(Result, kw_only=True, frozen=True):
    """A backup that was just created."""

    backup_details: dict[str, Any]


class BackupDescriptionResult(Result, kw_only=True, frozen=True):
    """A backup, and the table of which it is a copy."""

    backup_description: dict[str, Any]


class ListBackupsResult(Result, kw_only=True, frozen=True):
    """A page of backups, and the last ARN of the page if there are more backups."""

    backup_summaries: list[dict[str, Any]]
    last_evaluated_backup_arn: str | msgspec.UnsetType = msgspec.UNSET


class ContinuousBackupsResult(Result, kw_only=True, frozen=True):
    """The state of point-in-time recovery, and the period from which a table can be restored."""

    continuous_backups_description: dict[str, Any]
