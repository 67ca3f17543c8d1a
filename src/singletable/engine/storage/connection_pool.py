"""The connections of a process to a store file: many readers and one writer at a time, not shared with a forked child.

Every connection can read and write. When a connection detects a write by another connection, it drops its cache and its
memory mapping. So the pool returns the first idle connection of its list. A process that runs one request at a time
then uses only one connection.

A forked child inherits SQLite's record of the locks that the process holds, but not the locks. SQLite in the parent has
no information about the child, and could remove the log while the child uses it. So a child cannot use stores that were
open when it was forked.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import get_ident
from time import monotonic, sleep
from typing import Literal
from weakref import WeakSet

from singletable.engine.storage import store_format, store_upgrade
from singletable.engine.storage.log_damage import log_damage
from singletable.engine.storage.process_locks import BUSY_SECONDS, FairWriteLock, WriteWait, is_open_elsewhere
from singletable.engine.storage.sqlite_connection import StoreConnection, connect_to_file, set_up
from singletable.engine.storage.sqlite_errors import is_busy, translate_error
from singletable.engine.storage.write_ahead_log import GroupFlush, WriteAheadLog, log_path, sync_folder
from singletable.engine.storage.write_turn import WriteTurn
from singletable.errors import StoreRefused

Sync = Literal["normal", "full"]

# Checking the length of the log takes a tenth of the time of a small commit, so only some commits check it.
_COMMITS_PER_LOG_CHECK = 8
_BUSY_RETRY_SECONDS = 0.005
# A new memory mapping is empty, and reads fill it page by page. So the pool maps the file again only after it has grown
# by this much.
_REMAP_GROWTH = 1.1
_CLOSED = "The store is closed.\n  Open it again, and close it only after its last use."
# The pool notices after this time that the file was deleted or moved. A check takes as long as a third of a small
# write.
_PLACE_CHECK_SECONDS = 0.01
_MOVED = (
    "{name} was deleted, moved or replaced while it was open; this write changed nothing.\n"
    "  Close the store, and open the file at its new path. Do not delete or move a store that is open."
)
_DAMAGED_LOG = (
    "{log} is damaged: one bit was changed after it was written ({damage}).\n"
    "  Restore the store from a copy. Without the log, the store opens, but lacks the last confirmed writes."
)
_FORKED = (
    "{name} was open when this process was forked; a forked child cannot use it.\n"
    "  Open the store in each process after the fork, or start processes with multiprocessing's 'spawn' method."
)


class ConnectionPool:
    """The connections to one file."""

    def __init__(self, path: Path, sync: Sync, *, upgrades: bool = True) -> None:
        self.name = str(path)
        self._upgrades = upgrades
        self._path = path
        self.waits = WriteWait()
        # Every open connection. The first idle one is used next. A connection stays in the list while it is in use, so
        # an interrupt cannot lose it.
        self._connections: list[StoreConnection] = []
        self._closing = threading.Lock()
        self._commits = 0
        self._mapped_bytes = 0
        self._closed_reason: str | None = None
        self._is_closing = False
        if self.name in _inherited_paths:
            raise StoreRefused(_FORKED.format(name=self.name))
        self._check_log()
        self._connections.append(self._connect(self._prepare_first, may_create=True))
        try:
            self._log = WriteAheadLog(path)
        except OSError as error:
            self._close_idle()
            raise StoreRefused(f"Cannot open the write-ahead log of {path}: {error}") from None
        self._identity = _identity(path)
        self._checked_at = monotonic()
        file_lock = FairWriteLock(self._log.path, self._log.descriptor)
        self._turn = WriteTurn(self.name, file_lock, self.waits, self._check_waiting)
        self._group_flush = GroupFlush(self._log.sync) if sync == "full" else None
        _open_pools.add(self)

    def acquire(self) -> StoreConnection:
        """Return a connection that only the caller uses, until it is released."""
        me = (get_ident(),)
        for connection in self._connections:
            # one atomic step, so only one thread can claim the connection
            if connection.holder.setdefault(0, me) is me:
                break
        else:
            connection = self._add_connection(me)
        connection.wait_for_writers(self.waits.busy_seconds)
        return connection

    def _add_connection(self, holder: tuple[int]) -> StoreConnection:
        self._check_open()
        connection = self._connect(self._prepare, may_create=False)
        connection.holder[0] = holder
        self._connections.append(connection)
        return connection

    def release(self, connection: StoreConnection) -> None:
        """Return a connection to the pool. This rolls back an open transaction."""
        connection.end()
        if self._closed_reason is not None:
            self._close_idle()

    def acquire_writer(self) -> StoreConnection:
        """Return a connection for the only writer among all processes."""
        # an interrupt has ended the previous write of this thread, because a thread has only one write at a time
        if self._turn.is_mine:
            self.abandon()
        self._turn.take()
        try:
            self._check_open()
            self._check_place()
            return self.acquire()
        except BaseException:
            self.abandon()
            raise

    def release_writer(self, connection: StoreConnection) -> None:
        """Return the connection of the writer to the pool."""
        try:
            self.release(connection)
            self._turn.end()
        except BaseException:
            self.abandon()
            raise

    def abandon(self) -> None:
        """Release everything that the current thread holds, after an interrupt. You can call it twice."""
        me = (get_ident(),)
        try:
            for connection in self._connections:
                if connection.holder.get(0) == me:
                    connection.end()
        finally:
            self._turn.end()
        if self._closed_reason is not None:
            self._close_idle()

    def after_commit(self, connection: StoreConnection) -> None:
        """Count a commit of the writer, run a checkpoint when the log has become long, and extend the log."""
        if self._group_flush is not None:
            self._group_flush.after_commit()
        self._commits += 1
        if self._commits % _COMMITS_PER_LOG_CHECK:
            return
        # The commit is safe in the log, so a failure here does not fail the commit.
        with suppress(sqlite3.Error, OSError, StoreRefused):
            if self._log.is_checkpoint_due():
                self._checkpoint(connection)
                self._remap_if_grown(connection)
            elif self._group_flush is not None and self._log.has_outgrown_extension():
                self._keep_out_writers(connection)
                try:
                    self._log.extend()
                finally:
                    connection.roll_back()

    def flush(self) -> None:
        """With `sync="full"`, return when every commit of this process so far survives a power failure."""
        if self._group_flush is not None:
            self._group_flush.flush()

    def close(self) -> None:
        """Close the idle connections now, and the others when they are released. You can call it twice."""
        self._is_closing = True  # from now on, no thread waits for another process
        try:
            self._turn.take_in_process()
            if self._closed_reason is None:
                self._close()
        finally:
            self._turn.end()

    def _close(self) -> None:
        try:
            self.flush()  # includes the commits of waiting flushes: no thread can commit now
        finally:
            self._closed_reason = _CLOSED
            self._turn.close_lock()
            self._log.close()
            self._close_idle()
            _open_pools.discard(self)

    def disown(self) -> list[StoreConnection]:
        """Disable the pool in a forked child and return its connections, without changing files of the parent."""
        inherited, self._connections = self._connections, []
        self._is_closing = True
        self._turn.disown()
        self._closing = threading.Lock()
        self._group_flush = None
        self._closed_reason = _FORKED.format(name=self.name)
        self._log.close()  # otherwise this child would keep the parent's write lock after the parent ends
        return inherited

    def _check_open(self) -> None:
        if self._closed_reason is not None:
            raise StoreRefused(self._closed_reason)

    def _check_place(self) -> None:
        """Reject a write to a file that is no longer at its path."""
        now = monotonic()
        if now - self._checked_at < _PLACE_CHECK_SECONDS:
            return
        if _identity(self._path) != self._identity or self._log.is_deleted():
            raise StoreRefused(_MOVED.format(name=self.name))
        self._checked_at = now

    def _check_log(self) -> None:
        """Reject a log with a changed bit, which a crash has left, because SQLite would discard all later writes."""
        log = log_path(self._path)
        if any(pool.name == self.name for pool in _open_pools) or is_open_elsewhere(self._path):
            return  # SQLite has already read the log, and now checks each frame when it writes the frame
        damage = log_damage(log)
        if damage is not None:
            raise StoreRefused(_DAMAGED_LOG.format(log=log, damage=damage))

    def _check_waiting(self) -> None:
        if self._is_closing:
            raise StoreRefused(self._closed_reason or _CLOSED)

    def _connect(self, prepare: Callable[[StoreConnection], None], *, may_create: bool) -> StoreConnection:
        """Return a prepared connection. Wait for processes that create the store or its log at the same time.

        SQLite itself waits for a writer, but not for a change of the journal mode. It raises "busy" at once.
        """
        deadline = monotonic() + BUSY_SECONDS
        while True:
            connection = None
            try:
                connection = connect_to_file(self._path, may_create=may_create)
                set_up(connection)
                prepare(connection)
            except BaseException as error:
                if connection is not None:
                    connection.close()
                if not is_busy(error) or monotonic() > deadline:
                    raise translate_error(error, self.name) or error from None
            else:
                return connection
            sleep(_BUSY_RETRY_SECONDS)

    def _prepare_first(self, connection: StoreConnection) -> None:
        """Initialize a new file as a store, and switch it to a write-ahead log. The file stores this mode."""
        if store_format.is_blank(connection):
            store_format.initialize(connection)
            sync_folder(self._path.parent)
        store_format.check_format(connection, self._path)
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise StoreRefused(
                f"{self.name}: this file system does not support SQLite's write-ahead log.\n"
                "  Put the store on a local disk; network file systems do not work."
            )
        if self._upgrades:
            store_upgrade.upgrade(connection)
        self._prepare(connection)

    def _prepare(self, connection: StoreConnection) -> None:
        """Check that the file is still a store. This read also creates a missing log."""
        store_format.check_format(connection, self._path)
        if not self._upgrades:
            store_upgrade.show_as_upgraded(connection)
        # A commit goes to the log, and the log reaches the disk with a checkpoint or with `flush`.
        connection.execute("PRAGMA synchronous = NORMAL")

    def _checkpoint(self, holder: StoreConnection) -> None:
        """Move the log into the database while no connection can write, so that the next writer restarts the log.

        SQLite up to 3.51.2 can lose pages when a writer restarts the log between two consecutive checkpoints
        (sqlite.org/wal.html, "the WAL-reset bug"). Holding the write lock keeps out the writers of all processes.
        """
        self._keep_out_writers(holder)
        try:
            mover = self.acquire()
            try:
                _, frames, _ = mover.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
                self._log.after_checkpoint(frames)
            finally:
                self.release(mover)
        finally:
            holder.roll_back()

    def _keep_out_writers(self, holder: StoreConnection) -> None:
        """Take SQLite's write lock until a rollback. Raise sqlite3.OperationalError if another program holds the lock.

        Such a program writes without the fair lock. A later commit tries again. This is not a generator-based context
        manager, because Python can finalize a generator long after an interrupt. Its rollback would then affect a later
        write.
        """
        holder.wait_for_writers(0)
        holder.execute("BEGIN IMMEDIATE")

    def _remap_if_grown(self, holder: StoreConnection) -> None:
        """Make the writer map the grown file. Other connections map the file again when they notice the next write."""
        file_bytes = self._path.stat().st_size
        if file_bytes > self._mapped_bytes * _REMAP_GROWTH:
            holder.remap()
            self._mapped_bytes = file_bytes

    def _close_idle(self) -> None:
        # Close the connections one by one. If two of them close at the same time, neither is the last one, and the log
        # remains.
        me = (get_ident(),)
        with self._closing:  # another thread may be closing the connections too
            for connection in [each for each in self._connections if each.holder.setdefault(0, me) is me]:
                connection.close()
                self._connections.remove(connection)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


_open_pools: WeakSet[ConnectionPool] = WeakSet()
_inherited_paths: set[str] = set()
# Garbage collection would close the parent's connections and change the parent's files. These references prevent it.
_inherited: list[StoreConnection] = []


def _after_fork() -> None:
    for pool in _open_pools:
        _inherited_paths.add(pool.name)
        _inherited.extend(pool.disown())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
