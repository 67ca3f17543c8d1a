"""An export under way: from a table at one moment to files in a bucket."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from singletable.engine.buckets import BucketFailure
from singletable.engine.export_files import DataFiles, iso, write_manifest_files, write_manifest_summary
from singletable.engine.ion import ion_line
from singletable.engine.jobs import Stopped
from singletable.engine.moment import in_steps
from singletable.engine.storage.tree import Row
from singletable.engine.table import decode_item
from singletable.engine.transfers import Export, arn_of_transfer, keep
from singletable.errors import StoreRefused

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

Lines = Iterator[tuple[list[bytes], int]]  # what is written, and the size of its items
INTERRUPTED = ("Interrupted", "The engine was closed, or its process ended, before this was done; begin it anew")

_SUFFIXES = {"DYNAMODB_JSON": "json", "ION": "ion"}


def item_lines(rows: Iterable[Row], output_format: str) -> Lines:
    """Every item as a line, a step at a time."""
    for step in in_steps(rows):
        if output_format == "ION":
            lines = [ion_line({"Item": decode_item(body)}) for _, body, _ in step]
        else:
            lines = [b'{"Item":%b}\n' % body for _, body, _ in step]
        yield lines, sum(size for _, _, size in step)


class ExportJob:
    """An export, as a function without arguments: what its thread does."""

    def __init__(self, engine: Engine, export: Export, lines: Lines, close: Callable[[], None]) -> None:
        self._engine = engine
        self._export = export
        self._lines = lines
        self._close = close

    def __call__(self) -> None:
        """Writes the files, and keeps in the store how that ended."""
        try:
            self._end(self._written())
        except Stopped:
            self._fail(*INTERRUPTED)
        except BucketFailure as failure:
            self._fail(failure.code, failure.message)
        except OSError as problem:
            self._fail("S3AccessDenied", f"The files could not be written: {problem.strerror}")
        except (sqlite3.Error, StoreRefused) as problem:
            self._fail("InternalError", str(problem))
        except BaseException:
            self._fail("InternalError", "An unexpected error; the log of the process has it")
            raise
        finally:
            self._close()

    def _written(self) -> Export:
        """Writes all files; the export as it is told when it is complete."""
        engine, export, told = self._engine, self._export, self._export.told
        bucket, prefix = told["S3Bucket"], _with_slash(told.get("S3Prefix", ""))
        key = f"{prefix}AWSDynamoDB/{export.identifier}/"
        folder = engine.buckets.make_folder(bucket, key)
        (folder / "_started").touch()
        is_incremental = told.get("ExportType") == "INCREMENTAL_EXPORT"
        data_key = f"{prefix}AWSDynamoDB/data/" if is_incremental else f"{key}data/"
        files = DataFiles(engine.buckets.make_folder(bucket, data_key), data_key, _SUFFIXES[told["ExportFormat"]])
        size = self._fill(files)
        written = files.end()
        write_manifest_files(folder, written)
        items, ended_at = sum(file.items for file in written), engine.now()
        manifest = f"{key}manifest-summary.json"
        complete = msgspec.structs.replace(
            export, status="COMPLETED", ended_at=ended_at, items=items, size=size, manifest=manifest
        )
        write_manifest_summary(folder, self._summary(complete, f"{key}manifest-files.json"))
        return complete

    def _fill(self, files: DataFiles) -> int:
        size = 0
        for lines, items_size in self._lines:
            self._engine.jobs.check()
            files.add(lines)
            size += items_size
        return size

    def _summary(self, export: Export, manifest_files: str) -> dict[str, Any]:
        told = export.told
        summary = {
            "version": "2020-06-30",
            "exportArn": arn_of_transfer(self._engine, export),
            "startTime": iso(export.started_at),
            "endTime": iso(export.ended_at or export.started_at),
            "tableArn": self._engine.arn(export.table),
            "tableId": export.table_id,
            "exportTime": iso(export.time),
            "s3Bucket": told["S3Bucket"],
            "s3Prefix": told.get("S3Prefix"),
            "s3SseAlgorithm": told.get("S3SseAlgorithm", "AES256"),
            "s3SseKmsKeyId": told.get("S3SseKmsKeyId"),
            "manifestFilesS3Key": manifest_files,
            "billedSizeBytes": export.size,
            "itemCount": export.items,
            "outputFormat": told["ExportFormat"],
        }
        if "IncrementalExportSpecification" in told:
            summary |= _incremental_summary(told["IncrementalExportSpecification"])
        return summary

    def _end(self, ended: Export) -> None:
        with self._engine.store.writing() as connection:
            keep(connection, ended)
        self._engine.store.flush()

    def _fail(self, code: str, message: str) -> None:
        failed = msgspec.structs.replace(
            self._export, status="FAILED", ended_at=self._engine.now(), failure_code=code, failure_message=message
        )
        try:
            self._end(failed)
        except StoreRefused:
            return  # whoever opens the store next finds it interrupted


def _incremental_summary(specification: dict[str, Any]) -> dict[str, Any]:
    return {
        "version": "2023-08-01",
        "exportFromTime": iso(specification["ExportFromTime"]),
        "exportToTime": iso(specification["ExportToTime"]),
        "exportType": "INCREMENTAL_EXPORT",
        "outputView": specification["ExportViewType"],
    }


def _with_slash(prefix: str) -> str:
    stripped = "/".join(part for part in prefix.split("/") if part)
    return f"{stripped}/" if stripped else ""
