"""Buckets are subfolders of one folder, and no request can access files outside this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable.engine.engine import Engine
from singletable.engine.transfers.buckets import BucketFailure, Buckets
from singletable.errors import RequestRefused, StoreRefused
from tests.engine.table_requests import create, put, refused, texts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Create two buckets, a secret file outside them, and links to it."""
    folder = tmp_path / "buckets"
    (folder / "bucket" / "in").mkdir(parents=True)
    (tmp_path / "outside" / "in").mkdir(parents=True)
    secret = '{"Item":{"pk":{"S":"secret"},"sk":{"S":"1"}}}\n'
    (tmp_path / "outside" / "secret.json").write_text(secret)
    (tmp_path / "outside" / "in" / "secret.json").write_text(secret)
    (folder / "link").symlink_to(tmp_path / "outside")
    (folder / "bucket" / "link").symlink_to(tmp_path / "outside")
    (folder / "bucket" / "in" / "link.json").symlink_to(tmp_path / "outside" / "secret.json")
    (folder / "bucket" / "in" / "deep").symlink_to(tmp_path / "outside" / "in")
    (folder / "bucket" / "in" / "items.json").write_text('{"Item":{"pk":{"S":"a"},"sk":{"S":"1"}}}\n')
    return folder


@pytest.mark.parametrize("prefix", ["..", "../outside", "a/../../x", "a/./b", "a\\..\\b", "C:/x", "a\x00b", "a\nb"])
def test_transfer_buckets_reject_a_prefix_that_leaves_the_bucket(folder: Path, prefix: str) -> None:
    with pytest.raises(RequestRefused, match="ValidationException"):
        Buckets(folder).check(prefix)


@pytest.mark.parametrize("prefix", [None, "", "/", "a", "a/b/", "ä b=c/d+e", "...", "a..b"])
def test_transfer_buckets_accept_a_prefix_inside_the_bucket(folder: Path, prefix: str | None) -> None:
    buckets = Buckets(folder)
    buckets.check(prefix)
    assert (folder / "bucket") in [*(made := buckets.make_folder("bucket", prefix or "")).parents, made]


@pytest.mark.parametrize("bucket", ["missing", "link", "..", "bucket/in", "bucket/../bucket", ""])
def test_only_a_real_subfolder_is_a_transfer_bucket(folder: Path, bucket: str) -> None:
    with pytest.raises(BucketFailure, match="S3NoSuchBucket"):
        Buckets(folder).bucket(bucket)


def test_nothing_is_written_through_a_link_in_transfer_buckets(folder: Path) -> None:
    with pytest.raises(BucketFailure, match="S3AccessDenied"):
        Buckets(folder).make_folder("bucket", "link/AWSDynamoDB")
    with pytest.raises(BucketFailure, match="S3AccessDenied"):
        Buckets(folder).make_folder("bucket", "in/items.json/AWSDynamoDB")
    assert not (folder.parent / "outside" / "AWSDynamoDB").exists()


def test_nothing_is_read_through_a_link_in_transfer_buckets(folder: Path) -> None:
    buckets = Buckets(folder)
    assert [each.key for each in buckets.objects("bucket", "")] == ["in/items.json"]
    assert buckets.objects("bucket", "link/") == []
    assert buckets.objects("bucket", "in/deep/") == []


@pytest.mark.parametrize("bucket", ["..", "bucket/..", "/etc", "a", "-a-"])
def test_an_invalid_transfer_bucket_name_is_rejected(folder: Path, bucket: str) -> None:
    with Engine(buckets=folder) as engine:
        create(engine)
        error = refused(engine, "ExportTableToPointInTime", {"TableArn": engine.arn("table"), "S3Bucket": bucket})
    assert error.code == "ValidationException"
    assert "s3Bucket" in error.message or "S3Bucket" in error.message


def test_an_export_through_a_link_in_transfer_buckets_fails_and_writes_nothing(folder: Path) -> None:
    with Engine(buckets=folder) as engine:
        create(engine)
        put(engine, texts(pk="a", sk="1"))
        specification = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
        engine.call("UpdateContinuousBackups", {"TableName": "table", **specification})
        request = {"TableArn": engine.arn("table"), "S3Bucket": "bucket", "S3Prefix": "link"}
        arn = engine.call("ExportTableToPointInTime", request)["ExportDescription"]["ExportArn"]
        engine.jobs.wait()
        description = engine.call("DescribeExport", {"ExportArn": arn})["ExportDescription"]
    assert (description["ExportStatus"], description["FailureCode"]) == ("FAILED", "S3AccessDenied")
    assert sorted(path.name for path in (folder.parent / "outside").iterdir()) == ["in", "secret.json"]


def test_the_folder_of_transfer_buckets_must_exist(tmp_path: Path) -> None:
    with pytest.raises(StoreRefused, match=r"There is no folder .* for buckets"):
        Engine(buckets=tmp_path / "missing")
