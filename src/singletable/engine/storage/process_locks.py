"""File locks between processes: the fair write lock, and the lock that shows whether background jobs are running.

SQLite's own lock allows only one writer at a time. But while another process holds this lock, a writer sleeps and
retries at growing intervals. So one process that writes all the time makes others wait for seconds. The kernel's queue
for a lock on the log file is fair and wakes the next writer at once. The write lock is advisory. Programs that do not
acquire it are still blocked by SQLite's lock.

Backups in progress, exports and imports end with the process that runs them. A process that opens the store afterwards
must distinguish an interrupted job from a job that another process still runs. So a process holds the jobs lock while
it runs a job, and the kernel releases the lock when the process ends for any reason. If a process can take the jobs
lock exclusively, no job is running.
"""

from __future__ import annotations

import _thread
import errno
import os
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic

# The maximum time that a writer waits for writers in other processes before it raises an error.
BUSY_SECONDS = 60.0
# The byte UNIX_SHM_DMS in SQLite's os_unix.c.
_LOG_INDEX_IN_USE_BYTE = 128
# The interval at which a waiting writer checks whether its wait was cancelled.
_POLL_SECONDS = 0.05

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, *, waits: bool) -> bool:
        return True  # on Windows, writers wait only for SQLite's own lock

    def _unlock(descriptor: int) -> None:
        pass

    def _lock_byte(descriptor: int, byte: int) -> bool:
        return False

    def _lock_shared(descriptor: int) -> bool:
        # Windows has no shared file lock. If several processes run jobs, only the first one holds the lock.
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

    def _lock_byte(descriptor: int, byte: int) -> bool:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except OSError:
            return False
        return True

    def _lock_shared(descriptor: int) -> bool:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        return True

    def _lock_exclusive(descriptor: int) -> bool:
        return _lock(descriptor, waits=False)


def is_open_elsewhere(database: Path) -> bool:
    """Return whether another process has this SQLite database open. No connection of this process may have it open.

    SQLite holds a shared lock on one byte of the log's index as long as a process uses the log. On Windows, and for a
    file that this process may not write, return True.
    """
    try:
        descriptor = os.open(database.with_name(f"{database.name}-shm"), os.O_RDWR)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        return not _lock_byte(descriptor, _LOG_INDEX_IN_USE_BYTE)
    finally:
        os.close(descriptor)


class WriteWait(threading.local):
    """How long the current thread waits for its turn to write. A thread that must not wait sets `seconds` to 0."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Restore the usual maximum time."""
        self.seconds = BUSY_SECONDS
        self.is_over: Callable[[], bool] = never
        """Whether the caller has given up, so that the wait ends early."""
        self.begin: Callable[[], bool] = always
        """Return whether the write may begin after its wait. Once it has begun, the caller cannot give up."""

    @property
    def seconds(self) -> float:
        """The maximum time of a wait."""
        return self._seconds

    @seconds.setter
    def seconds(self, seconds: float) -> None:
        self._seconds = self.busy_seconds = seconds

    def allow_end(self, is_over: Callable[[], bool], begin: Callable[[], bool]) -> None:
        """Let the caller give up while this thread waits."""
        self.is_over, self.begin = is_over, begin
        self.busy_seconds = _POLL_SECONDS
        """The maximum time that SQLite waits at once, because it cannot be stopped while it waits."""


def always() -> bool:
    """Return True: a caller that never gives up always begins its write."""
    return True


def never() -> bool:
    """Return False: a caller that never gives up never ends its wait early."""
    return False


def do_nothing() -> None:
    """Do nothing: the default check of a wait, which never raises an error."""


class FairWriteLock:
    """The write lock between processes, granted in the order of requests. In a process, one thread at a time has it."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor: int | None = descriptor
        self._place: _Place | None = None

    def acquire(self, wait: WriteWait, check: Callable[[], None] = do_nothing) -> bool:
        """Wait at most as long as `wait` allows. Return whether the lock was acquired.

        While it waits, it calls `check` repeatedly. `check` may raise an error.
        """
        if self._descriptor is None:
            return False
        return _lock(self._descriptor, waits=False) or (wait.seconds > 0 and self._acquire_in_queue(wait, check))

    def release(self) -> None:
        """Release the lock, and leave the queue for it. You can call it twice."""
        if self._descriptor is not None:
            _unlock(self._descriptor)
        if self._place is not None:
            self._place.leave()

    def close(self) -> None:
        """Stop using the file descriptor. The caller closes it, which releases the lock, except in a forked child."""
        self._descriptor = None
        if self._place is not None:
            self._place.close()

    def _acquire_in_queue(self, wait: WriteWait, check: Callable[[], None]) -> bool:
        deadline = monotonic() + wait.seconds
        place = self._join_queue()
        while (seconds := deadline - monotonic()) > 0 and not wait.is_over():
            if place.is_closed:  # an earlier wait ended before the lock arrived, so the place released it
                place = self._join_queue()
            if place.wait(min(seconds, _POLL_SECONDS)):
                return True
            check()
        self.release()
        return False

    def _join_queue(self) -> _Place:
        place = self._place
        if place is None or not place.is_queued:
            assert self._descriptor is not None
            place = self._place = _Place(self._path, self._descriptor)
            place.start()
        place.join()
        return place


class _Place:
    """A place in the kernel's queue for the lock. A thread waits there, because the kernel offers no timeout.

    The place has its own file descriptor. If the lock arrives after the waiting thread has left, the place closes the
    descriptor, which releases the lock. Each step is one atomic operation on a list, so an interrupt cannot leave it
    half done.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self._descriptors = [os.open(path, os.O_RDWR)]
        self._waiters: list[object] = []
        self._handed_over = threading.Lock()
        self._handed_over.acquire()
        self._is_granted = self._is_started = False
        if not os.path.samestat(os.fstat(self._descriptors[0]), os.fstat(descriptor)):
            self.close()
            raise FileNotFoundError(errno.ENOENT, "the log was deleted or moved while the store was open", str(path))

    @property
    def is_queued(self) -> bool:
        """Whether the thread is still waiting for the lock."""
        return self._is_started and not self._is_granted

    def start(self) -> None:
        """Start the thread."""
        _thread.start_new_thread(self._run, ())
        self._is_started = True

    @property
    def is_closed(self) -> bool:
        """Whether the lock was released, or arrived when no thread waited for it."""
        return not self._descriptors

    def join(self) -> None:
        """Start to wait at this place."""
        if not self._waiters:
            self._waiters.append(self)

    def wait(self, seconds: float) -> bool:
        """Return whether the lock was handed over in this time. If not, the place stays in the queue."""
        return self._handed_over.acquire(timeout=seconds)

    def leave(self) -> None:
        """Give up the lock or the wait. You can call it twice."""
        try:
            self._waiters.pop()
        except IndexError:  # the lock was handed over, or no thread waits
            if self._is_granted:
                self.close()

    def close(self) -> None:
        """Close the file descriptor once, which releases the lock."""
        with suppress(IndexError):
            os.close(self._descriptors.pop())

    def _run(self) -> None:
        with suppress(OSError, IndexError):
            _lock(self._descriptors[0], waits=True)
        self._is_granted = True
        try:
            self._waiters.pop()
        except IndexError:
            self.close()
        else:
            self._handed_over.release()


class RunningJobsLock:
    """Shows other processes that a job runs. `path` is the path of the store, or None for an in-memory store."""

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
        """Yield True if no process runs a job. In that case, no job starts before the block ends."""
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
