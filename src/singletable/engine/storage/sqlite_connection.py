"""SQLite connections with the settings of a store, and read, snapshot and write sessions on them."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Protocol

from singletable.engine.storage import store_format
from singletable.engine.storage.process_locks import BUSY_SECONDS, WriteWait
from singletable.engine.storage.sqlite_errors import WriterBusy, is_busy, translate_error
from singletable.engine.storage.store_format import PAGE_BYTES
from singletable.engine.storage.write_turn import is_owned, owned_lock, release_owned
from singletable.errors import StoreRefused

_CACHE_BYTES = 16 * 2**20
# If a very large transaction makes the log longer than this, SQLite later truncates the log to this size.
_LOG_BYTES_MAX = 80 * 2**20
# SQLite maps no more than its own limit, which is two gigabytes in most builds. Memory mapping was measured only on
# Linux, so it is off on other systems.
_MAPPED_BYTES = 2**40 if sys.platform == "linux" else 0
_CACHED_STATEMENTS = 1024

_SETTINGS = (
    f"PRAGMA page_size = {PAGE_BYTES}",  # has an effect only when the file is created
    f"PRAGMA cache_size = {-_CACHE_BYTES // 1024}",
    f"PRAGMA mmap_size = {_MAPPED_BYTES}",
    f"PRAGMA journal_size_limit = {_LOG_BYTES_MAX}",
    # SQLite starts no checkpoints. The connection pool starts them, never while another connection writes (see
    # connection_pool.py).
    "PRAGMA wal_autocheckpoint = 0",
    # Some distributions build SQLite so that it overwrites deleted data. This doubles the cost of a change.
    "PRAGMA secure_delete = OFF",
    "PRAGMA temp_store = MEMORY",
)


class StoreConnection(sqlite3.Connection):
    """A SQLite connection that tracks its open range cursors.

    A cursor that is not read to its end holds its snapshot, and the next user of the connection would read old data.
    Python closes a cursor together with the stack frame that holds it. But an exception keeps frames alive, so sessions
    close their cursors.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.open_cursors: list[sqlite3.Cursor] = []
        self.moment: float | None = None
        """The time of the open transaction. Its first change to an item sets it; before that, it is None."""
        self.holder: dict[int, tuple[int]] = {}
        """The thread that uses the connection, under the key 0. The dict is empty while the connection is idle."""
        self._busy_seconds = BUSY_SECONDS

    def close_cursors(self) -> None:
        """Close every open range cursor."""
        for cursor in self.open_cursors:
            cursor.close()
        self.open_cursors.clear()

    def wait_for_writers(self, seconds: float) -> None:
        """Set how long SQLite waits for programs that write without the fair write lock."""
        if seconds != self._busy_seconds:
            self._busy_seconds = -1.0  # an interrupt can leave either value, so the next call sets it again
            self.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
            self._busy_seconds = seconds

    def end(self) -> None:
        """End what a thread has left on the connection: its cursors, its transaction and its claim."""
        if self.open_cursors:
            self.close_cursors()
        if self.in_transaction:
            self.roll_back()
        self.holder.clear()

    def roll_back(self) -> None:
        """Roll back an open transaction. SQLite may have ended it already, for example if the disk is full."""
        if self.in_transaction:
            self.execute("ROLLBACK")

    def remap(self) -> None:
        """Map the file at its current size. SQLite does this only if the limit changes, so set the limit to 0 first."""
        self.execute("PRAGMA mmap_size = 0")
        self.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")


def connect_to_memory() -> StoreConnection:
    """Open a new in-memory database, which only this connection sees."""
    connection = _connect(":memory:")
    set_up(connection)
    return connection


def connect_to_file(path: Path, *, may_create: bool) -> StoreConnection:
    """Open a connection to a file without applying the settings, because the settings make SQLite read the file."""
    return _connect(f"{path.as_uri()}?mode={'rwc' if may_create else 'rw'}")


def set_up(connection: StoreConnection) -> None:
    """Apply the settings of a connection. None of them is written to the file."""
    for setting in _SETTINGS:
        connection.execute(setting)


def _connect(target: str) -> StoreConnection:
    return sqlite3.connect(
        target,
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=_CACHED_STATEMENTS,
        factory=StoreConnection,
    )


