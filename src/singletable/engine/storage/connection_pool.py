"""The connections of a process to the file of a store: taken, given back, and one of them writing at a time.

Every connection reads and writes, and the one used last is taken first. A connection that sees that another has written
drops what it had cached and mapped; so a process that does one thing at a time does all of it on one connection.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Literal

from singletable.engine.storage import fork_guard, layout
from singletable.engine.storage.connection import BUSY_SECONDS, Connection, connect_to_file, set_up
from singletable.engine.storage.group_flush import GroupFlush
from singletable.engine.storage.refusals import held_too_long, is_busy, meaning
from singletable.engine.storage.write_ahead_log import WriteAheadLog, sync_folder
from singletable.engine.storage.write_turn import WriteTurn
from singletable.errors import StoreRefused

Sync = Literal["normal", "full"]

# Asking how long the log is takes a tenth of the time of a small commit, so it is asked now and then.
_COMMITS_PER_LOOK = 8
_BUSY_LOOK_SECONDS = 0.005
# A mapping that is made anew has to be filled again, page by page, as it is read.
_GROWN = 1.1


class ConnectionPool:
    """The connections to one file."""

    def __init__(self, path: Path, sync: Sync, *, upgrades: bool = True) -> None:
        self.name = str(path)
        self._upgrades = upgrades
        self._path = path
        self._idle: list[Connection] = []
        self._writer = threading.Lock()
        self._closing = threading.Lock()
        self._commits = 0
        self._mapped_bytes = 0
        self._refusal: str | None = None
        fork_guard.refuse_inherited(path)
        self._idle.append(self._connected(self._prepare_first, may_create=True))
        try:
            self._log = WriteAheadLog(path)
        except OSError as error:
            self._close_idle()
            raise StoreRefused(f"{path} has a log that cannot be opened: {error}") from None
        self._turn = WriteTurn(self._log.descriptor)
        self._flushing = GroupFlush(self._log.sync) if sync == "full" else None
        fork_guard.watch(self)

    def take(self) -> Connection:
        """A connection for the caller alone, until it is given back."""
        try:
            return self._idle.pop()
        except IndexError:
            return self._another()

    def give(self, connection: Connection) -> None:
        """Takes a connection back."""
        if connection.open_ranges:
            connection.end_ranges()
        self._idle.append(connection)
        if self._refusal is not None:
            self._close_idle()

    def take_to_write(self) -> Connection:
        """The same, for the one writer of the process."""
        self._writer.acquire()
        try:
            self._refuse_when_closed()
            if not self._turn.take(BUSY_SECONDS):
                raise held_too_long(self.name)
        except BaseException:
            self._writer.release()
            raise
        try:
            return self.take()
        except BaseException:
            self._end_writing()
            raise

    def give_written(self, connection: Connection) -> None:
        """Takes back the connection of the writer."""
        try:
            self.give(connection)
        finally:
            self._end_writing()

    def committed(self, connection: Connection) -> None:
        """Notes a commit of the writer, and keeps the log from growing without end."""
        if self._flushing is not None:
            self._flushing.committed()
        self._commits += 1
        if self._commits % _COMMITS_PER_LOOK == 0 and self._log.is_long():
            # The commit is in the log, where it is safe; what hinders a checkpoint is none of its business.
            with suppress(sqlite3.Error, OSError, StoreRefused):
                self._checkpoint(connection)
                self._map_grown(connection)

    def flush(self) -> None:
        """Returns when every commit of this process so far survives the loss of power, where that was asked for."""
        if self._flushing is not None:
            self._flushing.flush()

    def close(self) -> None:
        """Closes what is idle now, and the rest as it is given back; it may be called twice."""
        with self._writer:
            if self._refusal is not None:
                return
            try:
                self.flush()  # and with it anybody's that is under way, since nobody commits now
            finally:
                self._refusal = "The store is closed.\n  Open it again, and close it when nobody uses it any more."
                self._log.close()
                self._close_idle()
                fork_guard.unwatch(self)

    def disown(self, refusal: str) -> list[Connection]:
        """Ends the pool in a forked process, without touching what it shares with its parent."""
        inherited, self._idle = self._idle, []
        self._writer = threading.Lock()
        self._closing = threading.Lock()
        self._flushing = None
        self._refusal = refusal
        self._log.close()  # a turn to write that the parent has must not outlive it here
        return inherited

    def _end_writing(self) -> None:
        self._turn.end()
        self._writer.release()

    def _refuse_when_closed(self) -> None:
        if self._refusal is not None:
            raise StoreRefused(self._refusal)

    def _another(self) -> Connection:
        self._refuse_when_closed()
        return self._connected(self._prepare, may_create=False)

    def _connected(self, prepare: Callable[[Connection], None], *, may_create: bool) -> Connection:
        """A connection that is set up; waits for others who make the store or its log at the same time.

        SQLite itself waits for whoever writes, but not for whoever changes the mode of the log: it refuses at once.
        """
        over = monotonic() + BUSY_SECONDS
        while True:
            connection = None
            try:
                connection = connect_to_file(self._path, may_create=may_create)
                set_up(connection)
                prepare(connection)
            except BaseException as error:
                if connection is not None:
                    connection.close()
                if not is_busy(error) or monotonic() > over:
                    raise meaning(error, self.name) or error from None
            else:
                return connection
            sleep(_BUSY_LOOK_SECONDS)

    def _prepare_first(self, connection: Connection) -> None:
        """Makes the file a store if it is new, with a log, which the file remembers."""
        if layout.is_blank(connection):
            layout.make(connection)
            sync_folder(self._path.parent)
        layout.refuse_foreign(connection, self._path)
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise StoreRefused(
                f"{self.name} cannot have a write-ahead log where it is.\n"
                "  Keep it on a disk of this machine; a network's file system does not do."
            )
        if self._upgrades:
            layout.bring_up_to_date(connection)
        self._prepare(connection)

    def _prepare(self, connection: Connection) -> None:
        """Looks whether the file is (still) a store, which also makes the log if there is none."""
        layout.refuse_foreign(connection, self._path)
        # A commit is in the log, and the log reaches the disk with a checkpoint or with `flush`.
        connection.execute("PRAGMA synchronous = NORMAL")

    def _checkpoint(self, holder: Connection) -> None:
        """Moves the log into the database while nobody can write, so that the next writer begins the log anew.

        SQLite up to 3.51.2 can lose pages when a writer begins the log anew while two checkpoints follow each other
        (sqlite.org/wal.html, "the WAL-reset bug"). Holding the right to write keeps every writer out, of all processes.
        """
        holder.execute("PRAGMA busy_timeout = 0")
        try:
            holder.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return  # somebody writes without asking for a turn; the log is as long after the next commit
        finally:
            holder.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
        try:
            mover = self.take()
            try:
                _, frames, _ = mover.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
                self._log.checkpointed(frames)
            finally:
                self.give(mover)
        finally:
            holder.execute("ROLLBACK")

    def _map_grown(self, holder: Connection) -> None:
        """Has the writer map what the file has grown by; the others do when they see that it has written."""
        file_bytes = self._path.stat().st_size
        if file_bytes > self._mapped_bytes * _GROWN:
            holder.map_anew()
            self._mapped_bytes = file_bytes

    def _close_idle(self) -> None:
        # One by one: of two that close at once, neither is the last, and SQLite would leave the log behind.
        with self._closing, suppress(IndexError):  # another thread may be closing them too
            while True:
                self._idle.pop().close()
