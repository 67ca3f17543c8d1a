"""ExportTableToPointInTime: the items of a table at a moment, as files in a bucket."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec

from singletable.engine.arns import new_identifier, table_name
from singletable.engine.backups import table_not_found
from singletable.engine.definition import Recovery
from singletable.engine.export import ExportJob, Lines, item_lines
from singletable.engine.incremental import changed_items, changed_lines
from singletable.engine.ion import require_ion
from singletable.engine.moment import items_at, items_now
from singletable.engine.recovery import check_time, recovery_of
from singletable.engine.table import OpenTable
from singletable.engine.transfers import Export, export_description, fingerprint_of, keep, repeated
from singletable.errors import RequestRefused, invalid
from singletable.wire.transfers import ExportDescriptionResult, ExportTableToPointInTime

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

PERIOD_SECONDS_MIN = 15 * 60
PERIOD_SECONDS_MAX = 24 * 3600

_INVALID = "One or more parameter values were invalid: "


def export_table_to_point_in_time(engine: Engine, request: ExportTableToPointInTime) -> ExportDescriptionResult:
    """Begins the export; it goes on when the answer has arrived."""
    engine.buckets.check(request.s3_prefix)
    if request.filter_specification is not None:
        raise invalid(f"{_INVALID}FilterSpecification is not served by this engine: export all, and filter the files")
    name = table_name(engine, request.table_arn)
    table = None if name is None else engine.catalog.fresh(name)
    if table is None or table.definition.status != "ACTIVE":
        raise table_not_found(request.table_arn)
    now, fingerprint = engine.now(), fingerprint_of(request)
    with engine.store.reading() as connection:
        same = repeated(connection, Export, request.client_token, fingerprint, now)
    if same is not None:
        return ExportDescriptionResult(export_description=export_description(engine, same))
    if request.export_format == "ION":
        require_ion()
    time, told = _time(request, recovery_of(table.definition), now), _told(request, now)
    export = Export(
        identifier=new_identifier(now),
        table=table.name,
        table_id=table.definition.identifier,
        status="IN_PROGRESS",
        started_at=now,
        token=request.client_token or str(uuid4()),
        fingerprint=fingerprint,
        told=told,
        time=time,
    )
    _start(engine, table, export, is_of_now=request.export_time is None)
    return ExportDescriptionResult(export_description=export_description(engine, export))


def _told(request: ExportTableToPointInTime, now: float) -> dict[str, Any]:
    """The request in the words of its description, with what it leaves to the service."""
    told: dict[str, Any] = {"S3SseAlgorithm": "AES256", "ExportFormat": "DYNAMODB_JSON"}
    given = msgspec.to_builtins(request)
    own = {"TableArn", "ClientToken", "ExportTime"}
    told |= {name: value for name, value in given.items() if value is not None and name not in own}
    if request.export_type == "INCREMENTAL_EXPORT" and request.incremental_export_specification is not None:
        asked = request.incremental_export_specification
        told["IncrementalExportSpecification"] = {
            "ExportFromTime": asked.export_from_time,
            "ExportToTime": now if asked.export_to_time is None else asked.export_to_time,
            "ExportViewType": asked.export_view_type or "NEW_AND_OLD_IMAGES",
        }
    return told


def _time(request: ExportTableToPointInTime, recovery: Recovery, now: float) -> float:
    """The moment that is exported: the one asked for, or now; refuses one that nothing is known of."""
    asked = request.incremental_export_specification
    if request.export_type != "INCREMENTAL_EXPORT":
        if asked is not None:
            raise invalid(f"{_INVALID}IncrementalExportSpecification is for an ExportType of INCREMENTAL_EXPORT alone")
        time = now if request.export_time is None else request.export_time
        check_time(recovery, time, now, "InvalidExportTimeException")
        return time
    if asked is None or asked.export_from_time is None:
        raise invalid(f"{_INVALID}An incremental export needs IncrementalExportSpecification with ExportFromTime")
    if request.export_time is not None:
        raise invalid(f"{_INVALID}ExportTime is for a full export alone")
    until = now if asked.export_to_time is None else asked.export_to_time
    for time in (asked.export_from_time, until):
        check_time(recovery, time, now, "InvalidExportTimeException")
    seconds = until - asked.export_from_time
    if not PERIOD_SECONDS_MIN <= seconds <= PERIOD_SECONDS_MAX:
        raise RequestRefused(
            "InvalidExportTimeException",
            "Difference between export period from time and export period to time must be from 15 minutes to 24 hours",
        )
    return until


def _start(engine: Engine, table: OpenTable, export: Export, *, is_of_now: bool) -> None:
    lines, close = _lines(engine, table, export, is_of_now=is_of_now)

    def prepare() -> ExportJob:
        with engine.store.writing() as connection:
            keep(connection, export)
        return ExportJob(engine, export, lines, close)

    try:
        engine.jobs.start_owned(f"export {export.identifier}", prepare)
    except BaseException:
        close()
        raise


def _lines(engine: Engine, table: OpenTable, export: Export, *, is_of_now: bool) -> tuple[Lines, Callable[[], None]]:
    """What is written, as it is when the request arrives, and what lets go of it."""
    output_format = export.told["ExportFormat"]
    period = export.told.get("IncrementalExportSpecification")
    if period is not None:
        changed = changed_items(engine.store, table, period["ExportFromTime"], period["ExportToTime"])
        return changed_lines(table, changed.found, output_format, period["ExportViewType"]), changed.close
    items = items_now(engine.store, table) if is_of_now else items_at(engine.store, table, export.time)
    return item_lines(items.found, output_format), items.close
