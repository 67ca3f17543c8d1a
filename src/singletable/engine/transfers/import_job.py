"""Imports: the background job that loads items from files in a bucket into a new table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import msgspec

from singletable.engine.background_jobs import Stopped
from singletable.engine.backups.table_snapshot import STEP_ITEMS
from singletable.engine.catalog import mark_table_active
from singletable.engine.items.item_writes import PlannedWrite, perform, planned_put
from singletable.engine.storage.store import StaleCatalog
from singletable.engine.tables.stored_table import StoredTable
from singletable.engine.transfers.buckets import BucketFailure, ObjectFile
from singletable.engine.transfers.import_files import SourceRow, UnreadableFile, open_source, read_items
from singletable.engine.transfers.transfer_records import INTERRUPTED, Import, arn_of_transfer, save_transfer
from singletable.errors import RequestRefused, StoreRefused
from singletable.values.item_validation import accept_item
from singletable.wire.api_types import decoder_of
from singletable.wire.transfer_requests import CsvOptions, InputFormatOptions

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

# Later errors are counted, but not logged.
LOGGED_MAX = 10_000

decoder_of(InputFormatOptions)  # prepares the type, so that several threads can convert to it
_BAD_ITEMS = (
    "ItemValidationError",
    "Some of the items failed validation checks and were not imported. "
    "Please check CloudWatch error logs for more details.",
)


class _Problem(NamedTuple):
    key: str
    number: int
    message: str


class ImportJob:
    """The background job of one import."""

    def __init__(self, engine: Engine, import_: Import, table: StoredTable) -> None:
        self._engine = engine
        self._import = import_
        self._table = table
        self._log: Path | None = None
        self._logged = 0

    def __call__(self) -> None:
        """Write all items to the table, and save the result of the import in the store."""
        try:
            self._put_all()
        except Stopped:
            self._end(*INTERRUPTED)
        except BucketFailure as failure:
            self._end(failure.code, failure.message)
        except OSError as problem:
            self._end("S3AccessDenied", f"Cannot read the files: {problem.strerror}")
        except (sqlite3.Error, StaleCatalog, StoreRefused) as problem:
            self._end("InternalError", str(problem))
        except BaseException:
            self._end("InternalError", "Unexpected error; see the log of the process")
            raise
        else:
            self._end(*(_BAD_ITEMS if self._import.errors else (None, None)))

    def _put_all(self) -> None:
        source: dict[str, Any] = self._import.parameters["S3BucketSource"]
        prefix = source.get("S3KeyPrefix", "")
        objects = self._engine.buckets.objects(source["S3Bucket"], prefix)
        if not objects:
            raise BucketFailure("S3NoSuchKey", f"The bucket has no object with the prefix {prefix!r}")
        for each in objects:
            with open_source(each.path, self._import.parameters.get("InputCompressionType")) as file:
                self._put_file(each, file)

    def _put_file(self, each: ObjectFile, file: BinaryIO) -> None:
        parameters = self._import.parameters
        options = msgspec.convert(parameters.get("InputFormatOptions", {}), InputFormatOptions).csv or CsvOptions()
        kinds: dict[str, str] = dict(self._table.definition.attribute_kinds)
        rows = read_items(file, parameters["InputFormat"], options, kinds)
        before, number, is_whole = self._import.size, 0, False
        while not is_whole:
            self._engine.jobs.check()
            step, error = _next_step(rows)
            problems = [_Problem(each.key, number + len(step), error)] if error else []
            is_whole = len(step) < STEP_ITEMS or bool(error)
            self._put_step(each.key, number, step, problems, before + file.tell())
            number += len(step)

    def _put_step(self, key: str, first: int, step: list[SourceRow], problems: list[_Problem], size: int) -> None:
        writes = []
        for number, row in enumerate(step, first):
            write = self._planned(row)
            if isinstance(write, str):
                problems.append(_Problem(key, number, write))
            else:
                writes.append(write)
        before = self._import
        processed = before.processed + len(writes) + len(problems)
        self._import = msgspec.structs.replace(
            before,
            processed=processed,
            imported=before.imported + len(writes),
            errors=before.errors + len(problems),
            size=size,
        )
        with self._engine.store.writing() as connection:
            for write in writes:
                perform(connection, write)
            save_transfer(connection, self._import)
        self._log_problems(problems)

    def _planned(self, row: SourceRow) -> PlannedWrite | str:
        """Return the write for the item in a row, or an error message."""
        if row.item is None:
            return row.problem
        try:
            return planned_put(self._table, row.item, accept_item(row.item))
        except RequestRefused as error:
            return error.message

    def _log_problems(self, problems: list[_Problem]) -> None:
        """Write the errors to the error log. If this fails, the import continues."""
        if not problems or self._logged >= LOGGED_MAX:
            return
        bucket = self._import.parameters["S3BucketSource"]["S3Bucket"]
        lines = [
            msgspec.json.encode(
                {
                    "importArn": arn_of_transfer(self._engine, self._import),
                    "tableArn": self._engine.arn(self._table.name),
                    "errorCode": _BAD_ITEMS[0],
                    "errorMessages": [problem.message],
                    "itemS3Pointer": {"bucket": bucket, "key": problem.key, "itemIndex": problem.number},
                }
            )
            for problem in problems[: LOGGED_MAX - self._logged]
        ]
        self._logged += len(lines)
        try:
            folder = self._engine.buckets.log_folder(self._import.identifier)
            if folder is not None:
                with (folder / "error").open("ab") as log:
                    log.writelines(line + b"\n" for line in lines)
        except OSError:
            return

    def _end(self, code: str | None, message: str | None) -> None:
        """Save the result of the import. As in DynamoDB, the table keeps the imported items even after a failure."""
        ended = msgspec.structs.replace(
            self._import,
            status="COMPLETED" if code is None else "FAILED",
            ended_at=self._engine.now(),
            failure_code=code,
            failure_message=message,
        )
        try:
            with self._engine.store.writing() as connection:
                mark_table_active(connection, self._table.name)
                save_transfer(connection, ended)
            self._engine.store.flush()
            self._engine.catalog.reload()
        except (RequestRefused, StaleCatalog, StoreRefused):
            return  # the next engine that opens the store marks the import as failed


def _next_step(rows: Iterator[SourceRow]) -> tuple[list[SourceRow], str]:
    """Return the next rows of a file, and an error message if the rest of the file is unreadable."""
    step: list[SourceRow] = []
    try:
        for row in islice(rows, STEP_ITEMS):
            step.append(row)
    except UnreadableFile as problem:
        return step, str(problem)
    return step, ""
