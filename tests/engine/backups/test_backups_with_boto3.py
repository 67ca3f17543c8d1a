"""Backups, exports and imports through boto3."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import create, put, texts

pytest.importorskip("boto3")


@pytest.fixture
def client(tmp_path: Path) -> Any:
    (tmp_path / "bucket").mkdir()
    with Engine(f"file:{tmp_path}/store.db", buckets=tmp_path) as engine:
        create(engine)
        for number in range(3):
            put(engine, texts(pk=str(number), sk="1"))
        client = engine.boto3_client()
        client.engine = engine
        yield client


def test_restore_table_from_backup_works_with_boto3(client: Any) -> None:
    arn = client.create_backup(TableName="table", BackupName="monday")["BackupDetails"]["BackupArn"]
    client.delete_table(TableName="table")
    client.get_waiter("table_not_exists").wait(TableName="table")
    client.restore_table_from_backup(TargetTableName="table", BackupArn=arn)
    client.get_waiter("table_exists").wait(TableName="table")
    assert client.scan(TableName="table")["Count"] == 3
    pages = client.get_paginator("list_backups").paginate(PaginationConfig={"PageSize": 1})
    assert [each["BackupName"] for page in pages for each in page["BackupSummaries"]] == ["monday"]
    assert client.delete_backup(BackupArn=arn)["BackupDescription"]["BackupDetails"]["BackupStatus"] == "DELETED"
    with pytest.raises(client.exceptions.BackupNotFoundException):
        client.describe_backup(BackupArn=arn)


def test_export_table_to_point_in_time_and_import_table_work_with_boto3(client: Any) -> None:
    recovery = {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 7}
    client.update_continuous_backups(TableName="table", PointInTimeRecoverySpecification=recovery)
    arn = client.describe_table(TableName="table")["Table"]["TableArn"]
    export = client.export_table_to_point_in_time(TableArn=arn, S3Bucket="bucket")["ExportDescription"]
    client.get_waiter("export_completed").wait(ExportArn=export["ExportArn"], WaiterConfig={"Delay": 1})
    done = client.describe_export(ExportArn=export["ExportArn"])["ExportDescription"]
    assert (done["ItemCount"], done["ExportStatus"]) == (3, "COMPLETED")
    imported = client.import_table(
        S3BucketSource={
            "S3Bucket": "bucket",
            "S3KeyPrefix": f"AWSDynamoDB/{export['ExportArn'].rpartition('/')[2]}/data/",
        },
        InputFormat="DYNAMODB_JSON",
        InputCompressionType="GZIP",
        TableCreationParameters={
            "TableName": "imported",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )["ImportTableDescription"]
    client.get_waiter("import_completed").wait(ImportArn=imported["ImportArn"], WaiterConfig={"Delay": 1})
    assert client.scan(TableName="imported")["Count"] == 3
    assert [each["ImportArn"] for each in client.list_imports()["ImportSummaryList"]] == [imported["ImportArn"]]
    assert [each["ExportArn"] for each in client.list_exports()["ExportSummaries"]] == [export["ExportArn"]]


def test_restore_table_to_point_in_time_works_with_boto3(client: Any) -> None:
    client.engine.now = lambda: 1_000_000.0
    recovery = {"PointInTimeRecoveryEnabled": True}
    client.update_continuous_backups(TableName="table", PointInTimeRecoverySpecification=recovery)
    client.restore_table_to_point_in_time(
        SourceTableName="table", TargetTableName="then", RestoreDateTime=datetime.fromtimestamp(1_000_000, UTC)
    )
    assert client.scan(TableName="then")["Count"] == 3
    with pytest.raises(client.exceptions.InvalidRestoreTimeException):
        client.restore_table_to_point_in_time(
            SourceTableName="table", TargetTableName="never", RestoreDateTime=datetime(2001, 1, 1, tzinfo=UTC)
        )
    with pytest.raises(client.exceptions.TableAlreadyExistsException):
        client.restore_table_to_point_in_time(
            SourceTableName="table", TargetTableName="then", UseLatestRestorableTime=True
        )
