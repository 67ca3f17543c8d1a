"""Exports: the background job, full and incremental export lines, and the data and manifest files in the bucket."""

from __future__ import annotations

import base64
import gzip
import hashlib
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import msgspec

from singletable.engine.background_jobs import Stopped
from singletable.engine.backups.table_snapshot import STEP_ITEMS, TableSnapshot, in_steps
from singletable.engine.items.item_keys import key_of
from singletable.engine.storage.item_tree import Row
from singletable.engine.storage.sqlite_connection import StoreConnection
from singletable.engine.storage.store import Store
from singletable.engine.tables.stored_table import Item, StoredTable, decode_item
from singletable.engine.transfers.buckets import BucketFailure
from singletable.engine.transfers.ion import ion_line
from singletable.engine.transfers.transfer_records import INTERRUPTED, Export, arn_of_transfer, save_transfer
from singletable.errors import StoreRefused

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

_SUFFIXES = {"DYNAMODB_JSON": "json", "ION": "ion"}
Lines = Iterator[tuple[list[bytes], int]]  # the lines of the data files, and the size of their items


class ExportJob:
    """The background job of one export."""

    def __init__(self, engine: Engine, export: Export, lines: Lines, close: Callable[[], None]) -> None:
        self._engine = engine
        self._export = export
        self._lines = lines
        self._close = close

    def __call__(self) -> None:
        """Write the files, and save the result in the store."""
        try:
            self._end(self._written())
        except Stopped:
            self._fail(*INTERRUPTED)
        except BucketFailure as failure:
            self._fail(failure.code, failure.message)
        except OSError as problem:
            self._fail("S3AccessDenied", f"Cannot write the files: {problem.strerror}")
        except (sqlite3.Error, StoreRefused) as problem:
            self._fail("InternalError", str(problem))
        except BaseException:
            self._fail("InternalError", "Unexpected error; see the log of the process")
            raise
        finally:
            self._close()

    def _written(self) -> Export:
        """Write all files and return the completed export."""
        engine, export, parameters = self._engine, self._export, self._export.parameters
        bucket, prefix = parameters["S3Bucket"], _with_slash(parameters.get("S3Prefix", ""))
        key = f"{prefix}AWSDynamoDB/{export.identifier}/"
        folder = engine.buckets.make_folder(bucket, key)
        (folder / "_started").touch()
        is_incremental = parameters.get("ExportType") == "INCREMENTAL_EXPORT"
        data_key = f"{prefix}AWSDynamoDB/data/" if is_incremental else f"{key}data/"
        files = DataFiles(engine.buckets.make_folder(bucket, data_key), data_key, _SUFFIXES[parameters["ExportFormat"]])
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
        parameters = export.parameters
        summary = {
            "version": "2020-06-30",
            "exportArn": arn_of_transfer(self._engine, export),
            "startTime": iso(export.started_at),
            "endTime": iso(export.ended_at or export.started_at),
            "tableArn": self._engine.arn(export.table),
            "tableId": export.table_id,
            "exportTime": iso(export.time),
            "s3Bucket": parameters["S3Bucket"],
            "s3Prefix": parameters.get("S3Prefix"),
            "s3SseAlgorithm": parameters.get("S3SseAlgorithm", "AES256"),
            "s3SseKmsKeyId": parameters.get("S3SseKmsKeyId"),
            "manifestFilesS3Key": manifest_files,
            "billedSizeBytes": export.size,
            "itemCount": export.items,
            "outputFormat": parameters["ExportFormat"],
        }
        if "IncrementalExportSpecification" in parameters:
            summary |= _incremental_summary(parameters["IncrementalExportSpecification"])
        return summary

    def _end(self, ended: Export) -> None:
        with self._engine.store.writing() as connection:
            save_transfer(connection, ended)
        self._engine.store.flush()

    def _fail(self, code: str, message: str) -> None:
        failed = msgspec.structs.replace(
            self._export, status="FAILED", ended_at=self._engine.now(), failure_code=code, failure_message=message
        )
        try:
            self._end(failed)
        except StoreRefused:
            return  # the next engine that opens the store marks the export as failed


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


def item_lines(rows: Iterable[Row], output_format: str) -> Lines:
    """Yield the lines of a full export, in steps."""
    for step in in_steps(rows):
        if output_format == "ION":
            lines = [ion_line({"Item": decode_item(body)}) for _, body, _ in step]
        else:
            lines = [b'{"Item":%b}\n' % body for _, body, _ in step]
        yield lines, sum(size for _, _, size in step)


_MICROSECONDS = 1_000_000


class ChangedItem(NamedTuple):
    """An item before its first and after its last change, and the time of the last change."""

    at: float
    before: bytes | None
    after: bytes | None


