"""Background backups and restores of large tables: concurrent writes, and processes that end before the job does."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from singletable.engine.background_jobs import BackgroundJobs
from singletable.engine.engine import Engine
from singletable.engine.integrity_check import check_store
from singletable.engine.storage import backup_rows
from tests.engine.actions.test_create_backup import backup_of
from tests.engine.table_requests import (
    Document,
    create_indexed,
    definitions,
    delete,
    get,
    key_schema,
    put,
    refused,
    scan,
    texts,
)

ITEMS = 40


@pytest.fixture(autouse=True)
def _everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("singletable.engine.backups.backup_records.SMALL_ITEMS", 0)
    monkeypatch.setattr("singletable.engine.backups.table_snapshot.STEP_ITEMS", 7)
    monkeypatch.setattr("singletable.engine.backups.backup_jobs.STEP_ITEMS", 7)


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"file:{tmp_path}/store.db"
    with Engine(url) as engine:
        create_indexed(engine)
        for number in range(ITEMS):
            put(engine, texts(pk=f"p{number % 3}", sk=f"{number:02}", gsiPk="g", lsiSk="l"))
    return url


class Gate:
    """Lets a job run one step at a time."""

    def __init__(self) -> None:
        self._passes = threading.Semaphore(0)
        self.arrived = threading.Semaphore(0)
        self.is_open = False

    def wait(self) -> None:
        self.arrived.release()
        if not self.is_open:
            self._passes.acquire(timeout=20)  # a failed test must not block

    def let_through(self, steps: int = 1) -> None:
        for _ in range(steps):
            self._passes.release()

    def open(self) -> None:
        self.is_open = True
        self.let_through(1000)


@pytest.fixture
def copying(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """Pause a job before each step, without holding the write lock."""
    gate = Gate()
    check = BackgroundJobs.check

    def gated(jobs: BackgroundJobs) -> None:
        gate.wait()
        check(jobs)

    monkeypatch.setattr(BackgroundJobs, "check", gated)
    yield gate
    gate.open()


def close_at_the_gate(engine: Engine, gate: Gate) -> None:
    """Close the engine while a job is paused, so that it is unfinished."""
    closing = threading.Thread(target=engine.close)
    closing.start()
    while not engine.jobs.is_stopping:
        time.sleep(0.001)
    gate.open()
    closing.join()


def items(engine: Engine, table: str = "table", **source: Any) -> list[Document]:
    found: list[Document] = scan(engine, table, **source)["Items"]
    return found


def contents(engine: Engine, table: str = "table") -> list[list[Document]]:
    return [items(engine, table), items(engine, table, IndexName="gsi"), items(engine, table, IndexName="lsi")]


def status(engine: Engine, arn: str) -> Any:
    return engine.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]["BackupDetails"]["BackupStatus"]


def test_a_backup_job_copies_a_snapshot_despite_concurrent_writes(url: str, copying: Gate) -> None:
    with Engine(url) as engine:
        before = contents(engine)
        arn = backup_of(engine)
        for number in range(ITEMS):
            copying.let_through(number % 2)
            assert status(engine, arn) == "CREATING"
            if number % 2:
                delete(engine, texts(pk=f"p{number % 3}", sk=f"{number:02}"))
            put(engine, texts(pk="new", sk=f"{number:02}", gsiPk="g"))
            if number == 6:
                break
        copying.open()
        engine.jobs.wait()
        assert status(engine, arn) == "AVAILABLE"
        engine.call("RestoreTableFromBackup", {"TargetTableName": "restored", "BackupArn": arn})
        engine.jobs.wait()
        assert contents(engine, "restored") == before
        assert len(items(engine)) > ITEMS
    assert check_store(url.removeprefix("file:"))[3:] == ([], 1)


def test_a_backup_cannot_be_used_before_its_backup_job_ends(url: str, copying: Gate) -> None:
    with Engine(url) as engine:
        arn = backup_of(engine)
        request = {"TargetTableName": "restored", "BackupArn": arn}
        assert refused(engine, "RestoreTableFromBackup", request).code == "BackupInUseException"
        assert refused(engine, "DeleteBackup", {"BackupArn": arn}).code == "BackupInUseException"
        copying.open()
        engine.jobs.wait()
        engine.call("DeleteBackup", {"BackupArn": arn})


def test_a_restored_table_serves_requests_only_after_its_restore_job(url: str, copying: Gate) -> None:
    with Engine(url) as engine:
        copying.is_open = True
        arn = backup_of(engine)
        engine.jobs.wait()
        copying.is_open = False
        engine.call("RestoreTableFromBackup", {"TargetTableName": "restored", "BackupArn": arn})
        copying.arrived.acquire()
        table = engine.call("DescribeTable", {"TableName": "restored"})["Table"]
        assert (table["TableStatus"], table["RestoreSummary"]["RestoreInProgress"]) == ("CREATING", True)
        assert refused(engine, "Scan", {"TableName": "restored"}).code == "ResourceNotFoundException"
        put_one = {"TableName": "restored", "Item": texts(pk="a", sk="1")}
        assert refused(engine, "PutItem", put_one).code == "ResourceNotFoundException"
        words = "Attempt to change a resource which is still in use: Table is being created: restored"
        for action, more in (
            ("DeleteTable", {}),
            ("UpdateTable", {"DeletionProtectionEnabled": True}),
            ("UpdateTimeToLive", {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "e"}}),
        ):
            error = refused(engine, action, {"TableName": "restored", **more})
            assert (error.code, error.message) == ("ResourceInUseException", words)
        backup = refused(engine, "CreateBackup", {"TableName": "restored", "BackupName": "backup"})
        assert backup.code == "TableInUseException"
        specification = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
        recovery = refused(engine, "UpdateContinuousBackups", {"TableName": "restored", **specification})
        assert recovery.code == "ContinuousBackupsUnavailableException"
        assert refused(engine, "DeleteBackup", {"BackupArn": arn}).code == "BackupInUseException"
        copying.open()
        engine.jobs.wait()
        assert contents(engine, "restored") == contents(engine)


def test_closing_the_engine_discards_the_backup_of_an_unfinished_backup_job(url: str, copying: Gate) -> None:
    engine = Engine(url)
    arn = backup_of(engine)
    copying.let_through(2)
    close_at_the_gate(engine, copying)
    with Engine(url) as engine:
        assert engine.call("ListBackups", {})["BackupSummaries"] == []
        assert refused(engine, "DescribeBackup", {"BackupArn": arn}).code == "BackupNotFoundException"
        engine.jobs.wait()
        with engine.store.reading() as connection:
            assert backup_rows.rows(connection) == []
    assert check_store(url.removeprefix("file:")).problems == []


def test_background_jobs_of_another_live_engine_continue(url: str, copying: Gate) -> None:
    with Engine(url) as engine:
        arn = backup_of(engine)
        with Engine(url) as other:
            assert status(other, arn) == "CREATING"
        copying.open()
        engine.jobs.wait()
        assert status(engine, arn) == "AVAILABLE"


def test_the_next_process_resumes_an_interrupted_restore_job(url: str, copying: Gate) -> None:
    engine = Engine(url)
    copying.is_open = True
    arn = backup_of(engine)
    engine.jobs.wait()
    copying.is_open = False
    engine.call("RestoreTableFromBackup", {"TargetTableName": "restored", "BackupArn": arn})
    copying.let_through(2)
    close_at_the_gate(engine, copying)
    with Engine(url) as engine:
        engine.jobs.wait()
        assert contents(engine, "restored") == contents(engine)
        assert engine.call("DescribeTable", {"TableName": "restored"})["Table"]["TableStatus"] == "ACTIVE"


def test_two_engines_can_run_one_restore_job_together(url: str, copying: Gate) -> None:
    with Engine(url) as engine:
        copying.is_open = True
        arn = backup_of(engine)
        engine.jobs.wait()
        copying.is_open = False
        engine.call("RestoreTableFromBackup", {"TargetTableName": "restored", "BackupArn": arn})
        with Engine(url) as other:
            copying.open()
            other.jobs.wait()
            engine.jobs.wait()
        assert contents(engine, "restored") == contents(engine)


def recover(engine: Engine, at: float | None = None) -> None:
    when: Document = {"UseLatestRestorableTime": True} if at is None else {"RestoreDateTime": at}
    engine.call("RestoreTableToPointInTime", {"SourceTableName": "table", "TargetTableName": "restored", **when})


def turn_recovery_on(engine: Engine) -> float:
    specification = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
    engine.call("UpdateContinuousBackups", {"TableName": "table", **specification})
    return engine.now()


def test_point_in_time_recovery_restores_a_snapshot_despite_concurrent_writes(url: str, copying: Gate) -> None:
    with Engine(url) as engine:
        at = turn_recovery_on(engine)
        before = contents(engine)
        put(engine, texts(pk="new", sk="1"))
        delete(engine, texts(pk="p0", sk="00"))
        recover(engine, at)
        copying.arrived.acquire()
        put(engine, texts(pk="newer", sk="1"))
        assert get(engine, texts(pk="newer", sk="1")) is not None
        copying.open()
        engine.jobs.wait()
        assert contents(engine, "restored") == before
    assert check_store(url.removeprefix("file:")).problems == []


def test_closing_the_engine_drops_the_table_of_an_unfinished_point_in_time_recovery(url: str, copying: Gate) -> None:
    engine = Engine(url)
    turn_recovery_on(engine)
    recover(engine)
    copying.let_through(2)
    close_at_the_gate(engine, copying)
    with Engine(url) as engine:
        assert engine.call("ListTables", {})["TableNames"] == ["table"]
    assert check_store(url.removeprefix("file:")).problems == []


def test_a_backup_job_deletes_the_items_of_a_deleted_backup_in_steps(url: str) -> None:
    with Engine(url) as engine:
        arn = backup_of(engine)
        engine.jobs.wait()
        engine.call("DeleteBackup", {"BackupArn": arn})
        assert refused(engine, "DescribeBackup", {"BackupArn": arn}).code == "BackupNotFoundException"
        engine.jobs.wait()
        with engine.store.reading() as connection:
            trees = connection.execute("SELECT name FROM sqlite_master WHERE name GLOB 'b[0-9]*'").fetchall()
        assert trees == []


def test_backup_jobs_of_a_store_in_memory_end_within_the_request() -> None:
    with Engine() as engine:
        create_indexed(engine)
        for number in range(ITEMS):
            put(engine, texts(pk="p", sk=f"{number:02}", gsiPk="g", lsiSk="l"))
        arn = backup_of(engine)
        assert status(engine, arn) == "AVAILABLE"
        engine.call("RestoreTableFromBackup", {"TargetTableName": "restored", "BackupArn": arn})
        assert contents(engine, "restored") == contents(engine)
        engine.call("DeleteBackup", {"BackupArn": arn})


def test_an_interrupted_import_job_fails_and_keeps_the_imported_items(
    url: str, copying: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable.engine.transfers.import_job.STEP_ITEMS", 10)
    (tmp_path / "bucket").mkdir()
    lines = [json.dumps({"Item": texts(pk=str(number))}) for number in range(100)]
    (tmp_path / "bucket" / "items.json").write_text("\n".join(lines))
    engine = Engine(url, buckets=tmp_path)
    request = {
        "S3BucketSource": {"S3Bucket": "bucket"},
        "InputFormat": "DYNAMODB_JSON",
        "TableCreationParameters": {
            "TableName": "imported",
            "KeySchema": key_schema("pk"),
            "AttributeDefinitions": definitions(pk="S"),
            "BillingMode": "PAY_PER_REQUEST",
        },
    }
    arn = engine.call("ImportTable", request)["ImportTableDescription"]["ImportArn"]
    copying.let_through(3)
    for _ in range(4):
        copying.arrived.acquire()
    assert refused(engine, "Scan", {"TableName": "imported"}).code == "ResourceNotFoundException"
    close_at_the_gate(engine, copying)
    with Engine(url) as engine:
        description = engine.call("DescribeImport", {"ImportArn": arn})["ImportTableDescription"]
        assert (description["ImportStatus"], description["FailureCode"]) == ("FAILED", "Interrupted")
        assert description["ImportedItemCount"] == 30
        assert len(items(engine, "imported")) == 30


def test_an_interrupted_export_job_fails_and_has_no_manifest(url: str, copying: Gate, tmp_path: Path) -> None:
    (tmp_path / "bucket").mkdir()
    engine = Engine(url, buckets=tmp_path)
    turn_recovery_on(engine)
    request = {"TableArn": engine.arn("table"), "S3Bucket": "bucket"}
    arn = engine.call("ExportTableToPointInTime", request)["ExportDescription"]["ExportArn"]
    copying.let_through(2)
    close_at_the_gate(engine, copying)
    with Engine(url) as engine:
        description = engine.call("DescribeExport", {"ExportArn": arn})["ExportDescription"]
        assert (description["ExportStatus"], description["FailureCode"]) == ("FAILED", "Interrupted")
    assert list(tmp_path.rglob("manifest-summary.json")) == []
