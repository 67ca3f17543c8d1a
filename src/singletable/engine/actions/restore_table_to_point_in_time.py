"""RestoreTableToPointInTime: creates a table with the items that another table contained at a point in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.backups.backup_records import table_not_found
from singletable.engine.backups.point_in_time_recovery import check_time, fill_from, recovery_of
from singletable.engine.backups.restore import already_exists, restored_definition
from singletable.engine.backups.table_snapshot import items_at, items_now
from singletable.engine.tables.arns import table_name
from singletable.engine.tables.stored_table import StoredTable
from singletable.engine.tables.table_definition import PointInTimeRecovery, RestoreOrigin
from singletable.engine.tables.table_description import table_description
from singletable.errors import invalid
from singletable.wire.backup_requests import RestoreTableToPointInTime
from singletable.wire.table_requests import TableDescriptionResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

_INVALID = "One or more parameter values were invalid: "


def restore_table_to_point_in_time(engine: Engine, request: RestoreTableToPointInTime) -> TableDescriptionResult:
    """Create the table. Like DynamoDB, return the status CREATING, although a small table is already active."""
    source = _source(engine, request)
    now = engine.now()
    at = _time(request, recovery_of(source.definition), now)
    if engine.catalog.fresh(request.target_table_name) is not None:
        raise already_exists(request.target_table_name)
    origin = RestoreOrigin(table=engine.arn(source.name), at=at)
    definition = restored_definition(engine, source.definition, request.target_table_name, origin, request)
    is_latest = request.restore_date_time is None
    moment = items_now(engine.store, source) if is_latest else items_at(engine.store, source, at)
    fill_from(engine, definition, moment)
    return TableDescriptionResult(
        table_description=table_description(definition, engine.arn(definition.name), "CREATING", {}, engine.now())
    )


def _source(engine: Engine, request: RestoreTableToPointInTime) -> StoredTable:
    given = [each for each in (request.source_table_arn, request.source_table_name) if each is not None]
    if len(given) != 1:
        raise invalid(f"{_INVALID}Exactly one of SourceTableArn and SourceTableName must be specified")
    name = table_name(engine, given[0])
    table = None if name is None else engine.catalog.fresh(name)
    if table is None:
        raise table_not_found(given[0])
    return table


def _time(request: RestoreTableToPointInTime, recovery: PointInTimeRecovery, now: float) -> float:
    if bool(request.use_latest_restorable_time) == (request.restore_date_time is not None):
        raise invalid(f"{_INVALID}Exactly one of UseLatestRestorableTime and RestoreDateTime must be specified")
    if request.restore_date_time is None:
        return now
    check_time(recovery, request.restore_date_time, now, "InvalidRestoreTimeException")
    return request.restore_date_time
