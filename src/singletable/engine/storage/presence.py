"""Presence: whether any process is at work on what only it can finish, as the lock of a file beside the store.

A backup that is being made, an export and an import end with the process that runs them. Who opens the store afterwards
has to tell what was interrupted from what another process still runs. The kernel ends a lock with its process, however
it ends; so the lock is held for as long as something runs, and whoever gets it alone knows that nothing does.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _share(descriptor: int) -> bool:
        # Windows has no shared lock here: the second to be at work is not seen, the first is.
        return _take_alone(descriptor)

    def _take_alone(descriptor: int) -> bool:
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _share(descriptor: int) -> bool:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        return True

    def _take_alone(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class Presence:
    """The presence of one store's users; `path` is that of the store, or None when it is in memory."""

    def __init__(self, path: Path | None) -> None:
        self._path = None if path is None else path.with_name(f"{path.name}-jobs")
        self._lock = threading.Lock()
        self._count = 0
        self._descriptor: int | None = None

    def enter(self) -> None:
        """Says that something begins here."""
        with self._lock:
            self._count += 1
            if self._count == 1 and self._path is not None:
                self._descriptor = _opened(self._path)
                _share(self._descriptor)

    def leave(self) -> None:
        """Says that it has ended."""
        with self._lock:
            self._count -= 1
            if self._count == 0 and self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None

    @contextmanager
    def alone(self) -> Generator[bool]:
        """Whether nobody is at work, here or elsewhere; if so, nobody begins before the block ends."""
        with self._lock:
            if self._count or self._path is None:
                yield not self._count
            else:
                descriptor = _opened(self._path)
                try:
                    yield _take_alone(descriptor)
                finally:
                    os.close(descriptor)


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
