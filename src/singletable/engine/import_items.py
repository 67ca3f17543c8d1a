"""An import under way: from files in a bucket to the items of a new table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import msgspec

from singletable.engine.buckets import BucketFailure, ObjectFile
from singletable.engine.export import INTERRUPTED
from singletable.engine.import_source import Read, Unreadable, opened, read_items
from singletable.engine.item_write import PlannedWrite, perform, planned_put
from singletable.engine.jobs import Stopped
from singletable.engine.moment import STEP_ITEMS
from singletable.engine.restore import set_ready
from singletable.engine.storage.store import StaleCatalog
from singletable.engine.table import OpenTable
from singletable.engine.transfers import Import, arn_of_transfer, keep
from singletable.errors import RequestRefused, StoreRefused
from singletable.values.accept import accept_item
from singletable.wire.decoders import decoder_of
from singletable.wire.transfers import CsvOptions, InputFormatOptions

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

# More of the same tells nobody more; all of them are counted.
LOGGED_MAX = 10_000

decoder_of(InputFormatOptions)  # so that many threads may convert to it
_BAD_ITEMS = (
    "ItemValidationError",
    "Some of the items failed validation checks and were not imported. "
    "Please check CloudWatch error logs for more details.",
)


class _Problem(NamedTuple):
    key: str
    number: int
    words: str


class ImportJob:
    """An import, as a function without arguments: what its thread does."""

    def __init__(self, engine: Engine, import_: Import, table: OpenTable) -> None:
        self._engine = engine
        self._import = import_
        self._table = table
        self._log: Path | None = None
        self._logged = 0

    def __call__(self) -> None:
        """Puts the items, and keeps in the store how that ended."""
        try:
            self._put_all()
        except Stopped:
            self._end(*INTERRUPTED)
        except BucketFailure as failure:
            self._end(failure.code, failure.message)
        except OSError as problem:
            self._end("S3AccessDenied", f"The files could not be read: {problem.strerror}")
        except (sqlite3.Error, StaleCatalog, StoreRefused) as problem:
            self._end("InternalError", str(problem))
        except BaseException:
            self._end("InternalError", "An unexpected error; the log of the process has it")
            raise
        else:
            self._end(*(_BAD_ITEMS if self._import.errors else (None, None)))

    def _put_all(self) -> None:
        source: dict[str, Any] = self._import.told["S3BucketSource"]
        prefix = source.get("S3KeyPrefix", "")
        objects = self._engine.buckets.objects(source["S3Bucket"], prefix)
        if not objects:
            raise BucketFailure("S3NoSuchKey", f"No object of the bucket has a key that begins with {prefix!r}")
        for each in objects:
            with opened(each.path, self._import.told.get("InputCompressionType")) as file:
                self._put_file(each, file)

    def _put_file(self, each: ObjectFile, file: BinaryIO) -> None:
        told = self._import.told
        options = msgspec.convert(told.get("InputFormatOptions", {}), InputFormatOptions).csv or CsvOptions()
        kinds: dict[str, str] = dict(self._table.definition.attribute_kinds)
        places = read_items(file, told["InputFormat"], options, kinds)
        before, number, is_whole = self._import.size, 0, False
        while not is_whole:
            self._engine.jobs.check()
            step, broken = _next_step(places)
            problems = [_Problem(each.key, number + len(step), broken)] if broken else []
            is_whole = len(step) < STEP_ITEMS or bool(broken)
            self._put_step(each.key, number, step, problems, before + file.tell())
            number += len(step)

    def _put_step(self, key: str, first: int, step: list[Read], problems: list[_Problem], size: int) -> None:
        writes = []
        for number, place in enumerate(step, first):
            write = self._planned(place)
            if isinstance(write, str):
                problems.append(_Problem(key, number, write))
            else:
                writes.append(write)
        had = self._import
        processed = had.processed + len(writes) + len(problems)
        self._import = msgspec.structs.replace(
            had, processed=processed, imported=had.imported + len(writes), errors=had.errors + len(problems), size=size
        )
        with self._engine.store.writing() as connection:
            for write in writes:
                perform(connection, write)
            keep(connection, self._import)
        self._note(problems)

    def _planned(self, place: Read) -> PlannedWrite | str:
        """The write of an item, or what is wrong with it."""
        if place.item is None:
            return place.problem
        try:
            return planned_put(self._table, place.item, accept_item(place.item))
        except RequestRefused as refusal:
            return refusal.message

    def _note(self, problems: list[_Problem]) -> None:
        """Writes what is wrong into the log, where there is room for it; that it cannot be written ends no import."""
        if not problems or self._logged >= LOGGED_MAX:
            return
        bucket = self._import.told["S3BucketSource"]["S3Bucket"]
        lines = [
            msgspec.json.encode(
                {
                    "importArn": arn_of_transfer(self._engine, self._import),
                    "tableArn": self._engine.arn(self._table.name),
                    "errorCode": _BAD_ITEMS[0],
                    "errorMessages": [problem.words],
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
        """Says how it ended; the table is there with what was put into it, as in the service."""
        ended = msgspec.structs.replace(
            self._import,
            status="COMPLETED" if code is None else "FAILED",
            ended_at=self._engine.now(),
            failure_code=code,
            failure_message=message,
        )
        try:
            with self._engine.store.writing() as connection:
                set_ready(connection, self._table.name)
                keep(connection, ended)
            self._engine.store.flush()
            self._engine.catalog.reload()
        except (RequestRefused, StaleCatalog, StoreRefused):
            return  # whoever opens the store next finds it interrupted


def _next_step(places: Iterator[Read]) -> tuple[list[Read], str]:
    """The next places of a file, and why there are no more of them when it breaks off."""
    step: list[Read] = []
    try:
        for place in islice(places, STEP_ITEMS):
            step.append(place)
    except Unreadable as problem:
        return step, str(problem)
    return step, ""
