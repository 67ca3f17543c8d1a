"""A clock for expiry times, which ignores jumps of the system's clock."""

from __future__ import annotations

import time
from collections.abc import Callable

# Larger differences between two readings are jumps. Smaller differences are corrections by a time service.
_JUMP_SECONDS = 1.0


class SteadyClock:
    """The system's clock. It ignores a jump ahead until the jump has lasted `settle_seconds`."""

    def __init__(
        self,
        settle_seconds: float,
        wall: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settle_seconds = settle_seconds
        self._wall = wall
        self._monotonic = monotonic
        self._offset = wall() - monotonic()
        self._ahead_since: float | None = None

    def __call__(self) -> float:
        """Return the time in seconds since the epoch."""
        passed = self._monotonic()
        offset = self._wall() - passed
        if offset <= self._offset + _JUMP_SECONDS:
            self._ahead_since = None
            self._offset = offset
        elif self._ahead_since is None:
            self._ahead_since = passed
        elif passed - self._ahead_since >= self._settle_seconds:
            self._ahead_since = None
            self._offset = offset
        return self._offset + passed
