"""RestoreTableToPointInTime: a new table with the items that another one had at a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.arns import table_name
from singletable.engine.backups import table_not_found
from singletable.engine.definition import Recovery, Restored
from singletable.engine.describe import table_description
from singletable.engine.moment import items_at, items_now
from singletable.engine.recovery import check_time, recovery_of
from singletable.engine.restore import already_exists, restored_definition
from singletable.engine.restore_copy import fill_from
from singletable.engine.table import OpenTable
from singletable.errors import invalid
from singletable.wire.backups import RestoreTableToPointInTime
from singletable.wire.tables import TableDescriptionResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

_INVALID = "One or more parameter values were invalid: "


def restore_table_to_point_in_time(engine: Engine, request: RestoreTableToPointInTime) -> TableDescriptionResult:
    """Makes the table; a small one is ready when the answer arrives, which still says CREATING as the service does."""
    source = _source(engine, request)
    now = engine.now()
    at = _time(request, recovery_of(source.definition), now)
    if engine.catalog.fresh(request.target_table_name) is not None:
        raise already_exists(request.target_table_name)
    origin = Restored(table=engine.arn(source.name), at=at)
    definition = restored_definition(engine, source.definition, request.target_table_name, origin, request)
    is_latest = request.restore_date_time is None
    moment = items_now(engine.store, source) if is_latest else items_at(engine.store, source, at)
    fill_from(engine, definition, moment)
    return TableDescriptionResult(
        table_description=table_description(definition, engine.arn(definition.name), "CREATING", {}, engine.now())
    )


def _source(engine: Engine, request: RestoreTableToPointInTime) -> OpenTable:
    given = [each for each in (request.source_table_arn, request.source_table_name) if each is not None]
    if len(given) != 1:
        raise invalid(f"{_INVALID}Exactly one of SourceTableArn and SourceTableName must be specified")
    name = table_name(engine, given[0])
    table = None if name is None else engine.catalog.fresh(name)
    if table is None:
        raise table_not_found(given[0])
    return table


def _time(request: RestoreTableToPointInTime, recovery: Recovery, now: float) -> float:
    if bool(request.use_latest_restorable_time) == (request.restore_date_time is not None):
        raise invalid(f"{_INVALID}Exactly one of UseLatestRestorableTime and RestoreDateTime must be specified")
    if request.restore_date_time is None:
        return now
    check_time(recovery, request.restore_date_time, now, "InvalidRestoreTimeException")
    return request.restore_date_time
