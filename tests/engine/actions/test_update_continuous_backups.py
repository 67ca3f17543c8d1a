"""UpdateContinuousBackups and DescribeContinuousBackups: the restorable period of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import Document, create, refused, scan, texts
from tests.engine.table_requests import put as put_item

DAY = 86_400.0


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with Engine(now=clock, sweep_seconds=None) as made:
        create(made)
        yield made


def set_recovery(engine: Engine, enabled: bool, **more: Any) -> Document:
    specification = {"PointInTimeRecoveryEnabled": enabled, **more}
    answer: Document = engine.call(
        "UpdateContinuousBackups", {"TableName": "table", "PointInTimeRecoverySpecification": specification}
    )["ContinuousBackupsDescription"]
    assert engine.call("DescribeContinuousBackups", {"TableName": "table"}) == {"ContinuousBackupsDescription": answer}
    assert answer["ContinuousBackupsStatus"] == "ENABLED"
    expected: Document = answer["PointInTimeRecoveryDescription"]
    return expected


def test_describe_continuous_backups_shows_recovery_as_disabled_by_default(engine: Engine) -> None:
    assert engine.call("DescribeContinuousBackups", {"TableName": engine.arn("table")}) == {
        "ContinuousBackupsDescription": {
            "ContinuousBackupsStatus": "ENABLED",
            "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"},
        }
    }


def test_point_in_time_recovery_starts_when_it_was_enabled_within_its_period(engine: Engine, clock: Clock) -> None:
    since = clock.time
    assert set_recovery(engine, True) == {
        "PointInTimeRecoveryStatus": "ENABLED",
        "RecoveryPeriodInDays": 35,
        "EarliestRestorableDateTime": since,
        "LatestRestorableDateTime": since,
    }
    clock.time += 3 * DAY
    assert set_recovery(engine, True, RecoveryPeriodInDays=2) == {
        "PointInTimeRecoveryStatus": "ENABLED",
        "RecoveryPeriodInDays": 2,
        "EarliestRestorableDateTime": since + DAY,
        "LatestRestorableDateTime": since + 3 * DAY,
    }
    assert set_recovery(engine, False) == {"PointInTimeRecoveryStatus": "DISABLED"}
    clock.time += 1
    assert set_recovery(engine, True)["EarliestRestorableDateTime"] == clock.time


@pytest.mark.parametrize(
    ("specification", "words"),
    [
        (
            {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 36},
            "1 validation error detected: Value '36' at 'pointInTimeRecoverySpecification.recoveryPeriodInDays' "
            "failed to satisfy constraint: Member must have value less than or equal to 35",
        ),
        (
            {"PointInTimeRecoveryEnabled": False, "RecoveryPeriodInDays": 5},
            "One or more parameter values were invalid: RecoveryPeriodInDays can only be specified when "
            "PointInTimeRecoveryEnabled is true",
        ),
    ],
)
def test_update_continuous_backups_rejects_invalid_recovery_periods(
    engine: Engine, specification: Document, words: str
) -> None:
    request = {"TableName": "table", "PointInTimeRecoverySpecification": specification}
    refusal = refused(engine, "UpdateContinuousBackups", request)
    assert (refusal.code, refusal.message) == ("ValidationException", words)


def test_update_and_describe_continuous_backups_do_not_find_a_missing_table(engine: Engine) -> None:
    specification = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
    for action, more in (("UpdateContinuousBackups", specification), ("DescribeContinuousBackups", {})):
        refusal = refused(engine, action, {"TableName": "missing", **more})
        assert (refusal.code, refusal.message) == ("TableNotFoundException", "Table not found: missing")


def test_delete_table_makes_a_backup_for_35_days_of_a_table_with_recovery(engine: Engine, clock: Clock) -> None:
    set_recovery(engine, True)
    put_item(engine, texts(pk="a", sk="1"))
    engine.call("DeleteTable", {"TableName": "table"})
    (summary,) = engine.call("ListBackups", {"BackupType": "SYSTEM"})["BackupSummaries"]
    assert summary["BackupName"] == "table$DeletedTableBackup"
    assert summary["BackupType"] == "SYSTEM"
    assert summary["BackupSizeBytes"] == 6
    assert summary["BackupExpiryDateTime"] == clock.time + 35 * DAY
    request = {"TargetTableName": "table", "BackupArn": summary["BackupArn"]}
    engine.call("RestoreTableFromBackup", request)
    assert scan(engine)["Items"] == [texts(pk="a", sk="1")]
    clock.time += 35 * DAY
    assert engine.call("ListBackups", {})["BackupSummaries"] == []
    assert refused(engine, "DescribeBackup", {"BackupArn": summary["BackupArn"]}).code == "BackupNotFoundException"


def test_delete_table_makes_no_backup_of_a_table_without_recovery(engine: Engine) -> None:
    engine.call("DeleteTable", {"TableName": "table"})
    assert engine.call("ListBackups", {})["BackupSummaries"] == []
