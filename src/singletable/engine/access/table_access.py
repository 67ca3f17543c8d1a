"""The access that requests for tables, backups, streams and the account need.

DynamoDB's condition keys do not apply here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from singletable.engine.access.requested_access import RequestedAccess

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

ANY_RESOURCE = "*"
# A restore also needs the permissions to write and read the new table (Developer Guide, "Using IAM with DynamoDB
# backup and restore").
_RESTORE_ALSO = ("BatchWriteItem", "DeleteItem", "GetItem", "PutItem", "Query", "Scan", "UpdateItem")

# The actions, by the request field that contains the name or ARN of the resource.
_BY_FIELD: Mapping[str, tuple[str, ...]] = {
    "table_name": (
        "DescribeTable",
        "UpdateTable",
        "DeleteTable",
        "UpdateTimeToLive",
        "DescribeTimeToLive",
        "CreateBackup",
        "DescribeContinuousBackups",
        "UpdateContinuousBackups",
        "DescribeKinesisStreamingDestination",
        "DescribeTableReplicaAutoScaling",
    ),
    "resource_arn": (
        "TagResource",
        "UntagResource",
        "ListTagsOfResource",
        "PutResourcePolicy",
        "GetResourcePolicy",
        "DeleteResourcePolicy",
    ),
    "backup_arn": ("DescribeBackup", "DeleteBackup"),
    "table_arn": ("ExportTableToPointInTime",),
    "export_arn": ("DescribeExport",),
    "import_arn": ("DescribeImport",),
    "stream_arn": ("DescribeStream", "GetShardIterator"),
}
# Actions without a resource. A policy must allow them for "*" (Service Authorization Reference).
_OF_ACCOUNT = (
    "ListTables",
    "ListBackups",
    "ListExports",
    "ListImports",
    "ListGlobalTables",
    "ListContributorInsights",
    "ListStreams",
    "DescribeLimits",
    "DescribeEndpoints",
)


def _arn(engine: Engine, name_or_arn: str | None) -> str:
    if name_or_arn is None:  # the action rejects the request
        return ANY_RESOURCE
    return name_or_arn if name_or_arn.startswith("arn:") else engine.arn(name_or_arn)


def _of_field(action: str, field: str) -> TableAccessOf:
    return lambda engine, request: [RequestedAccess.of(action, _arn(engine, getattr(request, field)))]


def _of_account(action: str) -> TableAccessOf:
    return lambda engine, request: [RequestedAccess.of(action, ANY_RESOURCE)]


def _create_table(engine: Engine, request: Any) -> Iterable[RequestedAccess]:
    arn = _arn(engine, request.table_name)
    yield RequestedAccess.of("CreateTable", arn)
    if request.tags:
        yield RequestedAccess.of("TagResource", arn)
    if request.resource_policy is not None:
        yield RequestedAccess.of("PutResourcePolicy", arn)


def _import_table(engine: Engine, request: Any) -> Iterable[RequestedAccess]:
    yield RequestedAccess.of("ImportTable", engine.arn(request.table_creation_parameters.table_name))


def _restore_from_backup(engine: Engine, request: Any) -> Iterable[RequestedAccess]:
    yield RequestedAccess.of("RestoreTableFromBackup", request.backup_arn)
    yield from _restored(engine, "RestoreTableFromBackup", request)


def _restore_to_point_in_time(engine: Engine, request: Any) -> Iterable[RequestedAccess]:
    source = request.source_table_arn or request.source_table_name
    yield RequestedAccess.of("RestoreTableToPointInTime", _arn(engine, source))
    yield from _restored(engine, "RestoreTableToPointInTime", request)


def _restored(engine: Engine, action: str, request: Any) -> Iterable[RequestedAccess]:
    for permission in (action, *_RESTORE_ALSO):
        yield RequestedAccess.of(permission, engine.arn(request.target_table_name))


def _get_records(engine: Engine, request: Any) -> Iterable[RequestedAccess]:
    # An iterator begins with the ARN of its stream. GetRecords rejects an iterator whose ARN was changed.
    yield RequestedAccess.of("GetRecords", request.shard_iterator.partition("|")[0])


def _global_table(action: str) -> TableAccessOf:
    def access(engine: Engine, request: Any) -> Iterable[RequestedAccess]:
        arn = f"arn:aws:dynamodb::{engine.account}:global-table/{request.global_table_name}"
        yield RequestedAccess.of(action, arn)

    return access


def _insights(action: str) -> TableAccessOf:
    def access(engine: Engine, request: Any) -> Iterable[RequestedAccess]:
        arn = _arn(engine, request.table_name)
        yield RequestedAccess.of(action, arn if request.index_name is None else f"{arn}/index/{request.index_name}")

    return access


TableAccessOf = Callable[["Engine", Any], Iterable[RequestedAccess]]
TABLE_ACCESS: Mapping[str, TableAccessOf] = {
    **{action: _of_field(action, field) for field, actions in _BY_FIELD.items() for action in actions},
    **{action: _of_account(action) for action in _OF_ACCOUNT},
    "CreateTable": _create_table,
    "ImportTable": _import_table,
    "RestoreTableFromBackup": _restore_from_backup,
    "RestoreTableToPointInTime": _restore_to_point_in_time,
    "GetRecords": _get_records,
    "DescribeGlobalTable": _global_table("DescribeGlobalTable"),
    "DescribeGlobalTableSettings": _global_table("DescribeGlobalTableSettings"),
    "UpdateContributorInsights": _insights("UpdateContributorInsights"),
    "DescribeContributorInsights": _insights("DescribeContributorInsights"),
    # DynamoDB has no such action. It returns the counts of Contributor Insights.
    "MostAccessedKeys": _insights("DescribeContributorInsights"),
}
"""The functions that return the access that any other request needs, by action."""
