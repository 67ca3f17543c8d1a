"""ImportTable, DescribeImport and ListImports: a new table from files in a bucket."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from singletable.engine.engine import Engine
from singletable.errors import RequestRefused
from tests.engine.actions.test_export_table_to_point_in_time import BUCKET, EVERYTHING
from tests.engine.table_requests import (
    Document,
    create,
    definitions,
    get,
    index,
    item,
    key_schema,
    put,
    refused,
    scan,
    texts,
)

BAD_ITEMS = (
    "Some of the items failed validation checks and were not imported. "
    "Please check CloudWatch error logs for more details."
)


@pytest.fixture
def bucket(tmp_path: Path) -> Path:
    (tmp_path / BUCKET / "in").mkdir(parents=True)
    return tmp_path / BUCKET


@pytest.fixture
def engine(bucket: Path) -> Iterator[Engine]:
    with Engine(buckets=bucket.parent) as made:
        yield made


def begin(engine: Engine, prefix: str = "in/", table: Document | None = None, **request: Any) -> Document:
    parameters = {
        "TableName": "imported",
        "KeySchema": key_schema("pk", "sk"),
        "AttributeDefinitions": definitions(pk="S", sk="S"),
        "BillingMode": "PAY_PER_REQUEST",
        **(table or {}),
    }
    source = {"S3Bucket": BUCKET, "S3KeyPrefix": prefix}
    full = {"S3BucketSource": source, "InputFormat": "DYNAMODB_JSON", "TableCreationParameters": parameters, **request}
    description: Document = engine.call("ImportTable", full)["ImportTableDescription"]
    return description


def ended(engine: Engine, *arguments: Any, **request: Any) -> Document:
    """Run an import to its end."""
    arn = begin(engine, *arguments, **request)["ImportArn"]
    engine.jobs.wait()
    description: Document = engine.call("DescribeImport", {"ImportArn": arn})["ImportTableDescription"]
    return description


def counts(description: Document) -> tuple[str, int, int, int]:
    members = ("ImportStatus", "ProcessedItemCount", "ImportedItemCount", "ErrorCount")
    status, processed, imported, errors = (description[name] for name in members)
    return status, processed, imported, errors


def lines(*items: Document) -> bytes:
    return b"".join(json.dumps({"Item": each}).encode() + b"\n" for each in items)


def errors_of(bucket: Path) -> list[Document]:
    logs = (bucket.parent / "aws-dynamodb" / "imports").glob("*/error")
    return [json.loads(line) for log in logs for line in log.read_text().splitlines()]


def test_import_table_imports_the_items_of_all_files_under_the_prefix(engine: Engine, bucket: Path) -> None:
    (bucket / "in" / "one.json").write_bytes(lines(EVERYTHING, texts(pk="b", sk="1")))
    (bucket / "in" / "deep").mkdir()
    (bucket / "in" / "deep" / "two.json").write_bytes(b"\n" + lines(texts(pk="c", sk="1")).rstrip())
    (bucket / "inside.json").write_bytes(lines(texts(pk="other", sk="1")))
    description = ended(engine)
    assert counts(description) == ("COMPLETED", 3, 3, 0)
    assert get(engine, texts(pk="a", sk="1"), "imported") == EVERYTHING
    assert scan(engine, "imported")["Count"] == 3
    assert errors_of(bucket) == []


def test_import_table_accepts_a_prefix_that_is_not_a_folder(engine: Engine, bucket: Path) -> None:
    (bucket / "in" / "2026-01.json").write_bytes(lines(texts(pk="a", sk="1")))
    (bucket / "in" / "2025-01.json").write_bytes(lines(texts(pk="b", sk="1")))
    assert counts(ended(engine, "in/2026"))[1] == 1


def test_import_files_may_be_compressed(engine: Engine, bucket: Path) -> None:
    content = lines(*(texts(pk=str(number), sk="1") for number in range(1200)))
    (bucket / "in" / "items.json.gz").write_bytes(gzip.compress(content))
    description = ended(engine, InputCompressionType="GZIP")
    assert counts(description) == ("COMPLETED", 1200, 1200, 0)
    assert description["ProcessedSizeBytes"] == len(content)
    assert scan(engine, "imported", Select="COUNT")["Count"] == 1200


def test_an_import_job_normalizes_numbers(engine: Engine, bucket: Path) -> None:
    (bucket / "in" / "items.json").write_bytes(lines({**texts(pk="a", sk="1"), "n": {"N": "0001.50E1"}}))
    ended(engine)
    assert scan(engine, "imported")["Items"] == [{**texts(pk="a", sk="1"), "n": {"N": "15"}}]


def test_an_import_job_counts_logs_and_skips_invalid_items(engine: Engine, bucket: Path) -> None:
    table = {
        "AttributeDefinitions": definitions(pk="S", sk="S", g="S"),
        "GlobalSecondaryIndexes": [index("gsi", "g")],
    }
    bad: list[bytes] = [
        b"no JSON\n",
        b'{"item": {}}\n',
        lines(texts(pk="a")),
        lines({**texts(pk="a"), "sk": {"N": "1"}}),
        lines({**texts(pk="a", sk="1"), "n": {"N": "x"}}),
        lines({**texts(pk="a", sk="1"), "g": {"N": "1"}}),
        lines(texts(pk="a", sk="1", large="x" * 410_000)),
        b"\xff\xfe\n",
    ]
    good = lines(texts(pk="a", sk="good", g="g"))
    (bucket / "in" / "items.json").write_bytes(good + b"".join(bad) + lines(texts(pk="b", sk="good")))
    description = ended(engine, table=table)
    assert counts(description) == ("FAILED", 10, 2, 8)
    assert (description["FailureCode"], description["FailureMessage"]) == ("ItemValidationError", BAD_ITEMS)
    assert scan(engine, "imported")["Count"] == 2
    assert scan(engine, "imported", IndexName="gsi")["Count"] == 1
    errors = errors_of(bucket)
    pointer = {"bucket": BUCKET, "key": "in/items.json", "itemIndex": 3}
    assert [each["itemS3Pointer"]["itemIndex"] for each in errors] == list(range(1, 9))
    assert errors[2]["itemS3Pointer"] == pointer
    assert errors[2]["errorMessages"] == ["One or more parameter values were invalid: Missing the key sk in the item"]
    assert errors[2]["importArn"] == description["ImportArn"]


def test_an_import_job_counts_a_truncated_file_as_one_error(engine: Engine, bucket: Path) -> None:
    content = gzip.compress(lines(*(texts(pk=str(number), sk="1") for number in range(100))), mtime=0)
    (bucket / "in" / "broken.json.gz").write_bytes(content[:-20])
    (bucket / "in" / "no.json.gz").write_bytes(b"not compressed")
    (bucket / "in" / "whole.json.gz").write_bytes(gzip.compress(lines(texts(pk="whole", sk="1"))))
    description = ended(engine, InputCompressionType="GZIP")
    status, processed, imported, errors = counts(description)
    assert (status, errors) == ("FAILED", 2)
    assert processed == imported + 2
    assert get(engine, texts(pk="whole", sk="1"), "imported") is not None
    assert any("is truncated or damaged" in each["errorMessages"][0] for each in errors_of(bucket))


def test_an_import_job_stores_one_of_two_items_with_one_key_and_its_index_entries(engine: Engine, bucket: Path) -> None:
    table = {
        "AttributeDefinitions": definitions(pk="S", sk="S", g="S"),
        "GlobalSecondaryIndexes": [index("gsi", "g")],
    }
    (bucket / "in" / "items.json").write_bytes(
        lines(texts(pk="a", sk="1", g="first"), texts(pk="a", sk="1", g="second"))
    )
    assert counts(ended(engine, table=table))[0] == "COMPLETED"
    (left,) = scan(engine, "imported")["Items"]
    assert scan(engine, "imported", IndexName="gsi")["Items"] == [left]


def test_import_files_of_csv_have_string_values_except_for_keys(engine: Engine, bucket: Path) -> None:
    (bucket / "in" / "items.csv").write_bytes(
        '﻿pk,sk,name,note\r\na,1,"Ada, ""the"" first","two\r\nlines"\r\nb,2.50,Grace,\r\n'.encode()
    )
    table = {
        "AttributeDefinitions": definitions(pk="S", sk="N", name="S"),
        "GlobalSecondaryIndexes": [index("gsi", "name")],
    }
    assert counts(ended(engine, table=table, InputFormat="CSV")) == ("COMPLETED", 2, 2, 0)
    assert sorted(scan(engine, "imported")["Items"], key=lambda each: each["pk"]["S"]) == [
        {**item(pk="a", sk=1), "name": {"S": 'Ada, "the" first'}, "note": {"S": "two\r\nlines"}},
        {"pk": {"S": "b"}, "sk": {"N": "2.5"}, "name": {"S": "Grace"}, "note": {"S": ""}},
    ]


def test_import_files_of_csv_may_have_the_header_and_delimiter_of_the_request(engine: Engine, bucket: Path) -> None:
    (bucket / "in" / "items.csv").write_bytes(b"a;1;x\nb;2;y\n\nc;3\n")
    options = {"Csv": {"Delimiter": ";", "HeaderList": ["pk", "sk", "more"]}}
    description = ended(engine, InputFormat="CSV", InputFormatOptions=options)
    assert counts(description) == ("FAILED", 3, 2, 1)
    assert description["InputFormatOptions"] == options
    assert errors_of(bucket)[0]["errorMessages"] == ["The line has 2 values, but the header has 3"]


@pytest.mark.parametrize(
    "content", [b'pk,sk\n"a,1\n', b'pk,sk\n"a"b,1\n', b"pk,pk\na,b\n", b"pk,sk\n\xff,1\n"], ids=repr
)
def test_import_files_of_malformed_csv_have_one_error(engine: Engine, bucket: Path, content: bytes) -> None:
    (bucket / "in" / "items.csv").write_bytes(content)
    assert counts(ended(engine, InputFormat="CSV")) == ("FAILED", 1, 0, 1)


def test_import_table_returns_the_description_of_dynamodb(engine: Engine, bucket: Path) -> None:
    (bucket / "in" / "items.json").write_bytes(lines(texts(pk="a", sk="1")))
    begun = begin(engine, ClientToken="token")
    assert begun["ImportStatus"] == "IN_PROGRESS"
    assert begun["ImportArn"].startswith(f"{engine.arn('imported')}/import/0")
    assert begun["TableArn"] == engine.arn("imported")
    assert begun["S3BucketSource"] == {"S3Bucket": BUCKET, "S3KeyPrefix": "in/"}
    assert begun["InputCompressionType"] == "NONE"
    assert begun["ClientToken"] == "token"
    assert begun["TableCreationParameters"]["TableName"] == "imported"
    group = "arn:aws:logs:us-east-1:000000000000:log-group:/aws-dynamodb/imports:*"
    assert begun["CloudWatchLogGroupArn"] == group
    engine.jobs.wait()
    (summary,) = engine.call("ListImports", {"TableArn": engine.arn("imported")})["ImportSummaryList"]
    assert summary["ImportStatus"] == "COMPLETED"
    assert sorted(summary) == [
        "CloudWatchLogGroupArn",
        "EndTime",
        "ImportArn",
        "ImportStatus",
        "InputFormat",
        "S3BucketSource",
        "StartTime",
        "TableArn",
    ]
    assert engine.call("ListImports", {"TableArn": engine.arn("other")}) == {"ImportSummaryList": []}


def test_list_imports_returns_imports_in_pages(engine: Engine, bucket: Path) -> None:
    (bucket / "in" / "items.json").write_bytes(lines(texts(pk="a", sk="1")))
    arns = [ended(engine, table={"TableName": f"imported-{number}"})["ImportArn"] for number in range(5)]
    found: list[str] = []
    request: Document = {"PageSize": 2}
    while True:
        answer = engine.call("ListImports", request)
        found += [each["ImportArn"] for each in answer["ImportSummaryList"]]
        if "NextToken" not in answer:
            break
        request["NextToken"] = answer["NextToken"]
        assert len(request["NextToken"]) >= 112
    assert found == arns
    assert refused(engine, "ListImports", {"NextToken": "no token"}).code == "ValidationException"


@pytest.mark.parametrize(
    ("source", "code"),
    [({"S3Bucket": "no-bucket"}, "S3NoSuchBucket"), ({"S3Bucket": BUCKET, "S3KeyPrefix": "no"}, "S3NoSuchKey")],
)
def test_an_import_job_without_files_fails_and_leaves_an_empty_table(
    engine: Engine, source: Document, code: str
) -> None:
    description = ended(engine, S3BucketSource=source)
    assert (description["ImportStatus"], description["FailureCode"]) == ("FAILED", code)
    assert engine.call("DescribeTable", {"TableName": "imported"})["Table"]["TableStatus"] == "ACTIVE"
    assert scan(engine, "imported")["Count"] == 0


def test_import_table_rejects_an_existing_table_and_returns_the_import_of_a_repeated_token(
    engine: Engine, bucket: Path
) -> None:
    (bucket / "in" / "items.json").write_bytes(lines(texts(pk="a", sk="1")))
    create(engine, "there")
    with pytest.raises(RequestRefused, match="ResourceInUseException: Table already exists: there"):
        begin(engine, table={"TableName": "there"})
    first = ended(engine, ClientToken="token")
    assert begin(engine, ClientToken="token")["ImportArn"] == first["ImportArn"]
    with pytest.raises(RequestRefused, match="ImportConflictException: Duplicate request detected"):
        begin(engine, ClientToken="token", InputFormat="CSV")
    assert scan(engine, "there")["Count"] == 0


def test_import_table_rejects_an_invalid_table(engine: Engine) -> None:
    with pytest.raises(RequestRefused, match="Number of attributes in KeySchema does not exactly match"):
        begin(engine, table={"AttributeDefinitions": definitions(pk="S", sk="S", more="S")})
    assert engine.call("ListTables", {})["TableNames"] == []


def test_describe_import_rejects_a_malformed_arn_and_does_not_find_an_unknown_one(engine: Engine) -> None:
    refusal = refused(engine, "DescribeImport", {"ImportArn": engine.arn("table")})
    assert (refusal.code, refusal.message) == ("ValidationException", "Invalid Import ARN")
    arn = f"{engine.arn('table')}/import/01489602797149-73d8d5bc"
    refusal = refused(engine, "DescribeImport", {"ImportArn": arn})
    assert (refusal.code, refusal.message) == ("ImportNotFoundException", f"Import not found: {arn}")


def test_import_table_imports_the_files_of_an_export(engine: Engine, bucket: Path) -> None:
    create(engine)
    specification = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
    engine.call("UpdateContinuousBackups", {"TableName": "table", **specification})
    put(engine, EVERYTHING)
    request = {"TableArn": engine.arn("table"), "S3Bucket": BUCKET, "S3Prefix": "out"}
    arn = engine.call("ExportTableToPointInTime", request)["ExportDescription"]["ExportArn"]
    engine.jobs.wait()
    prefix = f"out/AWSDynamoDB/{arn.rpartition('/')[2]}/data/"
    assert counts(ended(engine, prefix, InputCompressionType="GZIP")) == ("COMPLETED", 1, 1, 0)
    assert scan(engine, "imported")["Items"] == scan(engine)["Items"]
