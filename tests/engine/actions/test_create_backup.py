"""CreateBackup, DescribeBackup and DeleteBackup: a backup remains after its table is deleted."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
    Refused,
    assert_refused,
    create,
    create_indexed,
    put,
    refusals,
    refused,
    scan,
    texts,
)

MISSING = "arn:aws:dynamodb:us-east-1:000000000000:table/table/backup/01489602797149-73d8d5bc"


def backup_of(engine: Engine, table: str = "table", name: str = "backup") -> str:
    arn: str = engine.call("CreateBackup", {"TableName": table, "BackupName": name})["BackupDetails"]["BackupArn"]
    return arn


def test_create_backup_has_the_response_of_dynamodb(engine: Engine) -> None:
    put(engine, texts(pk="a", sk="1"))
    details = engine.call("CreateBackup", {"TableName": "table", "BackupName": "backup"})["BackupDetails"]
    assert details.pop("BackupArn").startswith("arn:aws:dynamodb:us-east-1:000000000000:table/table/backup/0")
    assert details.pop("BackupCreationDateTime") == pytest.approx(engine.now(), abs=60)
    assert details == {"BackupName": "backup", "BackupSizeBytes": 6, "BackupStatus": "CREATING", "BackupType": "USER"}


def test_create_backup_accepts_the_arn_of_a_table(engine: Engine) -> None:
    arn = backup_of(engine, engine.arn("table"))
    assert arn.startswith(f"{engine.arn('table')}/backup/")


def test_describe_backup_describes_the_table_as_it_was(empty_engine: Engine) -> None:
    engine = empty_engine
    create_indexed(engine)
    put(engine, texts(pk="a", sk="1", gsiPk="g"))
    table = engine.call("DescribeTable", {"TableName": "table"})["Table"]
    arn = backup_of(engine)
    engine.call(
        "UpdateTable", {"TableName": "table", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "gsi"}}]}
    )
    put(engine, texts(pk="b", sk="1"))
    description = engine.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
    assert description["BackupDetails"]["BackupStatus"] == "AVAILABLE"
    assert description["SourceTableDetails"] == {
        "TableName": "table",
        "TableId": table["TableId"],
        "TableArn": table["TableArn"],
        "TableSizeBytes": table["TableSizeBytes"],
        "KeySchema": table["KeySchema"],
        "TableCreationDateTime": table["CreationDateTime"],
        "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
        "ItemCount": 1,
        "BillingMode": "PAY_PER_REQUEST",
    }
    features = description["SourceTableFeatureDetails"]
    assert [each["IndexName"] for each in features["GlobalSecondaryIndexes"]] == ["gsi"]
    assert [each["IndexName"] for each in features["LocalSecondaryIndexes"]] == ["lsi"]


def test_describe_backup_describes_streams_and_time_to_live(empty_engine: Engine) -> None:
    engine = empty_engine
    create(engine, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    setting = {"Enabled": True, "AttributeName": "expires"}
    engine.call("UpdateTimeToLive", {"TableName": "table", "TimeToLiveSpecification": setting})
    description = engine.call("DescribeBackup", {"BackupArn": backup_of(engine)})["BackupDescription"]
    assert description["SourceTableFeatureDetails"] == {
        "StreamDescription": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
        "TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"},
    }


def test_create_backup_makes_a_backup_that_remains_after_its_table_and_its_process(tmp_path: Path) -> None:
    url = f"file:{tmp_path}/store.db"
    with Engine(url) as engine:
        create(engine)
        put(engine, texts(pk="a", sk="1"))
        arn = backup_of(engine)
        engine.call("DeleteTable", {"TableName": "table"})
    with Engine(url) as engine:
        engine.call("RestoreTableFromBackup", {"TargetTableName": "table", "BackupArn": arn})
        assert scan(engine)["Items"] == [texts(pk="a", sk="1")]


def test_delete_backup_does_not_delete_the_tables_restored_from_the_backup(engine: Engine) -> None:
    put(engine, texts(pk="a", sk="1"))
    arn = backup_of(engine)
    engine.call("RestoreTableFromBackup", {"TargetTableName": "restored", "BackupArn": arn})
    deleted = engine.call("DeleteBackup", {"BackupArn": arn})["BackupDescription"]
    assert deleted["BackupDetails"]["BackupStatus"] == "DELETED"
    assert deleted["SourceTableDetails"]["ItemCount"] == 1
    assert scan(engine, "restored")["Items"] == [texts(pk="a", sk="1")]
    for action in ("DescribeBackup", "DeleteBackup"):
        assert refused(engine, action, {"BackupArn": arn}).code == "BackupNotFoundException"
    assert engine.call("ListBackups", {}) == {"BackupSummaries": []}


@refusals(
    Refused(
        "a missing table",
        {"TableName": "missing"},
        "Table not found: missing",
        "TableNotFoundException",
    ),
    Refused(
        "a table of another account",
        {"TableName": "arn:aws:dynamodb:us-east-1:111111111111:table/table"},
        "Table not found: arn:aws:dynamodb:us-east-1:111111111111:table/table",
        "TableNotFoundException",
    ),
    Refused(
        "a name that is too short",
        {"TableName": "table", "BackupName": "a"},
        "1 validation error detected: Value 'a' at 'backupName' failed to satisfy constraint: "
        "Member must have length greater than or equal to 3",
    ),
)
def test_create_backup_rejects_an_invalid_request(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "CreateBackup", row, **({} if "BackupName" in row.request else {"BackupName": "backup"}))


@pytest.mark.parametrize("arn", [MISSING, f"{MISSING[:-10]}/export/1", "x" * 40])
@pytest.mark.parametrize("action", ["DescribeBackup", "DeleteBackup"])
def test_describe_backup_and_delete_backup_do_not_find_a_missing_backup(engine: Engine, action: str, arn: str) -> None:
    refusal = refused(engine, action, {"BackupArn": arn})
    assert (refusal.code, refusal.message) == ("BackupNotFoundException", f"Backup not found: {arn}")
