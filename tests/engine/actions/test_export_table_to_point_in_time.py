"""ExportTableToPointInTime, DescribeExport and ListExports: DynamoDB's export files in a folder."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from singletable.engine.engine import Engine
from singletable.errors import RequestRefused
from tests.engine.actions.test_update_continuous_backups import Clock, clock, set_recovery
from tests.engine.table_requests import Document, Refused, create, create_hash, delete, put, refusals, refused, texts

__all__ = ["clock"]  # a fixture

BUCKET = "my-bucket"
EVERYTHING: Document = {
    "pk": {"S": "a"},
    "sk": {"S": "1"},
    "n": {"N": "-12.5"},
    "b": {"B": "AAE="},
    "ss": {"SS": ["x", "y"]},
    "ns": {"NS": ["1", "2.5"]},
    "bs": {"BS": ["AA==", "AQ=="]},
    "m": {"M": {"deep": {"L": [{"NULL": True}, {"BOOL": False}, {"S": 'quoted " text'}]}}},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / BUCKET).mkdir()
    return tmp_path


@pytest.fixture
def engine(folder: Path, clock: Clock) -> Iterator[Engine]:
    with Engine(buckets=folder, now=clock, sweep_seconds=None) as made:
        create(made)
        set_recovery(made, True)
        yield made


def begin(engine: Engine, **request: Any) -> Document:
    description: Document = engine.call(
        "ExportTableToPointInTime", {"TableArn": engine.arn("table"), "S3Bucket": BUCKET, **request}
    )["ExportDescription"]
    return description


def export(engine: Engine, **request: Any) -> Document:
    """Run an export to its end."""
    arn = begin(engine, **request)["ExportArn"]
    engine.jobs.wait()
    description: Document = engine.call("DescribeExport", {"ExportArn": arn})["ExportDescription"]
    return description


def lines(folder: Path, key: str = "") -> list[Document]:
    """Return the sorted lines of all data files."""
    files = sorted((folder / BUCKET / key).rglob("*.json.gz"))
    return [json.loads(line) for file in files for line in sorted(gzip.decompress(file.read_bytes()).splitlines())]


def test_an_export_job_writes_one_item_per_line(engine: Engine, folder: Path) -> None:
    put(engine, EVERYTHING)
    put(engine, texts(pk="b", sk="1"))
    description = export(engine)
    assert (description["ExportStatus"], description["ItemCount"]) == ("COMPLETED", 2)
    assert lines(folder) == [{"Item": EVERYTHING}, {"Item": texts(pk="b", sk="1")}]


@pytest.mark.parametrize("prefix", [None, "deep/down", "/slashes/"])
def test_an_export_job_writes_the_file_layout_of_dynamodb(
    engine: Engine, folder: Path, clock: Clock, prefix: str | None
) -> None:
    put(engine, texts(pk="a", sk="1"))
    description = export(engine, **({} if prefix is None else {"S3Prefix": prefix}))
    identifier = description["ExportArn"].rpartition("/")[2]
    key = f"{prefix.strip('/')}/" if prefix else ""
    top = f"{key}AWSDynamoDB/{identifier}"
    there = sorted(path.relative_to(folder / BUCKET).as_posix() for path in folder.rglob("*") if path.is_file())
    (data,) = [path for path in there if path.startswith(f"{top}/data/")]
    assert sorted(set(there) - {data}) == [
        f"{top}/{name}"
        for name in (
            "_started",
            "manifest-files.json",
            "manifest-files.md5",
            "manifest-summary.json",
            "manifest-summary.md5",
        )
    ]
    content = (folder / BUCKET / data).read_bytes()
    assert json.loads((folder / BUCKET / top / "manifest-files.json").read_text()) == {
        "itemCount": 1,
        "md5Checksum": _md5(content),
        "etag": f"{hashlib.md5(content).hexdigest()}-1",
        "dataFileS3Key": data,
    }
    summary = json.loads((folder / BUCKET / top / "manifest-summary.json").read_text())
    assert summary == {
        "version": "2020-06-30",
        "exportArn": description["ExportArn"],
        "startTime": "1970-01-12T13:46:40.000Z",
        "endTime": "1970-01-12T13:46:40.000Z",
        "tableArn": engine.arn("table"),
        "tableId": description["TableId"],
        "exportTime": "1970-01-12T13:46:40.000Z",
        "s3Bucket": BUCKET,
        "s3Prefix": prefix,
        "s3SseAlgorithm": "AES256",
        "s3SseKmsKeyId": None,
        "manifestFilesS3Key": f"{top}/manifest-files.json",
        "billedSizeBytes": 6,
        "itemCount": 1,
        "outputFormat": "DYNAMODB_JSON",
    }
    for name in ("manifest-files", "manifest-summary"):
        checksum = (folder / BUCKET / top / f"{name}.md5").read_text()
        assert checksum == _md5((folder / BUCKET / top / f"{name}.json").read_bytes())
    assert description["ExportManifest"] == f"{top}/manifest-summary.json"


def _md5(content: bytes) -> str:
    return base64.b64encode(hashlib.md5(content).digest()).decode()


def test_export_table_to_point_in_time_returns_the_description_of_dynamodb(engine: Engine, clock: Clock) -> None:
    begun = begin(engine, ClientToken="token")
    assert begun.pop("ExportArn").startswith(f"{engine.arn('table')}/export/00001000000000-")
    assert begun == {
        "ExportStatus": "IN_PROGRESS",
        "ExportTime": clock.time,
        "StartTime": clock.time,
        "TableArn": engine.arn("table"),
        "TableId": engine.call("DescribeTable", {"TableName": "table"})["Table"]["TableId"],
        "ClientToken": "token",
        "S3Bucket": BUCKET,
        "S3SseAlgorithm": "AES256",
        "ExportFormat": "DYNAMODB_JSON",
    }
    engine.jobs.wait()
    assert export(engine, ExportType="FULL_EXPORT")["ExportType"] == "FULL_EXPORT"


def test_an_export_job_writes_an_empty_file_for_an_empty_table(engine: Engine, folder: Path) -> None:
    assert export(engine)["ItemCount"] == 0
    (file,) = folder.rglob("*.json.gz")
    assert gzip.decompress(file.read_bytes()) == b""


def test_an_export_job_writes_several_files_for_many_items(
    engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable.engine.transfers.export_job.FILE_BYTES", 200)
    monkeypatch.setattr("singletable.engine.backups.table_snapshot.STEP_ITEMS", 3)
    for number in range(20):
        put(engine, texts(pk=str(number), sk="1"))
    assert export(engine)["ItemCount"] == 20
    manifest = next(folder.rglob("manifest-files.json")).read_text().splitlines()
    assert len(manifest) > 2
    assert sum(json.loads(line)["itemCount"] for line in manifest) == 20
    assert len(lines(folder)) == 20


def test_export_table_to_point_in_time_exports_the_items_at_the_requested_time(
    engine: Engine, folder: Path, clock: Clock
) -> None:
    put(engine, texts(pk="a", sk="1"))
    at = clock.time
    clock.time += 10
    put(engine, texts(pk="b", sk="1"))
    delete(engine, texts(pk="a", sk="1"))
    assert export(engine, ExportTime=at, S3Prefix="then")["ExportTime"] == at
    export(engine, S3Prefix="now")
    assert lines(folder, "then") == [{"Item": texts(pk="a", sk="1")}]
    assert lines(folder, "now") == [{"Item": texts(pk="b", sk="1")}]


def test_an_export_job_writes_one_line_per_changed_item_of_an_incremental_export(
    engine: Engine, folder: Path, clock: Clock
) -> None:
    put(engine, texts(pk="gone", sk="1"))
    put(engine, texts(pk="same", sk="1"))
    put(engine, texts(pk="kept", sk="1", version="0"))
    clock.time += 1000
    start = clock.time
    for version in ("1", "2"):
        put(engine, texts(pk="kept", sk="1", version=version))
    delete(engine, texts(pk="gone", sk="1"))
    put(engine, texts(pk="new", sk="1"))
    put(engine, texts(pk="brief", sk="1"))
    delete(engine, texts(pk="brief", sk="1"))
    clock.time += 1000
    put(engine, texts(pk="kept", sk="1", version="3"))
    clock.time += 1
    period = {"ExportFromTime": start, "ExportToTime": start + 1000}
    description = export(engine, ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=period)
    assert description["ExportStatus"] == "COMPLETED"
    view = {"ExportViewType": "NEW_AND_OLD_IMAGES"}
    assert description["IncrementalExportSpecification"] == {**period, **view}
    stamp = {"Metadata": {"WriteTimestampMicros": {"N": str(int(start * 1_000_000))}}}
    gone, kept, new = (texts(pk=name, sk="1") for name in ("gone", "kept", "new"))
    assert sorted(lines(folder), key=lambda line: str(line["Keys"])) == [
        {**stamp, "Keys": gone, "OldImage": gone},
        {
            **stamp,
            "Keys": kept,
            "OldImage": {**kept, "version": {"S": "0"}},
            "NewImage": {**kept, "version": {"S": "2"}},
        },
        {**stamp, "Keys": new, "NewImage": new},
    ]
    (data,) = folder.rglob("*.json.gz")
    assert data.parent == folder / BUCKET / "AWSDynamoDB" / "data"
    summary = json.loads(next(folder.rglob("manifest-summary.json")).read_text())
    assert summary["exportType"] == "INCREMENTAL_EXPORT"
    assert summary["outputView"] == "NEW_AND_OLD_IMAGES"
    assert (summary["exportFromTime"], summary["exportToTime"]) == (
        "1970-01-12T14:03:20.000Z",
        "1970-01-12T14:20:00.000Z",
    )


def test_an_export_job_writes_no_old_images_for_a_view_of_new_images(
    engine: Engine, folder: Path, clock: Clock
) -> None:
    start = clock.time
    put(engine, texts(pk="a", sk="1"))
    clock.time += 1000
    put(engine, texts(pk="a", sk="1", version="2"))
    clock.time += 1
    period = {"ExportFromTime": start + 1, "ExportViewType": "NEW_IMAGE"}
    export(engine, ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=period)
    (line,) = lines(folder)
    assert sorted(line) == ["Keys", "Metadata", "NewImage"]


def test_export_table_to_point_in_time_returns_the_same_export_for_a_repeated_request(
    engine: Engine, clock: Clock
) -> None:
    first = begin(engine, ClientToken="token")
    engine.jobs.wait()
    assert begin(engine, ClientToken="token")["ExportArn"] == first["ExportArn"]
    with pytest.raises(RequestRefused, match="ExportConflictException: Duplicate request detected"):
        begin(engine, ClientToken="token", S3Prefix="other")
    assert begin(engine)["ExportArn"] != begin(engine)["ExportArn"]
    clock.time += 8 * 3600
    assert begin(engine, ClientToken="token", S3Prefix="other")["ExportArn"] != first["ExportArn"]
    engine.jobs.wait()


def test_an_export_job_fails_if_the_bucket_is_missing(engine: Engine) -> None:
    ended = export(engine, S3Bucket="no-bucket")
    assert (ended["ExportStatus"], ended["FailureCode"]) == ("FAILED", "S3NoSuchBucket")
    assert ended["FailureMessage"] == "The specified bucket does not exist"
    assert "ExportManifest" not in ended


def test_list_exports_returns_exports_by_arn_in_pages(engine: Engine) -> None:
    create_hash(engine)
    specification = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
    engine.call("UpdateContinuousBackups", {"TableName": "hash", **specification})
    arns = sorted(export(engine, TableArn=engine.arn(table))["ExportArn"] for table in ("hash", "table") * 3)
    found: list[str] = []
    request: Document = {"MaxResults": 4}
    while True:
        answer = engine.call("ListExports", request)
        found += [summary["ExportArn"] for summary in answer["ExportSummaries"]]
        if "NextToken" not in answer:
            break
        request["NextToken"] = answer["NextToken"]
    assert found == arns
    of_hash = engine.call("ListExports", {"TableArn": engine.arn("hash")})["ExportSummaries"]
    assert [summary["ExportArn"] for summary in of_hash] == arns[:3]
    assert of_hash[0] == {"ExportArn": arns[0], "ExportStatus": "COMPLETED", "ExportType": "FULL_EXPORT"}


def test_describe_export_describes_an_export_after_its_table_was_deleted(engine: Engine) -> None:
    arn = export(engine)["ExportArn"]
    engine.call("DeleteTable", {"TableName": "table"})
    assert engine.call("DescribeExport", {"ExportArn": arn})["ExportDescription"]["ExportStatus"] == "COMPLETED"


NO_TABLE = "arn:aws:dynamodb:us-east-1:000000000000:table/missing"
TIMES = "The time must be between EarliestRestorableDateTime and LatestRestorableDateTime of the table"
PERIOD = "Difference between export period from time and export period to time must be from 15 minutes to 24 hours"
INCREMENTAL = {"ExportType": "INCREMENTAL_EXPORT"}


@refusals(
    Refused("no table", {"TableArn": NO_TABLE}, f"Table not found: {NO_TABLE}", "TableNotFoundException"),
    Refused("a time to come", {"ExportTime": 1_000_001.0}, TIMES, "InvalidExportTimeException"),
    Refused("a time before recovery", {"ExportTime": 999_999.0}, TIMES, "InvalidExportTimeException"),
    Refused(
        "a short period",
        {**INCREMENTAL, "IncrementalExportSpecification": {"ExportFromTime": 1_000_000.0}},
        PERIOD,
        "InvalidExportTimeException",
    ),
    Refused(
        "no period",
        INCREMENTAL,
        "One or more parameter values were invalid: An incremental export needs IncrementalExportSpecification with "
        "ExportFromTime",
    ),
    Refused(
        "a filter",
        {"FilterSpecification": {"FilterExpression": "a = b"}},
        "One or more parameter values were invalid: FilterSpecification is not supported by this engine: export "
        "everything and filter the files",
    ),
    Refused(
        "another format",
        {"ExportFormat": "CSV"},
        "1 validation error detected: Value 'CSV' at 'exportFormat' failed to satisfy constraint: Member must satisfy "
        "enum value set: [DYNAMODB_JSON, ION]",
    ),
)
def test_export_table_to_point_in_time_rejects_an_invalid_request(engine: Engine, row: Refused) -> None:
    request = {"TableArn": engine.arn("table"), "S3Bucket": BUCKET, **row.request}
    refusal = refused(engine, "ExportTableToPointInTime", request)
    assert (refusal.code, refusal.message) == (row.code, row.words)
    assert engine.call("ListExports", {}) == {"ExportSummaries": []}


def test_export_table_to_point_in_time_rejects_a_table_without_recovery(engine: Engine) -> None:
    set_recovery(engine, False)
    request = {"TableArn": engine.arn("table"), "S3Bucket": BUCKET}
    refusal = refused(engine, "ExportTableToPointInTime", request)
    assert refusal.code == "PointInTimeRecoveryUnavailableException"
    assert refusal.message == "Point in time recovery is not enabled for table 'table'"


def test_describe_export_rejects_a_malformed_arn_and_does_not_find_an_unknown_one(engine: Engine) -> None:
    refusal = refused(engine, "DescribeExport", {"ExportArn": engine.arn("table")})
    assert (refusal.code, refusal.message) == ("ValidationException", "Invalid Export ARN")
    arn = f"{engine.arn('table')}/export/01489602797149-73d8d5bc"
    refusal = refused(engine, "DescribeExport", {"ExportArn": arn})
    assert (refusal.code, refusal.message) == ("ExportNotFoundException", f"Export not found: {arn}")


def test_export_table_to_point_in_time_names_the_option_for_a_missing_bucket_folder() -> None:
    with Engine() as made:
        create(made)
        request = {"TableArn": made.arn("table"), "S3Bucket": BUCKET}
        refusal = refused(made, "ExportTableToPointInTime", request)
    assert refusal.code == "ValidationException"
    assert "singletable serve --buckets FOLDER" in refusal.message
    assert "Engine(..., buckets=PATH)" in refusal.message