def changed_items(store: Store, table: StoredTable, first: float, until: float) -> TableSnapshot[ChangedItem]:
    """Return the items that changed between the times `first` (inclusive) and `until` (exclusive).

    Items that were both created and deleted in this period are omitted.
    """

    def query(connection: StoreConnection) -> Iterator[ChangedItem]:
        assert table.changes is not None
        log = table.changes.log
        start, end = log.first_since(connection, first), log.first_since(connection, until) - 1
        for span in log.spans(connection, start, end):
            before, last = log.change(connection, span.first).before, log.change(connection, span.last)
            if before is not None or last.after is not None:
                yield ChangedItem(last.at, before, last.after)

    return TableSnapshot(store, query)


def changed_lines(table: StoredTable, changed: Iterable[ChangedItem], output_format: str, view: str) -> Lines:
    """Yield the lines of an incremental export in steps. Each step has the size of its lines, not of its items."""
    found = iter(changed)
    while step := list(islice(found, STEP_ITEMS)):
        documents = [_document(table, each, view) for each in step]
        if output_format == "ION":
            lines = [ion_line(document) for document in documents]
        else:
            lines = [msgspec.json.encode(document) + b"\n" for document in documents]
        yield lines, sum(map(len, lines))


def _document(table: StoredTable, changed: ChangedItem, view: str) -> dict[str, Item]:
    before, after = (None if body is None else decode_item(body) for body in (changed.before, changed.after))
    known = after or before
    assert known is not None
    micros = str(int(changed.at * _MICROSECONDS))
    document: dict[str, Item] = {
        "Metadata": {"WriteTimestampMicros": {"N": micros}},
        "Keys": key_of(table, known),
    }
    if before is not None and view == "NEW_AND_OLD_IMAGES":
        document["OldImage"] = before
    if after is not None:
        document["NewImage"] = after
    return document


# The uncompressed size of one data file.
FILE_BYTES = 64 * 2**20
_COMPRESSION = 6


class DataFile(NamedTuple):
    """A data file of an export, as the manifest lists it."""

    key: str
    items: int
    md5: bytes


class _ChecksumWriter:
    """A file writer that computes the MD5 checksum."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.md5 = hashlib.md5(usedforsecurity=False)

    def write(self, part: bytes) -> int:
        self.md5.update(part)
        return self._file.write(part)

    def flush(self) -> None:
        self._file.flush()


class DataFiles:
    """Writes lines to as many compressed files as needed, but at least one."""

    def __init__(self, folder: Path, key_prefix: str, suffix: str) -> None:
        self._folder = folder
        self._key_prefix = key_prefix
        self._suffix = suffix
        self._lines: list[bytes] = []
        self._size = 0
        self.written: list[DataFile] = []

    def add(self, lines: Iterable[bytes]) -> None:
        """Add lines to the current file. When the file is full, write it and start another."""
        for line in lines:
            self._lines.append(line)
            self._size += len(line)
        if self._size >= FILE_BYTES:
            self._write()

    def end(self) -> list[DataFile]:
        """Write the last file, and return all files."""
        if self._lines or not self.written:
            self._write()
        return self.written

    def _write(self) -> None:
        name = f"{secrets.token_hex(13)}.{self._suffix}.gz"
        # Mode `x` never overwrites a file and never follows a link.
        with (self._folder / name).open("xb") as file:
            checked = _ChecksumWriter(file)
            # The gzip header contains no name and no time, so that equal items produce equal bytes.
            with gzip.GzipFile("", "wb", _COMPRESSION, checked, mtime=0) as compressed:
                compressed.writelines(self._lines)
        self.written.append(DataFile(f"{self._key_prefix}{name}", len(self._lines), checked.md5.digest()))
        self._lines, self._size = [], 0


def write_manifest_files(folder: Path, files: Iterable[DataFile]) -> None:
    """Write the manifest that lists the data files, one per line."""
    lines = [
        msgspec.json.encode(
            {
                "itemCount": file.items,
                "md5Checksum": base64.b64encode(file.md5).decode(),
                "etag": f"{file.md5.hex()}-1",
                "dataFileS3Key": file.key,
            }
        )
        for file in files
    ]
    _write_with_checksum(folder, "manifest-files", b"".join(line + b"\n" for line in lines))


def write_manifest_summary(folder: Path, summary: dict[str, Any]) -> None:
    """Write the manifest summary as the last file. An export with a summary is complete."""
    _write_with_checksum(folder, "manifest-summary", msgspec.json.encode(summary))


def _write_with_checksum(folder: Path, name: str, content: bytes) -> None:
    checksum = base64.b64encode(hashlib.md5(content, usedforsecurity=False).digest())
    for suffix, part in (("md5", checksum), ("json", content)):
        with (folder / f"{name}.{suffix}").open("xb") as file:
            file.write(part)


def iso(time: float) -> str:
    """Return a time in the format of the manifests."""
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
