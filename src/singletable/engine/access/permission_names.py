"""The IAM actions of DynamoDB, from the Service Authorization Reference.

With this list, a misspelt action is an error.
"""

from __future__ import annotations

from collections.abc import Callable

from singletable.errors import PolicyRefused

PREFIX = "dynamodb:"
PERMISSIONS = (
    "AssociateTableReplica",
    "BatchGetItem",
    "BatchWriteItem",
    "ConditionCheckItem",
    "CreateBackup",
    "CreateGlobalTable",
    "CreateGlobalTableWitness",
    "CreateTable",
    "CreateTableReplica",
    "DeleteBackup",
    "DeleteGlobalTableWitness",
    "DeleteItem",
    "DeleteResourcePolicy",
    "DeleteTable",
    "DeleteTableReplica",
    "DescribeBackup",
    "DescribeContinuousBackups",
    "DescribeContributorInsights",
    "DescribeEndpoints",
    "DescribeExport",
    "DescribeGlobalTable",
    "DescribeGlobalTableSettings",
    "DescribeImport",
    "DescribeKinesisStreamingDestination",
    "DescribeLimits",
    "DescribeReservedCapacity",
    "DescribeReservedCapacityOfferings",
    "DescribeStream",
    "DescribeTable",
    "DescribeTableReplicaAutoScaling",
    "DescribeTimeToLive",
    "DisableKinesisStreamingDestination",
    "EnableKinesisStreamingDestination",
    "ExportTableToPointInTime",
    "GetAbacStatus",
    "GetItem",
    "GetRecords",
    "GetResourcePolicy",
    "GetShardIterator",
    "ImportTable",
    "InjectError",
    "ListBackups",
    "ListContributorInsights",
    "ListExports",
    "ListGlobalTables",
    "ListImports",
    "ListStreams",
    "ListTables",
    "ListTagsOfResource",
    "PartiQLDelete",
    "PartiQLInsert",
    "PartiQLSelect",
    "PartiQLUpdate",
    "PurchaseReservedCapacityOfferings",
    "PutItem",
    "PutResourcePolicy",
    "Query",
    "ReadDataForReplication",
    "ReplicateSettings",
    "RestoreTableFromAwsBackup",
    "RestoreTableFromBackup",
    "RestoreTableToPointInTime",
    "Scan",
    "StartAwsBackupJob",
    "TagResource",
    "UntagResource",
    "UpdateAbacStatus",
    "UpdateContinuousBackups",
    "UpdateContributorInsights",
    "UpdateGlobalTable",
    "UpdateGlobalTableSettings",
    "UpdateGlobalTableVersion",
    "UpdateItem",
    "UpdateKinesisStreamingDestination",
    "UpdateTable",
    "UpdateTableReplicaAutoScaling",
    "UpdateTimeToLive",
    "WriteDataForReplication",
)
"""The actions that a policy can name.

A transaction has no action of its own; each of its parts needs the action of the part.
"""


def check_action(text: str, matches: Callable[[str], bool], place: str) -> None:
    """Raise PolicyRefused for an action of DynamoDB that does not exist. Actions of other services are not checked."""
    service, colon, name = text.partition(":")
    if text != "*" and not colon:
        raise PolicyRefused(f"{place}: {text!r} is not an action: write dynamodb:{text}, for example")
    if service.lower() != PREFIX[:-1] or any(matches(PREFIX + each) for each in PERMISSIONS):
        return
    from difflib import get_close_matches  # imported only for an error

    close = get_close_matches(name, PERMISSIONS, 1)
    hint = f"; did you mean {PREFIX}{close[0]}?" if close else ""
    raise PolicyRefused(f"{place}: unknown action {text!r}{hint}")
