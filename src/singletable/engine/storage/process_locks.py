"""File locks between processes: the fair write lock, and the lock that shows whether background jobs are running.

SQLite's own lock keeps writers apart. But a writer that finds this lock taken sleeps and retries at growing intervals,
so one process that writes all the time makes others wait for seconds. The kernel's queue for a lock on the log file is
fair and wakes the next writer at once. The write lock is advisory: SQLite still blocks programs that do not acquire it.

Backups in progress, exports and imports end with the process that runs them. A process that opens the store afterwards
must distinguish an interrupted job from a job that another process still runs. So a process holds the jobs lock while
it runs a job, and the kernel releases the lock when the process ends for any reason. A process that gets the jobs lock
exclusively knows that no job runs.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, *, waits: bool) -> bool:
        return True  # on Windows, writers wait only for SQLite's own lock

    def _unlock(descriptor: int) -> None:
        pass

    def _lock_shared(descriptor: int) -> bool:
        # Windows has no shared lock here. If several processes run jobs, only the first one holds the lock.
        return _lock_exclusive(descriptor)

    def _lock_exclusive(descriptor: int) -> bool:
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(descriptor: int, *, waits: bool) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)

    def _lock_shared(descriptor: int) -> bool:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        return True

    def _lock_exclusive(descriptor: int) -> bool:
        return _lock(descriptor, waits=False)


class FairWriteLock:
    """The write lock between processes, granted in the order of requests; one thread of a process uses it at a time."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def acquire(self, seconds: float) -> bool:
        """Wait at most this long for the lock; return whether it was acquired."""
        return _lock(self._descriptor, waits=False) or _LockWait(self._descriptor).wait(seconds)

    def release(self) -> None:
        """Release the lock."""
        _unlock(self._descriptor)


class _LockWait:
    """A place in the queue for the lock. The kernel offers no timeout, so a thread waits."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._mutex = threading.Lock()
        self._is_over = False
        self._is_acquired = False
        self._thread = threading.Thread(target=self._acquire, name="write lock wait", daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        self._thread.join(seconds)
        with self._mutex:
            self._is_over = True
            return self._is_acquired

    def _acquire(self) -> None:
        # The lock can arrive so late that the store, and with it the log file, is already closed.
        with suppress(OSError):
            _lock(self._descriptor, waits=True)
            with self._mutex:
                self._is_acquired = True
                if self._is_over:
                    _unlock(self._descriptor)


class RunningJobsLock:
    """Shows other processes that a job runs; `path` is the path of the store, or None for an in-memory store."""

    def __init__(self, path: Path | None) -> None:
        self._path = None if path is None else path.with_name(f"{path.name}-jobs")
        self._mutex = threading.Lock()
        self._count = 0
        self._descriptor: int | None = None

    def enter(self) -> None:
        """Record that a job starts in this process."""
        with self._mutex:
            self._count += 1
            if self._count == 1 and self._path is not None:
                self._descriptor = _open(self._path)
                _lock_shared(self._descriptor)

    def leave(self) -> None:
        """Record that a job of this process has ended."""
        with self._mutex:
            self._count -= 1
            if self._count == 0 and self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None

    @contextmanager
    def exclusive(self) -> Generator[bool]:
        """Yield True if no process runs a job; then no job starts before the block ends."""
        with self._mutex:
            if self._count or self._path is None:
                yield not self._count
            else:
                descriptor = _open(self._path)
                try:
                    yield _lock_exclusive(descriptor)
                finally:
                    os.close(descriptor)


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