class MemoryConnection:
    """The single connection of an in-memory store. One thread at a time holds it, and can acquire it repeatedly."""

    name = "memory:"

    def __init__(self) -> None:
        self.waits = WriteWait()
        self._connection = connect_to_memory()
        store_format.initialize(self._connection)
        self._lock = owned_lock()
        self._depth = 0
        self._is_closed = False

    def acquire(self) -> StoreConnection:
        """Return the connection. Only the calling thread uses it until it is released."""
        self._lock.acquire()
        if self._is_closed:
            self._lock.release()
            raise StoreRefused("The store is closed, and its in-memory data is gone.")
        self._depth += 1
        return self._connection

    def release(self, connection: StoreConnection) -> None:
        """Release the connection."""
        self._depth -= 1
        if self._depth == 0:
            connection.end()
        self._lock.release()

    acquire_writer = acquire
    release_writer = release

    def after_commit(self, connection: StoreConnection) -> None:
        """Do nothing, because memory has no log to maintain."""

    def flush(self) -> None:
        """Return at once, because there is nothing to flush in memory."""

    def abandon(self) -> None:
        """Release everything that the current thread holds, after an interrupt."""
        if is_owned(self._lock):
            if not self._is_closed:
                self._connection.end()
            self._depth = 0
            release_owned(self._lock)

    def close(self) -> None:
        """Discard all data. You can call it twice."""
        self._lock.acquire()
        try:
            self._is_closed = True
            self._connection.close()
        finally:
            self._lock.release()


class ConnectionSource(Protocol):
    """The connections of a store: a pool for a file, or one connection for memory."""

    waits: WriteWait
    """How long the current thread waits for its turn to write."""

    @property
    def name(self) -> str:
        """The name of the store for messages to the user."""
        ...

    def acquire(self) -> StoreConnection:
        """Return a connection that only the caller uses, until it is released."""
        ...

    def release(self, connection: StoreConnection) -> None:
        """Release a connection. This rolls back an open transaction."""
        ...

    def acquire_writer(self) -> StoreConnection:
        """Return a connection for the only writer."""
        ...

    def release_writer(self, connection: StoreConnection) -> None:
        """Release the connection of the writer."""
        ...

    def after_commit(self, connection: StoreConnection) -> None:
        """Record a commit of the writer."""
        ...

    def flush(self) -> None:
        """Return when every commit so far is as durable as the store promises."""
        ...

    def abandon(self) -> None:
        """Release everything that the current thread holds, after an interrupt."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


class ReadSession:
    """A connection for reading. Each statement sees the state of the store at the start of the statement."""

    __slots__ = ("_connection", "_connections")

    def __init__(self, connections: ConnectionSource) -> None:
        self._connections = connections

    def __enter__(self) -> StoreConnection:
        self._connection = connection = self._connections.acquire()
        return connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connections.release(self._connection)
        if error is not None:
            raise_translated(error, self._connections)


class SnapshotSession:
    """A connection on which all statements see the state of the store at the first statement."""

    __slots__ = ("_connection", "_connections")

    def __init__(self, connections: ConnectionSource) -> None:
        self._connections = connections

    def __enter__(self) -> StoreConnection:
        self._connection = connection = self._connections.acquire()
        connection.execute("BEGIN")
        return connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connections.release(self._connection)
        if error is not None:
            raise_translated(error, self._connections)


class WriteSession:
    """A connection in a transaction that commits at the end of its block, or rolls back if the block raises."""

    __slots__ = ("_connection", "_connections")

    def __init__(self, connections: ConnectionSource) -> None:
        self._connections = connections

    def __enter__(self) -> StoreConnection:
        self._connection = connection = self._connections.acquire_writer()
        try:
            begin_write(connection, self._connections)
            connection.moment = None
        except BaseException as error:
            self._connections.release_writer(connection)
            raise_translated(error, self._connections)
            raise
        return connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        connection = self._connection
        connection.close_cursors()
        try:
            if error is None:
                connection.execute("COMMIT")
                self._connections.after_commit(connection)
        except sqlite3.Error as failure:
            raise_translated(failure, self._connections)
            raise
        finally:
            self._connections.release_writer(connection)
        if error is not None:
            raise_translated(error, self._connections)


def begin_write(connection: StoreConnection, connections: ConnectionSource) -> None:
    """Begin the transaction of a writer. Raise WriterBusy if its caller has given up while it waited."""
    waits = connections.waits
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if not is_busy(error) or waits.busy_seconds == waits.seconds:
            raise
        _begin_later(connection, connections)
    if not waits.begin():
        raise WriterBusy(connections.name)


def _begin_later(connection: StoreConnection, connections: ConnectionSource) -> None:
    """Wait for a program that writes without the fair write lock, in steps, so that the caller can give up."""
    waits = connections.waits
    deadline = monotonic() + waits.seconds
    while True:
        if waits.is_over():
            raise WriterBusy(connections.name)
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if not is_busy(error) or monotonic() > deadline:
                raise
        else:
            return


def raise_translated(error: BaseException, connections: ConnectionSource) -> None:
    """Raise the store's own error instead of a SQLite error. Return if there is no such error."""
    if connections.waits.seconds == 0 and is_busy(error):
        raise WriterBusy(connections.name) from error
    translated = translate_error(error, connections.name)
    if translated is not None:
        raise translated from error
