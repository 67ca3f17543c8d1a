"""Exports and imports in Amazon Ion, and the error if its library is missing."""

from __future__ import annotations

import gzip
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.actions.test_export_table_to_point_in_time import BUCKET, EVERYTHING
from tests.engine.actions.test_import_table import begin, counts, ended
from tests.engine.table_requests import create, put, refused, scan, texts


def has_ion() -> bool:
    try:
        importlib.import_module("amazon.ion.simpleion")
    except ModuleNotFoundError:
        return False
    return True


needs_ion = pytest.mark.skipif(not has_ion(), reason="amazon.ion is not installed")


@pytest.fixture
def bucket(tmp_path: Path) -> Path:
    (tmp_path / BUCKET / "in").mkdir(parents=True)
    return tmp_path / BUCKET


@pytest.fixture
def engine(bucket: Path) -> Iterator[Engine]:
    with Engine(buckets=bucket.parent) as made:
        create(made)
        specification = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
        made.call("UpdateContinuousBackups", {"TableName": "table", **specification})
        yield made


def export(engine: Engine, **more: Any) -> str:
    """Return the data of an export by its key in the bucket."""
    request = {"TableArn": engine.arn("table"), "S3Bucket": BUCKET, "ExportFormat": "ION", **more}
    arn = engine.call("ExportTableToPointInTime", request)["ExportDescription"]["ExportArn"]
    engine.jobs.wait()
    description = engine.call("DescribeExport", {"ExportArn": arn})["ExportDescription"]
    assert description["ExportStatus"] == "COMPLETED", description
    return f"AWSDynamoDB/{arn.rpartition('/')[2]}/data/"


@needs_ion
def test_an_item_is_a_line_of_ion_text(engine: Engine, bucket: Path) -> None:
    put(engine, {**texts(pk="a", sk="1"), "n": {"N": "103"}, "ss": {"SS": ["x"]}, "b": {"B": "AAE="}})
    (file,) = (bucket / export(engine)).glob("*.ion.gz")
    text = gzip.decompress(file.read_bytes()).decode()
    assert text == '$ion_1_0 {Item:{pk:"a",sk:"1",n:103d0,ss:$dynamodb_SS::["x"],b:{{AAE=}}}}\n'


@needs_ion
def test_an_export_in_amazon_ion_can_be_imported_unchanged(engine: Engine) -> None:
    put(engine, EVERYTHING)
    put(engine, {**texts(pk="b", sk="1"), "n": {"N": "1E-130"}, "big": {"N": "9" * 38}, "zero": {"N": "0"}})
    prefix = export(engine)
    assert counts(ended(engine, prefix, InputFormat="ION", InputCompressionType="GZIP")) == ("COMPLETED", 2, 2, 0)
    assert scan(engine, "imported")["Items"] == scan(engine)["Items"]


@needs_ion
def test_lists_of_items_in_ion_are_flattened_and_other_values_are_counted_as_errors(
    engine: Engine, bucket: Path
) -> None:
    (bucket / "in" / "items.ion").write_text(
        '$ion_1_0 [[{Item:{pk:"a",sk:"1",n:1e3,f:0.5e0,none:null,yes:true}}, {Item:5}], {pk:"b"},'
        ' {Item:{pk:"c",sk:"1",t:2026-01-01}}, {Item:{pk:"d",sk:"1",s:$dynamodb_NS::["x"]}}]'
    )
    assert counts(ended(engine, InputFormat="ION")) == ("FAILED", 5, 1, 4)
    (item,) = scan(engine, "imported")["Items"]
    assert item == {
        **texts(pk="a", sk="1"),
        "n": {"N": "1000"},
        "f": {"N": "0.5"},
        "none": {"NULL": True},
        "yes": {"BOOL": True},
    }


@needs_ion
def test_a_file_that_is_not_ion_counts_as_one_error(engine: Engine, bucket: Path) -> None:
    (bucket / "in" / "items.ion").write_text("{Item:{pk:")
    status, _, imported, errors = counts(ended(engine, InputFormat="ION"))
    assert (status, imported, errors) == ("FAILED", 0, 1)


def test_without_the_ion_library_the_error_says_how_to_install_it(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("amazon", "amazon.ion", "amazon.ion.simpleion"):
        monkeypatch.setitem(sys.modules, name, None)
    request = {"TableArn": engine.arn("table"), "S3Bucket": BUCKET, "ExportFormat": "ION"}
    error = refused(engine, "ExportTableToPointInTime", request)
    assert error.code == "ValidationException"
    assert error.message.endswith("ION needs the library amazon.ion: pip install 'singletable[ion]'")
    with pytest.raises(Exception, match=r"pip install 'singletable\[ion\]'"):
        begin(engine, InputFormat="ION")
