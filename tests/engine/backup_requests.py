"""A valid request for each action on backups, exports and imports, and an engine in which they are valid."""

from __future__ import annotations

import atexit
import gzip
import tempfile
from pathlib import Path
from typing import Any

from singletable.engine.backup_copy import make_backup
from singletable.engine.backups import Backup
from singletable.engine.engine import Engine
from singletable.engine.transfers import Export, Import, keep
from tests.engine.tables import Document, definitions, index, key_schema

BUCKET = "bucket"
IDENTIFIER = "01700000000000-0badcafe"

_ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/table"
_FOLDER = tempfile.TemporaryDirectory()
atexit.register(_FOLDER.cleanup)


def buckets() -> Path:
    """A folder with one bucket, which has a file to import."""
    folder = Path(_FOLDER.name)
    (folder / BUCKET / "in").mkdir(parents=True, exist_ok=True)
    (folder / BUCKET / "in" / "items.json.gz").write_bytes(gzip.compress(b'{"Item":{"pk":{"S":"a"}}}\n'))
    return folder


def keep_some(engine: Engine, table: str = "table") -> None:
    """A table that can be recovered, with a backup, an export and an import, all under the same identifier."""
    recovery = {"PointInTimeRecoveryEnabled": True}
    engine.call("UpdateContinuousBackups", {"TableName": table, "PointInTimeRecoverySpecification": recovery})
    opened = engine.catalog.require(table)
    make_backup(engine, opened, Backup(IDENTIFIER, "backup", engine.now(), "CREATING", opened.definition))
    common: dict[str, Any] = {"table": table, "table_id": "id", "status": "COMPLETED", "started_at": engine.now()}
    told = {"S3Bucket": BUCKET, "ExportFormat": "DYNAMODB_JSON"}
    source = {"S3BucketSource": {"S3Bucket": BUCKET}, "InputFormat": "CSV"}
    with engine.store.writing() as connection:
        keep(
            connection,
            Export(identifier=f"{IDENTIFIER}e", token="e", fingerprint="", told=told, time=engine.now(), **common),
        )
        keep(connection, Import(identifier=f"{IDENTIFIER}i", token="i", fingerprint="", told=source, **common))


REQUESTS: dict[str, Document] = {
    "CreateBackup": {"TableName": "table", "BackupName": "another"},
    "DescribeBackup": {"BackupArn": f"{_ARN}/backup/{IDENTIFIER}"},
    "ListBackups": {
        "TableName": "table",
        "Limit": 3,
        "TimeRangeLowerBound": 1.5,
        "TimeRangeUpperBound": 2_000_000_000,
        "ExclusiveStartBackupArn": f"{_ARN}/backup/0",
        "BackupType": "USER",
    },
    "DeleteBackup": {"BackupArn": f"{_ARN}/backup/{IDENTIFIER}"},
    "RestoreTableFromBackup": {
        "TargetTableName": "restored",
        "BackupArn": f"{_ARN}/backup/{IDENTIFIER}",
        "BillingModeOverride": "PROVISIONED",
        "ProvisionedThroughputOverride": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
        "GlobalSecondaryIndexOverride": [
            {**index("gsi", "gsiPk"), "ProvisionedThroughput": {"ReadCapacityUnits": 7, "WriteCapacityUnits": 8}}
        ],
        "LocalSecondaryIndexOverride": [],
        "SSESpecificationOverride": {"Enabled": True},
    },
    "RestoreTableToPointInTime": {
        "SourceTableName": "table",
        "TargetTableName": "restored",
        "UseLatestRestorableTime": True,
        "GlobalSecondaryIndexOverride": [],
        "OnDemandThroughputOverride": {"MaxReadRequestUnits": 5},
    },
    "DescribeContinuousBackups": {"TableName": "table"},
    "UpdateContinuousBackups": {
        "TableName": "table",
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 3},
    },
    "ExportTableToPointInTime": {
        "TableArn": _ARN,
        "S3Bucket": BUCKET,
        "S3Prefix": "out/here",
        "S3BucketOwner": "000000000000",
        "S3SseAlgorithm": "AES256",
        "ClientToken": "token",
        "ExportFormat": "DYNAMODB_JSON",
        "ExportType": "FULL_EXPORT",
    },
    "DescribeExport": {"ExportArn": f"{_ARN}/export/{IDENTIFIER}e"},
    "ListExports": {"TableArn": _ARN, "MaxResults": 3, "NextToken": "61" * 56},
    "ImportTable": {
        "ClientToken": "token",
        "S3BucketSource": {"S3Bucket": BUCKET, "S3KeyPrefix": "in/", "S3BucketOwner": "000000000000"},
        "InputFormat": "DYNAMODB_JSON",
        "InputFormatOptions": {"Csv": {"Delimiter": ";", "HeaderList": ["pk"]}},
        "InputCompressionType": "GZIP",
        "TableCreationParameters": {
            "TableName": "imported",
            "KeySchema": key_schema("pk"),
            "AttributeDefinitions": definitions(pk="S", g="N"),
            "BillingMode": "PAY_PER_REQUEST",
            "GlobalSecondaryIndexes": [index("gsi", "g")],
        },
    },
    "DescribeImport": {"ImportArn": f"{_ARN}/import/{IDENTIFIER}i"},
    "ListImports": {"TableArn": _ARN, "PageSize": 3, "NextToken": "61" * 56},
}
