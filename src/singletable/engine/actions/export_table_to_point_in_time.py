"""ExportTableToPointInTime: exports a table, as it was at a point in time, to files in a bucket."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec

from singletable.engine.backups.backup_records import table_not_found
from singletable.engine.backups.point_in_time_recovery import check_time, recovery_of
from singletable.engine.backups.table_snapshot import items_at, items_now
from singletable.engine.tables.arns import new_identifier, table_name
from singletable.engine.tables.stored_table import StoredTable
from singletable.engine.tables.table_definition import PointInTimeRecovery
from singletable.engine.transfers.export_job import ExportJob, Lines, changed_items, changed_lines, item_lines
from singletable.engine.transfers.ion import require_ion
from singletable.engine.transfers.transfer_records import (
    Export,
    export_description,
    find_repeated,
    request_fingerprint,
    save_transfer,
)
from singletable.errors import RequestRefused, invalid
from singletable.wire.transfer_requests import ExportDescriptionResult, ExportTableToPointInTime

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

PERIOD_SECONDS_MIN = 15 * 60
PERIOD_SECONDS_MAX = 24 * 3600

_INVALID = "One or more parameter values were invalid: "


def export_table_to_point_in_time(engine: Engine, request: ExportTableToPointInTime) -> ExportDescriptionResult:
    """Start the export as a background job, and return its description."""
    engine.buckets.check(request.s3_prefix)
    if request.filter_specification is not None:
        raise invalid(
            f"{_INVALID}FilterSpecification is not supported by this engine: export everything and filter the files"
        )
    name = table_name(engine, request.table_arn)
    table = None if name is None else engine.catalog.fresh(name)
    if table is None or table.definition.status != "ACTIVE":
        raise table_not_found(request.table_arn)
    now, fingerprint = engine.now(), request_fingerprint(request)
    with engine.store.reading() as connection:
        same = find_repeated(connection, Export, request.client_token, fingerprint, now)
    if same is not None:
        return ExportDescriptionResult(export_description=export_description(engine, same))
    if request.export_format == "ION":
        require_ion()
    time, described = _time(request, recovery_of(table.definition), now), _described_members(request, now)
    export = Export(
        identifier=new_identifier(now),
        table=table.name,
        table_id=table.definition.identifier,
        status="IN_PROGRESS",
        started_at=now,
        token=request.client_token or str(uuid4()),
        fingerprint=fingerprint,
        told=described,
        time=time,
    )
    _start(engine, table, export, is_of_now=request.export_time is None)
    return ExportDescriptionResult(export_description=export_description(engine, export))


def _described_members(request: ExportTableToPointInTime, now: float) -> dict[str, Any]:
    """Return the request fields that the description of the export repeats, with DynamoDB's default values."""
    described: dict[str, Any] = {"S3SseAlgorithm": "AES256", "ExportFormat": "DYNAMODB_JSON"}
    given = msgspec.to_builtins(request)
    own = {"TableArn", "ClientToken", "ExportTime"}
    described |= {name: value for name, value in given.items() if value is not None and name not in own}
    if request.export_type == "INCREMENTAL_EXPORT" and request.incremental_export_specification is not None:
        incremental = request.incremental_export_specification
        described["IncrementalExportSpecification"] = {
            "ExportFromTime": incremental.export_from_time,
            "ExportToTime": now if incremental.export_to_time is None else incremental.export_to_time,
            "ExportViewType": incremental.export_view_type or "NEW_AND_OLD_IMAGES",
        }
    return described


def _time(request: ExportTableToPointInTime, recovery: PointInTimeRecovery, now: float) -> float:
    """Return the point in time to export. Raise an error if it is outside the recovery period."""
    incremental = request.incremental_export_specification
    if request.export_type != "INCREMENTAL_EXPORT":
        if incremental is not None:
            raise invalid(f"{_INVALID}IncrementalExportSpecification is only valid with ExportType INCREMENTAL_EXPORT")
        time = now if request.export_time is None else request.export_time
        check_time(recovery, time, now, "InvalidExportTimeException")
        return time
    if incremental is None or incremental.export_from_time is None:
        raise invalid(f"{_INVALID}An incremental export needs IncrementalExportSpecification with ExportFromTime")
    if request.export_time is not None:
        raise invalid(f"{_INVALID}ExportTime is only valid for a full export")
    until = now if incremental.export_to_time is None else incremental.export_to_time
    for time in (incremental.export_from_time, until):
        check_time(recovery, time, now, "InvalidExportTimeException")
    seconds = until - incremental.export_from_time
    if not PERIOD_SECONDS_MIN <= seconds <= PERIOD_SECONDS_MAX:
        raise RequestRefused(
            "InvalidExportTimeException",
            "Difference between export period from time and export period to time must be from 15 minutes to 24 hours",
        )
    return until


def _start(engine: Engine, table: StoredTable, export: Export, *, is_of_now: bool) -> None:
    lines, close = _lines(engine, table, export, is_of_now=is_of_now)

    def prepare() -> ExportJob:
        with engine.store.writing() as connection:
            save_transfer(connection, export)
        return ExportJob(engine, export, lines, close)

    try:
        engine.jobs.start_owned(f"export {export.identifier}", prepare)
    except BaseException:
        close()
        raise


def _lines(engine: Engine, table: StoredTable, export: Export, *, is_of_now: bool) -> tuple[Lines, Callable[[], None]]:
    """Return the lines to write, which are read from a new snapshot, and a function that releases the snapshot."""
    output_format = export.parameters["ExportFormat"]
    period = export.parameters.get("IncrementalExportSpecification")
    if period is not None:
        changed = changed_items(engine.store, table, period["ExportFromTime"], period["ExportToTime"])
        return changed_lines(table, changed.rows, output_format, period["ExportViewType"]), changed.close
    items = items_now(engine.store, table) if is_of_now else items_at(engine.store, table, export.time)
    return item_lines(items.rows, output_format), items.close
