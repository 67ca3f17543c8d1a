"""Turns to write between processes, given in the order in which they are asked for.

SQLite's own lock keeps writers apart. But who finds it taken sleeps and looks again, longer each time, so that others
wait for seconds while one process writes all the time. The kernel's queue for a lock on the log is fair, and its waits
end at once. That lock is a courtesy: SQLite keeps out whoever does not ask for it, such as another program.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress

if sys.platform == "win32":  # where writers wait as SQLite has them wait

    def _take(descriptor: int, *, waits: bool) -> bool:
        return True

    def _end(descriptor: int) -> None:
        pass

else:
    import fcntl

    def _take(descriptor: int, *, waits: bool) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _end(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


class WriteTurn:
    """The turns of one process; one thread at a time asks."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def take(self, seconds: float) -> bool:
        """Waits for a turn, so long at most; whether it came."""
        return _take(self._descriptor, waits=False) or _Wait(self._descriptor).has_come(seconds)

    def end(self) -> None:
        """Ends the turn."""
        _end(self._descriptor)


class _Wait:
    """A place in the queue. The kernel knows no end of waiting, so it is a thread that waits."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self._is_over = False
        self._has_come = False
        self._thread = threading.Thread(target=self._wait, name="turn to write", daemon=True)
        self._thread.start()

    def has_come(self, seconds: float) -> bool:
        self._thread.join(seconds)
        with self._lock:
            self._is_over = True
            return self._has_come

    def _wait(self) -> None:
        # A turn can come so late that the store is closed, and with it the log.
        with suppress(OSError):
            _take(self._descriptor, waits=True)
            with self._lock:
                self._has_come = True
                if self._is_over:
                    _end(self._descriptor)
