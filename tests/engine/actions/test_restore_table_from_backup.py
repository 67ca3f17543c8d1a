"""RestoreTableFromBackup: a new table with the items of a backup, and overridden settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.engine import Engine
from tests.engine.actions.test_create_backup import MISSING, backup_of
from tests.engine.table_requests import (
    INVALID,
    Document,
    Refused,
    create,
    create_indexed,
    delete,
    get,
    index,
    projection,
    put,
    refusals,
    refused,
    scan,
    texts,
)

UNITS = {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine() as made:
        create_indexed(made, gsi=projection("kept"))
        put(made, texts(pk="a", sk="1", gsiPk="g", lsiSk="l", kept="k", lost="l"))
        put(made, texts(pk="a", sk="2", gsiPk="g"))
        put(made, texts(pk="b", sk="1"))
        yield made


def restore(engine: Engine, arn: str, name: str = "restored", **overrides: Any) -> Document:
    request = {"TargetTableName": name, "BackupArn": arn, **overrides}
    description: Document = engine.call("RestoreTableFromBackup", request)["TableDescription"]
    return description


def described(engine: Engine, name: str = "restored") -> Document:
    table: Document = engine.call("DescribeTable", {"TableName": name})["Table"]
    return table


def test_restore_table_from_backup_restores_the_items_and_index_entries_of_the_backup(engine: Engine) -> None:
    table, gsi, lsi = (scan(engine, **source)["Items"] for source in ({}, {"IndexName": "gsi"}, {"IndexName": "lsi"}))
    arn = backup_of(engine)
    put(engine, texts(pk="a", sk="1", gsiPk="other"))
    put(engine, texts(pk="new", sk="1"))
    restore(engine, arn)
    assert scan(engine, "restored")["Items"] == table
    assert scan(engine, "restored", IndexName="gsi")["Items"] == gsi
    assert scan(engine, "restored", IndexName="lsi")["Items"] == lsi
    assert len(gsi) == 2
    assert len(lsi) == 1


def test_restore_table_from_backup_makes_a_table_that_works_like_any_other(engine: Engine) -> None:
    restore(engine, backup_of(engine))
    put(engine, texts(pk="a", sk="1", gsiPk="moved"), "restored")
    assert get(engine, texts(pk="a", sk="1"), "restored") == texts(pk="a", sk="1", gsiPk="moved")
    assert get(engine, texts(pk="a", sk="1")) != texts(pk="a", sk="1", gsiPk="moved")
    assert len(scan(engine, "restored", IndexName="gsi")["Items"]) == 2


def test_restore_table_from_backup_responds_with_a_running_restore(engine: Engine) -> None:
    arn = backup_of(engine)
    answer = restore(engine, arn)
    assert answer["TableStatus"] == "CREATING"
    assert answer["RestoreSummary"] == {
        "SourceBackupArn": arn,
        "SourceTableArn": engine.arn("table"),
        "RestoreDateTime": engine.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]["BackupDetails"][
            "BackupCreationDateTime"
        ],
        "RestoreInProgress": True,
    }
    table = described(engine)
    assert table["TableStatus"] == "ACTIVE"
    assert table["RestoreSummary"] == {**answer["RestoreSummary"], "RestoreInProgress": False}
    assert table["TableId"] == answer["TableId"] != described(engine, "table")["TableId"]


def test_restore_table_from_backup_omits_the_settings_that_dynamodb_does_not_restore(empty_engine: Engine) -> None:
    engine = empty_engine
    create(
        engine,
        DeletionProtectionEnabled=True,
        TableClass="STANDARD_INFREQUENT_ACCESS",
        Tags=[{"Key": "k", "Value": "v"}],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
    )
    setting = {"Enabled": True, "AttributeName": "expires"}
    engine.call("UpdateTimeToLive", {"TableName": "table", "TimeToLiveSpecification": setting})
    recovery = {"PointInTimeRecoveryEnabled": True}
    engine.call("UpdateContinuousBackups", {"TableName": "table", "PointInTimeRecoverySpecification": recovery})
    restore(engine, backup_of(engine))
    table = described(engine)
    assert table["DeletionProtectionEnabled"] is False
    assert "StreamSpecification" not in table
    assert table["TableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
    expiry = engine.call("DescribeTimeToLive", {"TableName": "restored"})["TimeToLiveDescription"]
    assert expiry == {"TimeToLiveStatus": "DISABLED"}
    backups = engine.call("DescribeContinuousBackups", {"TableName": "restored"})["ContinuousBackupsDescription"]
    assert backups["PointInTimeRecoveryDescription"] == {"PointInTimeRecoveryStatus": "DISABLED"}
    assert engine.catalog.require("restored").definition.tags == ()


def test_restore_table_from_backup_may_omit_some_indexes(engine: Engine) -> None:
    arn = backup_of(engine)
    gsi = index("gsi", "gsiPk", holds=projection("kept"))
    restore(engine, arn, GlobalSecondaryIndexOverride=[gsi], LocalSecondaryIndexOverride=[])
    table = described(engine)
    assert [each["IndexName"] for each in table["GlobalSecondaryIndexes"]] == ["gsi"]
    assert "LocalSecondaryIndexes" not in table
    assert [each["AttributeName"] for each in table["AttributeDefinitions"]] == ["gsiPk", "pk", "sk"]
    put(engine, {**texts(pk="a", sk="9"), "lsiSk": {"N": "1"}}, "restored")
    assert len(scan(engine, "restored", IndexName="gsi")["Items"]) == 2


def test_restore_table_from_backup_without_an_index_does_not_affect_an_index_added_later(engine: Engine) -> None:
    restore(engine, backup_of(engine), GlobalSecondaryIndexOverride=[])
    request = {
        "TableName": "restored",
        "AttributeDefinitions": [{"AttributeName": "kept", "AttributeType": "S"}],
        "GlobalSecondaryIndexUpdates": [{"Create": index("later", "kept")}],
    }
    engine.call("UpdateTable", request)
    engine.backfill.wait()
    assert len(scan(engine, "restored", IndexName="later")["Items"]) == 1
    assert len(scan(engine, "restored", IndexName="lsi")["Items"]) == 1


def test_restore_table_from_backup_may_override_the_billing_mode(engine: Engine) -> None:
    gsi = {**index("gsi", "gsiPk", holds=projection("kept")), "ProvisionedThroughput": UNITS}
    restore(
        engine,
        backup_of(engine),
        BillingModeOverride="PROVISIONED",
        ProvisionedThroughputOverride=UNITS,
        GlobalSecondaryIndexOverride=[gsi],
    )
    table = described(engine)
    assert "BillingModeSummary" not in table
    assert table["ProvisionedThroughput"] == {**UNITS, "NumberOfDecreasesToday": 0}
    assert table["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"] == {**UNITS, "NumberOfDecreasesToday": 0}
    restore(engine, backup_of(engine, "restored"), "back", BillingModeOverride="PAY_PER_REQUEST")
    table = described(engine, "back")
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    assert table["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"] == 0


def test_restore_table_from_backup_may_override_on_demand_maximums_and_encryption(engine: Engine) -> None:
    ceiling = {"MaxReadRequestUnits": 7}
    sse = {"Enabled": True}
    restore(engine, backup_of(engine), OnDemandThroughputOverride=ceiling, SSESpecificationOverride=sse)
    table = described(engine)
    assert table["OnDemandThroughput"] == ceiling
    assert table["SSEDescription"]["SSEType"] == "KMS"
    assert table["SSEDescription"]["KMSMasterKeyArn"].startswith("arn:aws:kms:")
    restore(engine, backup_of(engine, "restored"), "again")
    assert described(engine, "again")["SSEDescription"] == table["SSEDescription"]


@refusals(
    Refused(
        "an existing table",
        {"TargetTableName": "table"},
        "Table already exists: table",
        "TableAlreadyExistsException",
    ),
    Refused("no backup", {"BackupArn": MISSING}, f"Backup not found: {MISSING}", "BackupNotFoundException"),
    Refused(
        "units where each request is paid for",
        {"ProvisionedThroughputOverride": UNITS},
        f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
        "PAY_PER_REQUEST",
    ),
    Refused(
        "no units",
        {"BillingModeOverride": "PROVISIONED"},
        f"{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
    ),
    Refused(
        "no units of an index",
        {"BillingModeOverride": "PROVISIONED", "ProvisionedThroughputOverride": UNITS},
        f"{INVALID}ProvisionedThroughput is required for index: gsi when BillingMode is PROVISIONED",
    ),
    Refused(
        "a missing index",
        {"GlobalSecondaryIndexOverride": [index("other", "gsiPk")]},
        f"{INVALID}GlobalSecondaryIndexOverride: other is not an index of the source table with this KeySchema and "
        "Projection",
    ),
    Refused(
        "an index with another projection",
        {"LocalSecondaryIndexOverride": [index("lsi", "pk", "lsiSk", holds=projection(kind="KEYS_ONLY"))]},
        f"{INVALID}LocalSecondaryIndexOverride: lsi is not an index of the source table with this KeySchema and "
        "Projection",
    ),
    Refused(
        "an index twice",
        {"LocalSecondaryIndexOverride": [index("lsi", "pk", "lsiSk")] * 2},
        f"{INVALID}Duplicate index name: lsi",
    ),
)
def test_restore_table_from_backup_rejects_an_invalid_request_and_creates_nothing(engine: Engine, row: Refused) -> None:
    arn = backup_of(engine)
    tables = engine.call("ListTables", {})
    refusal = refused(
        engine, "RestoreTableFromBackup", {"TargetTableName": "restored", "BackupArn": arn, **row.request}
    )
    assert (refusal.code, refusal.message) == (row.code, row.words)
    assert engine.call("ListTables", {}) == tables


KEYS = st.sampled_from("abcd")
VALUES = st.none() | st.sampled_from("xyz")
WRITES = st.lists(st.tuples(KEYS, VALUES), max_size=10)


@given(WRITES, WRITES, st.sets(st.sampled_from(["gsi", "lsi"])))
def test_restore_table_from_backup_ignores_writes_after_the_backup(
    before: list[tuple[str, str | None]], after: list[tuple[str, str | None]], indexes: set[str]
) -> None:
    kept: Any = {
        "GlobalSecondaryIndexOverride": [index("gsi", "gsiPk")] if "gsi" in indexes else [],
        "LocalSecondaryIndexOverride": [index("lsi", "pk", "lsiSk")] if "lsi" in indexes else [],
    }
    with Engine() as made:
        create_indexed(made)
        _write(made, before)
        held = [scan(made, **source)["Items"] for source in _sources(indexes)]
        arn = backup_of(made)
        _write(made, after)
        restore(made, arn, **kept)
        assert [scan(made, "restored", **source)["Items"] for source in _sources(indexes)] == held


def _sources(indexes: set[str]) -> list[Document]:
    return [{}, *({"IndexName": name} for name in sorted(indexes))]


def _write(engine: Engine, writes: list[tuple[str, str | None]]) -> None:
    for key, value in writes:
        if value is None:
            delete(engine, texts(pk=key, sk="1"))
        else:
            put(engine, texts(pk=key, sk="1", gsiPk=value, lsiSk=value))
