"""Flushes shared by concurrent writers: one runs at a time, and serves everybody who wrote before it began."""

from __future__ import annotations

import threading
from collections.abc import Callable

from singletable.errors import StoreRefused


class GroupFlush:
    """Counts commits, and brings them onto the disk for as many callers as there are with one flush."""

    def __init__(self, sync: Callable[[], None]) -> None:
        self._sync = sync
        self._changed = threading.Condition()
        self._is_running = False
        self._committed = 0
        self._durable = 0
        self._failure: OSError | None = None

    def committed(self) -> None:
        """Notes a commit; the caller is the only writer."""
        self._committed += 1

    def flush(self) -> None:
        """Returns when every commit noted so far is on the disk."""
        wanted = self._committed
        if self._durable >= wanted:
            return
        with self._changed:
            # A flush that runs already may have begun before our commit; whether it serves us is seen when it ends.
            while self._is_running and self._durable < wanted:
                self._changed.wait()
            self._refuse_after_failure()
            if self._durable >= wanted:
                return
            self._is_running = True
            serves = self._committed
        self._lead(serves)

    def _lead(self, serves: int) -> None:
        try:
            self._sync()
            self._durable = serves
        except OSError as error:
            self._failure = error
        finally:
            with self._changed:
                self._is_running = False
                self._changed.notify_all()
        self._refuse_after_failure()

    def _refuse_after_failure(self) -> None:
        # A kernel drops the pages that it failed to write, and reports success the next time: no later flush counts.
        if self._failure is not None:
            raise StoreRefused(
                f"the store could not be brought onto the disk: {self._failure}.\n"
                "  Look at the disk, and open the store again; what was answered before is there."
            ) from self._failure
