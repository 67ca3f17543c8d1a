"""ListBackups: by table, time and type, in pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import create

NAMES = ("one", "two", "three")


@pytest.fixture
def engine() -> Iterator[Engine]:
    """Return an engine with backups of two tables in turn, created at the times 100, 101, ..."""
    clock = [99.0]

    def now() -> float:
        return clock[0]

    with Engine(now=now, sweep_seconds=None) as made:
        create(made, "first")
        create(made, "second")
        for name in NAMES:
            for table in ("first", "second"):
                clock[0] += 1
                made.call("CreateBackup", {"TableName": table, "BackupName": f"{table}-{name}"})
        yield made


def names(engine: Engine, **request: Any) -> list[str]:
    return [each["BackupName"] for each in engine.call("ListBackups", request)["BackupSummaries"]]


def test_list_backups_returns_all_backups_by_arn(engine: Engine) -> None:
    assert names(engine) == [f"{table}-{name}" for table in ("first", "second") for name in NAMES]


def test_list_backups_returns_the_summary_of_dynamodb(engine: Engine) -> None:
    summary = engine.call("ListBackups", {"Limit": 1})["BackupSummaries"][0]
    table = engine.call("DescribeTable", {"TableName": "first"})["Table"]
    assert summary.pop("BackupArn").startswith(f"{table['TableArn']}/backup/00000000100000-")
    assert summary == {
        "TableName": "first",
        "TableId": table["TableId"],
        "TableArn": table["TableArn"],
        "BackupName": "first-one",
        "BackupCreationDateTime": 100.0,
        "BackupStatus": "AVAILABLE",
        "BackupType": "USER",
        "BackupSizeBytes": 0,
    }


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({"TableName": "second"}, ["second-one", "second-two", "second-three"]),
        ({"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/first"}, [f"first-{name}" for name in NAMES]),
        ({"TableName": "missing"}, []),
        ({"TimeRangeLowerBound": 103}, ["first-three", "second-two", "second-three"]),
        ({"TimeRangeUpperBound": 103}, ["first-one", "first-two", "second-one"]),
        ({"TimeRangeLowerBound": 102, "TimeRangeUpperBound": 103.5, "TableName": "first"}, ["first-two"]),
        ({"BackupType": "SYSTEM"}, []),
        ({"BackupType": "AWS_BACKUP"}, []),
        ({"BackupType": "USER", "TableName": "first", "Limit": 2}, ["first-one", "first-two"]),
        ({"BackupType": "ALL", "TableName": "first"}, [f"first-{name}" for name in NAMES]),
    ],
)
def test_list_backups_filters_by_table_time_and_type(
    engine: Engine, request_: dict[str, Any], expected: list[str]
) -> None:
    assert names(engine, **request_) == expected


@pytest.mark.parametrize("limit", [1, 2, 4, 6, 7])
def test_list_backups_returns_all_backups_in_pages(engine: Engine, limit: int) -> None:
    found: list[str] = []
    request: dict[str, Any] = {"Limit": limit}
    while True:
        answer = engine.call("ListBackups", request)
        found += [each["BackupName"] for each in answer["BackupSummaries"]]
        assert len(answer["BackupSummaries"]) <= limit
        if "LastEvaluatedBackupArn" not in answer:
            break
        request["ExclusiveStartBackupArn"] = answer["LastEvaluatedBackupArn"]
    assert found == names(engine)
