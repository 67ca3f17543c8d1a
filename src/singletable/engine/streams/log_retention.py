"""Log retention: trims the change logs of tables and drops streams that ended more than 24 hours ago."""

from __future__ import annotations

from singletable.engine.storage import catalog_rows, change_log_rows
from singletable.engine.storage.change_log_rows import ChangeLog
from singletable.engine.storage.store import Store
from singletable.engine.streams.stream_reading import RETENTION_SECONDS
from singletable.engine.tables.stored_table import StoredTable
from singletable.engine.tables.table_definition import TableDefinition, definition_from

_DAY_SECONDS = 24 * 60 * 60


def trim_change_log(store: Store, table: StoredTable, now: float) -> bool:
    """Delete some changes beyond the retention of a table; return whether there may be more."""
    if table.changes is None:
        return False
    log, before = table.changes.log, now - _retention_seconds(table.definition)
    with store.reading() as connection:
        if min(log.first_since(connection, before), log.last(connection)) <= log.first(connection):
            return False
    with store.writing() as connection:
        return log.trim(connection, before)


def _retention_seconds(definition: TableDefinition) -> float:
    days = definition.recovery.days if definition.recovery is not None else 0
    return max(RETENTION_SECONDS, days * _DAY_SECONDS)


def drop_ended_streams(store: Store, now: float) -> None:
    """Drop the streams that ended more than 24 hours ago, and the change logs that nothing else uses."""
    before = now - RETENTION_SECONDS
    with store.reading() as connection:
        streams = change_log_rows.list_streams(connection)
    if not any(stream.ended_at is not None and stream.ended_at < before for stream in streams):
        return
    with store.writing() as connection:
        unused = set(change_log_rows.delete_ended_streams(connection, before))
        unused -= change_log_rows.streamed_table_numbers(connection)
        for row in catalog_rows.rows(connection):
            if definition_from(row.definition).has_change_log:
                unused.discard(row.number)
        for number in unused:
            ChangeLog(number).drop(connection)
