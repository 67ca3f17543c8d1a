"""The TTL sweeper: a thread that deletes expired items and old changes in the change logs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

import msgspec

from singletable.engine.catalog import Catalog
from singletable.engine.items.item_writes import read_image, replace_item
from singletable.engine.storage import catalog_rows, change_log_rows
from singletable.engine.storage.change_log_rows import ChangeLog
from singletable.engine.storage.store import StaleCatalog, Store
from singletable.engine.streams.stream_reading import RETENTION_SECONDS
from singletable.engine.tables.stored_table import StoredTable, decode_item
from singletable.engine.tables.table_definition import TableDefinition, definition_from
from singletable.errors import RequestRefused, StoreRefused

# One step is one transaction, which is short enough that other writers are not delayed.
STEP_ITEMS = 200
# As in DynamoDB, an expiry time more than five years in the past is ignored.
EXPIRED_SECONDS_MAX = 5 * 365 * 24 * 60 * 60
_DAY_SECONDS = 24 * 60 * 60


class Sweeper:
    """Sweeps all tables in a thread, which starts as soon as a table has TTL or a change log."""

    def __init__(self, store: Store, catalog: Catalog, now: Callable[[], float], every_seconds: float | None) -> None:
        self._store = store
        self._catalog = catalog
        self._now = now
        self._every_seconds = every_seconds
        self._stopping = threading.Event()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def start_if_needed(self) -> None:
        """Wake up the thread. Start it first if an interval is set and a table needs sweeping."""
        self._wake.set()
        tables = self._catalog.reload()
        is_needed = any(table.expiry is not None or table.changes is not None for table in tables)
        with self._lock:
            if self._thread is None and is_needed and self._every_seconds is not None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._run, name="ttl sweeper", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Stop the thread after its current step."""
        self._stopping.set()
        self._wake.set()
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            # The table was deleted, or the store is unavailable. The next interval tries again.
            with suppress(RequestRefused, StoreRefused):
                self.sweep()
            self._wake.wait(self._every_seconds)
            self._wake.clear()

    def sweep(self) -> int:
        """Delete expired items, and changes beyond the log retention. Return the number of deleted items."""
        deleted = 0
        for table in self._catalog.reload():
            deleted += self._sweep_table(table.name)
        drop_ended_streams(self._store, self._now())
        return deleted

    def _sweep_table(self, name: str) -> int:
        deleted, position = 0, b""
        while not self._stopping.is_set():
            table = self._catalog.cached(name)
            if table is None:
                return deleted
            try:
                if _is_enabling(table):
                    position = self._record_expiries(table, position)
                    if not position:
                        self._catalog.change(name, _enabled)
                    continue
                removed = self._delete_expired(table)
                deleted += removed
                if removed < STEP_ITEMS and not trim_change_log(self._store, table, self._now()):
                    return deleted
            except StaleCatalog:
                self._catalog.reload()
            except RequestRefused:
                return deleted  # the table was deleted
        return deleted

    def _record_expiries(self, table: StoredTable, position: bytes) -> bytes:
        """Record the expiry times of the next batch of existing items, starting after `position`.

        Return the last key of the batch, or empty bytes at the end of the table.
        """
        assert table.expiry is not None
        last = b""
        with self._store.writing() as connection:
            for key, body, _ in table.tree.after(connection, position, STEP_ITEMS):
                last = key
                at = table.expiry.time_of(decode_item(body))
                if at is not None:
                    table.expiry.tree.add(connection, at, key)
        return last

    def _delete_expired(self, table: StoredTable) -> int:
        if table.expiry is None:
            return 0
        until = int(self._now())
        after = until - EXPIRED_SECONDS_MAX
        with self._store.reading() as connection:
            if not table.expiry.tree.due(connection, after, until, 1):
                return 0
        with self._store.writing() as connection:
            due = table.expiry.tree.due(connection, after, until, STEP_ITEMS)
            for _, key in due:
                replace_item(connection, table, key, read_image(connection, table, key), None, by_service=True)
        self._store.flush()
        return len(due)


def _is_enabling(table: StoredTable) -> bool:
    setting = table.definition.time_to_live
    return setting is not None and setting.status == "ENABLING"


def _enabled(definition: TableDefinition) -> TableDefinition:
    setting = definition.time_to_live
    if setting is None or setting.status != "ENABLING":
        return definition
    return msgspec.structs.replace(definition, time_to_live=msgspec.structs.replace(setting, status="ENABLED"))


def trim_change_log(store: Store, table: StoredTable, now: float) -> bool:
    """Delete a batch of changes older than the retention period of a table. Return whether more may remain."""
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
    """Drop streams that ended more than 24 hours ago, and change logs that are no longer used."""
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
