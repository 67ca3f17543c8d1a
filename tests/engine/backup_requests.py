"""Valid requests for all actions on backups, exports and imports, and an engine with the resources they need."""

from __future__ import annotations

import atexit
import gzip
import tempfile
from pathlib import Path
from typing import Any

from singletable.engine.backups.backup_jobs import make_backup
from singletable.engine.backups.backup_records import Backup
from singletable.engine.engine import Engine
from singletable.engine.transfers.transfer_records import Export, Import, save_transfer
from tests.engine.table_requests import Document, definitions, index, key_schema

BUCKET = "bucket"
IDENTIFIER = "01700000000000-0badcafe"

_ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/table"
_FOLDER = tempfile.TemporaryDirectory()
atexit.register(_FOLDER.cleanup)


def buckets() -> Path:
    """Return a folder with one bucket that has a file to import."""
    folder = Path(_FOLDER.name)
    (folder / BUCKET / "in").mkdir(parents=True, exist_ok=True)
    (folder / BUCKET / "in" / "items.json.gz").write_bytes(gzip.compress(b'{"Item":{"pk":{"S":"a"}}}\n'))
    return folder


def keep_some(engine: Engine, table: str = "table") -> None:
    """Enable point-in-time recovery, and create a backup, an export and an import with one identifier."""
    recovery = {"PointInTimeRecoveryEnabled": True}
    engine.call("UpdateContinuousBackups", {"TableName": table, "PointInTimeRecoverySpecification": recovery})
    opened = engine.catalog.require(table)
    make_backup(engine, opened, Backup(IDENTIFIER, "backup", engine.now(), "CREATING", opened.definition))
    common: dict[str, Any] = {"table": table, "table_id": "id", "status": "COMPLETED", "started_at": engine.now()}
    parameters = {"S3Bucket": BUCKET, "ExportFormat": "DYNAMODB_JSON"}
    source = {"S3BucketSource": {"S3Bucket": BUCKET}, "InputFormat": "CSV"}
    with engine.store.writing() as connection:
        save_transfer(
            connection,
            Export(
                identifier=f"{IDENTIFIER}e", token="e", fingerprint="", told=parameters, time=engine.now(), **common
            ),
        )
        save_transfer(connection, Import(identifier=f"{IDENTIFIER}i", token="i", fingerprint="", told=source, **common))


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
