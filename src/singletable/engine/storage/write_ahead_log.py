"""The write-ahead log file of a store: the test for a due checkpoint, and flushes that concurrent writers share.

SQLite places no lock on the log, so this module may open and close it. It must not open the database file: closing any
descriptor of that file would drop the locks that SQLite holds for the whole process.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from singletable.engine.storage.store_format import PAGE_BYTES
from singletable.engine.storage.write_turn import owned_lock, release_owned
from singletable.errors import StoreRefused

# A checkpoint costs three flushes. It writes each page once, even if the log contains it several times, so checkpoints
# should be rare. A long log costs disk space and, after a crash, the time to read it: a tenth of a second for these 64
# MB.
CHECKPOINT_FRAMES = 8000

# Flushing a file that has grown takes up to twice as long, because the file system must also record the new length and
# blocks. So with `sync="full"`, zeros are written after the end of the log in advance. SQLite ignores them.
EXTENSION_BYTES = 2 * 2**20

_POLL_SECONDS = 0.05
_HEADER_BYTES = 32
_SALTS_AT = 16
_FRAME_BYTES = 24 + PAGE_BYTES
_FRAME_SALTS_AT = 8
_SALTS_BYTES = 8


def log_path(database: Path) -> Path:
    """Return the path of the log of a database."""
    return database.with_name(f"{database.name}-wal")


class WriteAheadLog:
    """The log file of an open database."""

    def __init__(self, database: Path) -> None:
        self.path = log_path(database)
        self.descriptor = os.open(self.path, os.O_RDWR | getattr(os, "O_BINARY", 0))
        self._salts = b""
        self._due_at = CHECKPOINT_FRAMES
        self._extended_to = 0

    def is_checkpoint_due(self) -> bool:
        """Return whether a checkpoint is due. Only the writing thread may call this.

        SQLite reports the length of the log only to C programs, so this method reads the file. A frame belongs to the
        log if it contains the salts of the log's header, which change whenever SQLite restarts the log.
        """
        salts = self._read(_SALTS_AT)
        if salts != self._salts:
            self._salts = salts
            self._due_at = CHECKPOINT_FRAMES
        due_frame = _HEADER_BYTES + (self._due_at - 1) * _FRAME_BYTES
        return salts != b"" and self._read(due_frame + _FRAME_SALTS_AT) == salts

    def after_checkpoint(self, frames: int) -> None:
        """Record a checkpoint of a log with this many frames, even if readers prevented it from moving all of them."""
        self._due_at = frames + CHECKPOINT_FRAMES

    def has_outgrown_extension(self) -> bool:
        """Return whether SQLite has written up to the end of the file. Only the writing thread may call this."""
        end = os.fstat(self.descriptor).st_size
        if end == self._extended_to:
            return False
        os.lseek(self.descriptor, max(0, end - _FRAME_BYTES), os.SEEK_SET)
        if any(os.read(self.descriptor, _FRAME_BYTES)):
            return True
        self._extended_to = end  # another process has extended the file
        return False

    def extend(self) -> None:
        """Append zeros to the file. No other code may write to the log meanwhile."""
        end = os.lseek(self.descriptor, 0, os.SEEK_END)
        self._extended_to = end + os.write(self.descriptor, bytes(EXTENSION_BYTES))

    def sync(self) -> None:
        """Flush the log to disk, so that its content survives a power failure."""
        if sys.platform == "darwin":
            import fcntl

            fcntl.fcntl(self.descriptor, fcntl.F_FULLFSYNC)  # on macOS, fsync leaves the data in the cache of the disk
        elif hasattr(os, "fdatasync"):
            os.fdatasync(self.descriptor)
        else:
            os.fsync(self.descriptor)

    def is_deleted(self) -> bool:
        """Return whether the file was deleted while it was open."""
        return os.fstat(self.descriptor).st_nlink == 0

    def close(self) -> None:
        """Close the file before SQLite removes it."""
        os.close(self.descriptor)

    def _read(self, offset: int) -> bytes:
        os.lseek(self.descriptor, offset, os.SEEK_SET)
        return os.read(self.descriptor, _SALTS_BYTES)


class GroupFlush:
    """Flushes commits to disk. One flush runs at a time, and includes every commit made before it started."""

    def __init__(self, sync: Callable[[], None]) -> None:
        self._sync = sync
        self._flushing = owned_lock()
        # Locked while a flush runs. Each flush has its own gate, so that threads wait only for a flush that they need.
        self._gate = threading.Lock()
        self._committed = 0
        self._durable = 0
        self._failure: OSError | None = None

    def after_commit(self) -> None:
        """Count a commit. The caller is the only writer."""
        self._committed += 1

    def flush(self) -> None:
        """Return when every commit counted so far is on disk."""
        needed = self._committed
        try:
            # A running flush may have started before this commit. So wait for its end, and then check which commits it
            # flushed.
            while self._durable < needed:
                self._raise_failure()
                gate = self._gate
                if self._flushing.acquire(blocking=False):
                    self._lead()
                elif gate.acquire(timeout=_POLL_SECONDS):  # an interrupted flush leaves its gate locked
                    gate.release()
        except BaseException:
            try:  # a second interrupt can occur during the cleanup
                release_owned(self._flushing)
            finally:
                release_owned(self._flushing)
            raise

    def _lead(self) -> None:
        gate = threading.Lock()
        gate.acquire()
        self._gate = gate
        try:
            included = self._committed
            self._sync()
            self._durable = included
        except OSError as error:
            self._failure = error
        finally:
            release_owned(self._flushing)
            gate.release()
        self._raise_failure()

    def _raise_failure(self) -> None:
        # After a failed flush, the kernel may drop the unwritten pages and later report success. So a failure is final.
        if self._failure is not None:
            raise StoreRefused(
                f"could not flush the store to disk: {self._failure}.\n  Check the disk and open the store again; all "
                "writes confirmed before this error are on disk."
            ) from self._failure


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to disk, so that they survive a power failure."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
