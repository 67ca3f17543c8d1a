"""The turn to write: one thread of this process at a time, and one process at a time.

An interrupt such as KeyboardInterrupt can end a write between any two instructions, even in the cleanup of a `with`
statement. So three rules apply. Each record of an owner is an atomic operation in C (the owner of an RLock, or an entry
of a dict). Every cleanup can run twice. And one function, `abandon` of the connection pool, cleans up everything that a
thread holds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol, cast

from singletable.engine.storage.process_locks import FairWriteLock, WriteWait, do_nothing
from singletable.engine.storage.sqlite_errors import WriterBusy, lock_timeout_error

_POLL_SECONDS = 0.05


class OwnedLock(Protocol):
    """A lock that records its owner thread, like `threading.RLock`."""

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Wait for the lock. Return whether it was acquired."""
        ...

    def release(self) -> None:
        """Release the lock once."""
        ...

    def _is_owned(self) -> bool: ...


def owned_lock() -> OwnedLock:
    """Return a new lock that records its owner."""
    return cast(OwnedLock, threading.RLock())


def is_owned(lock: OwnedLock) -> bool:
    """Return whether the current thread holds the lock."""
    return lock._is_owned()  # threading.Condition also calls this method of an RLock


def release_owned(lock: OwnedLock) -> None:
    """Release the lock completely if the current thread holds it."""
    while lock._is_owned():  # as above
        lock.release()


class WriteTurn:
    """The turn of the writer. `check_open` raises an error if the store is closed."""

    def __init__(self, name: str, file_lock: FairWriteLock, wait: WriteWait, check_open: Callable[[], None]) -> None:
        self._name = name
        self._file_lock = file_lock
        self._wait = wait
        self._check_open = check_open
        self._mutex = owned_lock()

    @property
    def is_mine(self) -> bool:
        """Whether the current thread has the turn."""
        return is_owned(self._mutex)

    def take(self) -> None:
        """Wait for the turn. Raise WriterBusy if this thread does not wait, or StoreRefused after a minute."""
        wait = self._wait
        try:
            self.take_in_process(self._check_open)
            self._check_open()
            if self._file_lock.acquire(wait, self._check_open):
                return
        except BaseException:
            self.end()
            raise
        self.end()
        raise WriterBusy(self._name) if wait.seconds == 0 or wait.is_over() else lock_timeout_error(self._name)

    def take_in_process(self, check: Callable[[], None] = do_nothing) -> None:
        """Wait until no other thread of this process writes. While waiting, call `check`, which may raise an error."""
        if not self._mutex.acquire(blocking=False):
            if self._wait.seconds == 0:
                raise WriterBusy(self._name)
            while not self._mutex.acquire(timeout=_POLL_SECONDS):
                check()
                if self._wait.is_over():
                    raise WriterBusy(self._name)

    def end(self) -> None:
        """Give the turn to the next writer. Do nothing if the turn does not belong to this thread."""
        if is_owned(self._mutex):
            self._file_lock.release()
            release_owned(self._mutex)

    def close_lock(self) -> None:
        """Release the file lock permanently, before its file descriptor is closed."""
        self._file_lock.close()

    def disown(self) -> None:
        """Remove the threads of the parent from the records, in a forked child."""
        self._mutex = owned_lock()
        self._file_lock.close()
