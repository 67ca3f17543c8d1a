"""Exports of DynamoDB to S3 are read: full and incremental, in DynamoDB JSON and Ion, in AWS's layout."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from singletable import AnalyticsRefused, Table, entity, key
from singletable.analytics.data_export import DataExport
from singletable.analytics.entity_rows import TableRows
from singletable.analytics.s3_exports import ExportFolder, S3ExportSource, find_exports
from singletable.engine import Engine


@entity(key=("ORDER#{id}", "HEAD"))
@dataclass
class Order:
    id: str
    total: Decimal
    tags: set[str] = field(default_factory=set)
    lines: dict[str, list[int]] = field(default_factory=dict)
    note: bytes | None = None
    is_paid: bool = False


class Shop(Table, entities=[Order]):
    """Orders."""


class Clock:
    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


def items_of(folder: Path) -> list[str]:
    source = S3ExportSource(folder, ("PK", "SK"))
    return sorted(json.dumps(item, sort_keys=True) for page in source.pages(None) for item in page.items)


def stored(engine: Engine) -> list[str]:
    return sorted(json.dumps(item, sort_keys=True) for item in engine.call("Scan", {"TableName": "Shop"})["Items"])


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(tmp_path: Path, clock: Clock) -> Iterator[Engine]:
    (tmp_path / "bucket").mkdir()
    with Engine(buckets=tmp_path, now=clock, sweep_seconds=None) as made:
        Shop.open(made, create=True).close()
        setting = {"PointInTimeRecoveryEnabled": True}
        made.call("UpdateContinuousBackups", {"TableName": "Shop", "PointInTimeRecoverySpecification": setting})
        yield made


def run_export(engine: Engine, **parameters: Any) -> None:
    arn = engine.call("DescribeTable", {"TableName": "Shop"})["Table"]["TableArn"]
    request = {"TableArn": arn, "S3Bucket": "bucket", "S3Prefix": "daily", **parameters}
    started = engine.call("ExportTableToPointInTime", request)["ExportDescription"]["ExportArn"]
    for _ in range(1000):
        found = engine.call("DescribeExport", {"ExportArn": started})["ExportDescription"]
        if found["ExportStatus"] != "IN_PROGRESS":
            break
        time.sleep(0.01)
    assert found["ExportStatus"] == "COMPLETED", found


def order(number: int, **fields: Any) -> Order:
    return Order(f"o{number}", Decimal(number) / 8, {"a", f"t{number}"}, {"x": [number, -1]}, b"\x00\xff", **fields)


@pytest.mark.parametrize("output_format", ["DYNAMODB_JSON", "ION"])
def test_a_full_export_with_incremental_exports_equals_the_table(
    engine: Engine, clock: Clock, tmp_path: Path, output_format: str
) -> None:
    with Shop.open(engine) as shop:
        for number in range(30):
            shop.put(order(number))
        clock.now += 60
        start = clock.now
        run_export(engine, ExportFormat=output_format, ExportTime=start)
        for period in range(3):
            for number in range(period, 40, 4):
                shop.put(order(number, is_paid=True))
            shop.delete(key(Order, id=f"o{period * 5}"))
            clock.now += 1800
            period_ = {"ExportFromTime": start, "ExportToTime": clock.now, "ExportViewType": "NEW_AND_OLD_IMAGES"}
            run_export(
                engine,
                ExportFormat=output_format,
                ExportType="INCREMENTAL_EXPORT",
                IncrementalExportSpecification=period_,
            )
            start = clock.now
            assert items_of(tmp_path / "bucket") == stored(engine)
        source = S3ExportSource(tmp_path / "bucket", ("PK", "SK"))
        manifest = DataExport(Shop.design, source, tmp_path / "out", "parquet", step_rows=7).run()
        assert manifest.rows("Order") == len(stored(engine))


# By hand, from the pages "DynamoDB table export output format" and "Requesting a table export" of AWS.
FULL = {
    "version": "2020-06-30",
    "exportArn": "arn:aws:dynamodb:us-east-1:123456789012:table/Shop/export/01234567890123-a1b2c3d4",
    "startTime": "2020-11-04T07:28:34.028Z",
    "endTime": "2020-11-04T07:33:43.897Z",
    "tableArn": "arn:aws:dynamodb:us-east-1:123456789012:table/Shop",
    "tableId": "12345a12-abcd-123a-ab12-1234abc12345",
    "exportTime": "2020-11-04T07:28:34.028Z",
    "s3Bucket": "shop-exports",
    "s3Prefix": None,
    "s3SseAlgorithm": "AES256",
    "s3SseKmsKeyId": None,
    "manifestFilesS3Key": "AWSDynamoDB/01693685827463-2d8752fd/manifest-files.json",
    "billedSizeBytes": 0,
    "itemCount": 2,
    "outputFormat": "DYNAMODB_JSON",
}
INCREMENTAL = FULL | {
    "version": "2023-08-01",
    "exportFromTime": "2020-11-04T07:28:34.028Z",
    "exportToTime": "2020-11-04T08:28:34.028Z",
    "exportType": "INCREMENTAL_EXPORT",
    "outputView": "NEW_AND_OLD_IMAGES",
    "outputFormat": "ION",
}
JSON_LINES = (
    '{"Item":{"PK":{"S":"ORDER#o1"},"SK":{"S":"HEAD"},"entity_type":{"S":"Order"},"id":{"S":"o1"},"total":{"N":"12.5"},'
    '"tags":{"SS":["a","b"]},"lines":{"M":{"x":{"L":[{"N":"1"},{"N":"2"}]}}},"is_paid":{"BOOL":false}}}\n'
    '{"Item":{"PK":{"S":"ORDER#o2"},"SK":{"S":"HEAD"},"entity_type":{"S":"Order"},"id":{"S":"o2"},"total":{"N":"1"},'
    '"tags":{"L":[]},"lines":{"M":{}},"is_paid":{"BOOL":true},"note":{"B":"AP8="}}}\n'
)
# In Ion, sets are lists with an annotation, numbers are decimals and binary values are blobs.
ION_LINES = (
    '$ion_1_0 {Metadata:{WriteTimestampMicros:1604474914028000.},Keys:{PK:"ORDER#o1",SK:"HEAD"},'
    'OldImage:{PK:"ORDER#o1",SK:"HEAD",id:"o1"},NewImage:{PK:"ORDER#o1",SK:"HEAD",entity_type:"Order",id:"o1",'
    'total:99.,tags:$dynamodb_SS::["c"],lines:{y:[7.]},is_paid:true,note:{{AP8=}}}}\n'
    '$ion_1_0 {Metadata:{WriteTimestampMicros:1604474914028001.},Keys:{PK:"ORDER#o2",SK:"HEAD"},'
    'OldImage:{PK:"ORDER#o2",SK:"HEAD",id:"o2"}}\n'
)


def write_fixture(bucket: Path, identifier: str, summary: dict[str, Any], lines: str, data: str, suffix: str) -> None:
    """Write an export as AWS does: the manifests, their checksums, and one compressed data file."""
    folder = bucket / "AWSDynamoDB" / identifier
    folder.mkdir(parents=True)
    key_of_data = f"{data}/asdl123dasas.{suffix}.gz"
    content = gzip.compress(lines.encode())
    (bucket / data).mkdir(parents=True, exist_ok=True)
    (bucket / key_of_data).write_bytes(content)
    checksum = base64.b64encode(hashlib.md5(content, usedforsecurity=False).digest()).decode()
    listed = {
        "itemCount": 2,
        "md5Checksum": checksum,
        "etag": "sQMSpEILNgoQmarvDFonGQ==-1",
        "dataFileS3Key": key_of_data,
    }
    (folder / "manifest-files.json").write_text(json.dumps(listed) + "\n")
    (folder / "manifest-summary.json").write_text(json.dumps(summary))
    (folder / "manifest-files.md5").write_text("sQMSpEILNgoQmarvDFonGQ==")
    (folder / "_started").touch()


@pytest.fixture
def bucket(tmp_path: Path) -> Path:
    full, changes = "01693685827463-2d8752fd", "01693685834118-1e1b8a1c"
    write_fixture(tmp_path, full, FULL, JSON_LINES, f"AWSDynamoDB/{full}/data", "json")
    write_fixture(tmp_path, changes, INCREMENTAL, ION_LINES, "AWSDynamoDB/data", "ion")
    return tmp_path


def test_the_documented_layout_of_an_s3_export_is_read(bucket: Path) -> None:
    pages = S3ExportSource(bucket, ("PK", "SK")).pages(None)
    rows = TableRows(Shop.design)
    (batch,) = [rows.batches(page.items, {})["Order"] for page in pages]
    assert batch.to_pylist() == [
        {"id": "o1", "total": "99", "tags": ["c"], "lines": [("y", [7])], "note": b"\x00\xff", "is_paid": True}
    ]


def test_a_full_s3_export_alone_is_read_from_its_own_folder(bucket: Path) -> None:
    moved = bucket / "copied"
    shutil.copytree(bucket / "AWSDynamoDB" / "01693685827463-2d8752fd", moved)
    (page,) = S3ExportSource(moved, ("PK", "SK")).pages(None)
    assert [item["id"] for item in page.items] == [{"S": "o1"}, {"S": "o2"}]


def test_an_s3_export_continues_after_a_position(bucket: Path) -> None:
    shutil.rmtree(bucket / "AWSDynamoDB" / "01693685834118-1e1b8a1c")
    (page,) = S3ExportSource(bucket, ("PK", "SK")).pages(1)
    assert [item["id"] for item in page.items] == [{"S": "o2"}]


def with_changes(bucket: Path, **changes: Any) -> list[ExportFolder]:
    """Change the summary of the incremental export, and find the exports."""
    summary = bucket / "AWSDynamoDB" / "01693685834118-1e1b8a1c" / "manifest-summary.json"
    summary.write_text(json.dumps(INCREMENTAL | changes))
    return find_exports(bucket)


def test_changes_before_the_full_s3_export_are_not_applied(bucket: Path) -> None:
    found = with_changes(bucket, exportFromTime="2020-11-04T06:28:34Z", exportToTime="2020-11-04T07:28:34Z")
    assert [each.is_incremental for each in found] == [False]
    (page,) = S3ExportSource(bucket, ("PK", "SK")).pages(None)
    assert [item["total"] for item in page.items] == [{"N": "12.5"}, {"N": "1"}]
    # The periods overlap, and the incremental export contains the state at the end of its period.
    overlapping = with_changes(bucket, exportFromTime="2020-11-04T07:00:00Z", exportToTime="2020-11-04T07:28:34.100Z")
    assert [each.is_incremental for each in overlapping] == [False, True]


def test_exports_of_another_table_are_rejected(bucket: Path) -> None:
    with pytest.raises(AnalyticsRefused, match="is an export of another table, arn:aws:dynamodb:x:1:table/Other"):
        with_changes(bucket, tableArn="arn:aws:dynamodb:x:1:table/Other")
    with_changes(bucket)
    with pytest.raises(AnalyticsRefused, match=r"no attribute ID, .*\n  Pass the model of the table Shop\."):
        list(S3ExportSource(bucket, ("ID",)).pages(None))


@pytest.mark.parametrize(
    "line", ["5", "{}", "[1]", '{"Keys": 7}', '{"Keys": {"PK": {"S": "a"}, "SK": {"S": "b"}}}', "{"]
)
def test_an_s3_export_with_an_invalid_line_is_rejected(bucket: Path, line: str) -> None:
    changes = "01693685834118-1e1b8a1c"
    shutil.rmtree(bucket / "AWSDynamoDB" / changes)
    summary = INCREMENTAL | {"outputFormat": "DYNAMODB_JSON"}
    write_fixture(bucket, changes, summary, f"{line}\n", "AWSDynamoDB/data", "json")
    with pytest.raises(AnalyticsRefused, match=r"a line has no valid (Keys|Metadata)|not a data file in DYNAMODB_JSON"):
        items_of(bucket)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"outputFormat": "CSV"}, "outputFormat is 'CSV'"),
        ({"itemCount": 7}, "the data files have 2 of 7 items"),
        ({"exportToTime": "yesterday"}, "Invalid isoformat string"),
    ],
)
def test_an_s3_export_with_an_incomplete_manifest_is_rejected(
    bucket: Path, changes: dict[str, Any], reason: str
) -> None:
    with pytest.raises(AnalyticsRefused, match=f"is not a complete export of DynamoDB: .*{reason}"):
        with_changes(bucket, **changes)


def test_damage_and_gaps_in_s3_exports_are_reported(bucket: Path) -> None:
    summary = bucket / "AWSDynamoDB" / "01693685834118-1e1b8a1c" / "manifest-summary.json"
    summary.write_text(json.dumps(INCREMENTAL | {"exportFromTime": "2020-11-04T07:58:34.028Z"}))
    with pytest.raises(AnalyticsRefused, match="has no export of the period from 2020-11-04T07:28:34"):
        find_exports(bucket)
    summary.write_text("{}")
    with pytest.raises(AnalyticsRefused, match="is not a complete export of DynamoDB"):
        find_exports(bucket)
    summary.unlink()
    (data,) = (bucket / "AWSDynamoDB").glob("*/data/*.gz")
    data.write_bytes(data.read_bytes()[:-1])
    with pytest.raises(AnalyticsRefused, match="the checksum differs from the manifest"):
        items_of(bucket)
    data.unlink()
    with pytest.raises(AnalyticsRefused, match=r"the data file .* is missing; copy it from the bucket"):
        find_exports(bucket)
    shutil.rmtree(bucket / "AWSDynamoDB")
    with pytest.raises(AnalyticsRefused, match="must contain one full export of DynamoDB, found none"):
        find_exports(bucket)
