"""Background jobs (backups, restores, exports, imports), and the cleanup of jobs that a terminated process left."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from singletable.engine.backups.backup_records import BackupRecord, all_backups, change_backup
from singletable.engine.catalog import mark_table_active
from singletable.engine.storage import catalog_rows
from singletable.engine.storage.catalog_rows import CatalogRow
from singletable.engine.storage.process_locks import RunningJobsLock
from singletable.engine.storage.store import Store
from singletable.engine.tables.table_definition import TableDefinition, definition_from
from singletable.engine.transfers.transfer_records import INTERRUPTED, Export, Import, all_transfers, save_transfer
from singletable.errors import StoreRefused

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


# The pause between two steps of a job. Without it, the job would take the write lock again before any waiting writer.
PAUSE_SECONDS = 0.001


class Stopped(Exception):  # internal exception, which every job catches
    """Raised inside a job when the engine is closing, so that the job ends."""


class BackgroundJobs:
    """The background jobs that run in this process, each in its own thread."""

    def __init__(self, store: Store) -> None:
        self.running_lock = RunningJobsLock(store.path)
        self._stopping = threading.Event()
        self._running: dict[str, threading.Thread] = {}
        self._lock = threading.Lock()

    def start(self, name: str, job: Callable[[], None], *, at_end: Callable[[], None] | None = None) -> None:
        """Start a job that any process can resume. Do nothing if this process already runs a job with this name."""

        def run() -> None:
            try:
                job()
            finally:
                if at_end is not None:
                    at_end()

        with self._lock:
            if self._stopping.is_set():
                raise StoreRefused("The engine is closed.\n  Close the engine only after the last request.")
            running = self._running.get(name)
            if running is not None and running.is_alive():
                return
            self._running = {name: thread for name, thread in self._running.items() if thread.is_alive()}
            thread = threading.Thread(target=run, name=name, daemon=True)
            self._running[name] = thread
            thread.start()

    def start_owned(self, name: str, prepare: Callable[[], Callable[[], None]]) -> None:
        """Start a job that no other process can resume. `prepare` records the job in the store and returns the job."""
        self.running_lock.enter()
        try:
            self.start(name, prepare(), at_end=self.running_lock.leave)
        except BaseException:
            self.running_lock.leave()
            raise

    @property
    def is_stopping(self) -> bool:
        """Whether the engine is closing."""
        return self._stopping.is_set()

    def check(self) -> None:
        """Pause between two steps of a job, so that other writers can write. Raise Stopped if the engine is closing."""
        if self._stopping.wait(PAUSE_SECONDS):
            raise Stopped

    def stop(self) -> None:
        """Stop all jobs at their next `check`, and wait until they have ended."""
        with self._lock:
            self._stopping.set()
        self.wait()

    def wait(self) -> None:
        """Wait until no job is running."""
        while running := [thread for thread in list(self._running.values()) if thread.is_alive()]:
            for thread in running:
                thread.join()


def fail_abandoned_jobs(engine: Engine) -> None:
    """Mark the unfinished jobs of terminated processes as failed. Do nothing while another process runs a job."""
    with engine.store.reading() as connection:
        is_needed = bool(
            _unfinished_backups(connection) or _unfinished_transfers(connection) or _unfinished_tables(connection)
        )
    if not is_needed:
        return
    with engine.jobs.running_lock.exclusive() as is_alone:
        if is_alone:
            with engine.store.writing() as connection:
                _fail_unfinished_jobs(engine, connection)
    engine.catalog.reload()


def _fail_unfinished_jobs(engine: Engine, connection: sqlite3.Connection) -> None:
    for found in _unfinished_backups(connection):
        change_backup(connection, found.row, msgspec.structs.replace(found.backup, status="DELETED"))
    imported_tables = set()
    for transfer in _unfinished_transfers(connection):
        code, message = INTERRUPTED
        failed = msgspec.structs.replace(
            transfer, status="FAILED", ended_at=engine.now(), failure_code=code, failure_message=message
        )
        save_transfer(connection, failed)
        if isinstance(transfer, Import):
            imported_tables.add(transfer.table_id)
    for row, definition in _unfinished_tables(connection):
        numbers = [index.number for index in definition.indexes]
        if definition.identifier in imported_tables:
            mark_table_active(connection, row.name)
        else:
            catalog_rows.drop(connection, row, numbers)


def _unfinished_backups(connection: sqlite3.Connection) -> list[BackupRecord]:
    return [found for found in all_backups(connection) if found.backup.status == "CREATING"]


def _unfinished_transfers(connection: sqlite3.Connection) -> list[Export | Import]:
    transfers: list[Export | Import] = [*all_transfers(connection, Export), *all_transfers(connection, Import)]
    return [transfer for transfer in transfers if transfer.status == "IN_PROGRESS"]


def _unfinished_tables(connection: sqlite3.Connection) -> list[tuple[CatalogRow, TableDefinition]]:
    """Return the tables with the status CREATING, except tables whose restore from a backup will be resumed."""
    tables = [(row, definition_from(row.definition)) for row in catalog_rows.rows(connection)]
    return [
        (row, definition)
        for row, definition in tables
        if definition.status == "CREATING" and (definition.restored is None or definition.restored.backup is None)
    ]
