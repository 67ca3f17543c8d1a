"""What an engine does by itself now and then: deletes expired items, and forgets changes too old to be read."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

import msgspec

from singletable.engine.catalog import Catalog
from singletable.engine.definition import TableDefinition, definition_from
from singletable.engine.storage import catalog_rows, stream_rows
from singletable.engine.storage.change_log import ChangeLog
from singletable.engine.storage.store import StaleCatalog, Store
from singletable.engine.streams import RETENTION_SECONDS
from singletable.engine.table import OpenTable, decode_item
from singletable.engine.write import replace, stored
from singletable.errors import RequestRefused, StoreRefused

# One step is one transaction: short enough that writers do not notice it.
STEP_ITEMS = 200
# What expired longer ago than this is taken for a mistake, and left alone.
EXPIRED_SECONDS_MAX = 5 * 365 * 24 * 60 * 60
_DAY_SECONDS = 24 * 60 * 60


class Housekeeping:
    """Runs in a thread of its own, which is there once a table has something to look after."""

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
        """Has the thread look at once if a table has items that expire or a log, unless all is left to `sweep`."""
        self._wake.set()
        tables = self._catalog.reload()
        is_needed = any(table.expiry is not None or table.changes is not None for table in tables)
        with self._lock:
            if self._thread is None and is_needed and self._every_seconds is not None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._run, name="housekeeping", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Ends after the step that is under way."""
        self._stopping.set()
        self._wake.set()
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            # A table went away, or the store is out of reach for now: whoever uses it is told, and we come back.
            with suppress(RequestRefused, StoreRefused):
                self.sweep()
            self._wake.wait(self._every_seconds)
            self._wake.clear()

    def sweep(self) -> int:
        """Deletes the items whose time has come, and trims the logs; returns how many items were deleted."""
        deleted = 0
        for table in self._catalog.reload():
            deleted += self._of_table(table.name)
        self._forget_streams()
        return deleted

    def _of_table(self, name: str) -> int:
        deleted, position = 0, b""
        while not self._stopping.is_set():
            table = self._catalog.known(name)
            if table is None:
                return deleted
            try:
                if _is_filling(table):
                    position = self._fill(table, position)
                    if not position:
                        self._catalog.change(name, _filled)
                    continue
                removed = self._delete_expired(table)
                deleted += removed
                if removed < STEP_ITEMS and not self._trim(table):
                    return deleted
            except StaleCatalog:
                self._catalog.reload()
            except RequestRefused:
                return deleted  # the table is gone
        return deleted

    def _fill(self, table: OpenTable, position: bytes) -> bytes:
        """Notes when the next items expire; returns where to go on, or nothing at the end."""
        assert table.expiry is not None
        last = b""
        with self._store.writing() as connection:
            for key, body, _ in table.tree.after(connection, position, STEP_ITEMS):
                last = key
                at = table.expiry.time_of(decode_item(body))
                if at is not None:
                    table.expiry.tree.add(connection, at, key)
        return last

    def _delete_expired(self, table: OpenTable) -> int:
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
                replace(connection, table, key, stored(connection, table, key), None, by_service=True)
        self._store.flush()
        return len(due)

    def _trim(self, table: OpenTable) -> bool:
        if table.changes is None:
            return False
        log, before = table.changes.log, self._now() - _kept_seconds(table.definition)
        with self._store.reading() as connection:
            if min(log.first_since(connection, before), log.last(connection)) <= log.first(connection):
                return False
        with self._store.writing() as connection:
            return log.trim(connection, before)

    def _forget_streams(self) -> None:
        """Streams that ended more than a day ago, and the logs that only they showed."""
        before = self._now() - RETENTION_SECONDS
        with self._store.reading() as connection:
            if not any(row.ended_at is not None and row.ended_at < before for row in stream_rows.rows(connection)):
                return
        with self._store.writing() as connection:
            gone = set(stream_rows.forget(connection, before)) - stream_rows.numbers(connection)
            for row in catalog_rows.rows(connection):
                if definition_from(row.definition).keeps_changes:
                    gone.discard(row.number)
            for number in gone:
                ChangeLog(number).drop(connection)


def _is_filling(table: OpenTable) -> bool:
    setting = table.definition.time_to_live
    return setting is not None and setting.status == "ENABLING"


def _filled(definition: TableDefinition) -> TableDefinition:
    setting = definition.time_to_live
    if setting is None or setting.status != "ENABLING":
        return definition
    return msgspec.structs.replace(definition, time_to_live=msgspec.structs.replace(setting, status="ENABLED"))


def _kept_seconds(definition: TableDefinition) -> float:
    days = definition.recovery.days if definition.recovery is not None else 0
    return max(RETENTION_SECONDS, days * _DAY_SECONDS)
