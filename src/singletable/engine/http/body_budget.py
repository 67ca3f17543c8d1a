"""A limit for the memory of large request bodies, over all connections of a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from singletable.engine.http.freed_memory import return_freed_memory

BODY_BYTES_MAX = 256 * 1024 * 1024
# Returning memory takes milliseconds, so the budget returns it only after many large bodies at the same time.
_RETURNED_BYTES_MIN = 64 * 1024 * 1024


class BodyHolder(Protocol):
    """A connection that holds a large body."""

    def drop_body(self) -> None:
        """Release the body, and reject its request."""
        ...


class BodyBudget:
    """Counts the bytes of large bodies that have not arrived completely, or that wait for earlier responses.

    If the bodies exceed the limit, the budget drops the body that has been incomplete for the longest time. The body of
    a complete request is released within milliseconds, but half a body stays in memory until the client's timeout.
    """

    def __init__(
        self, bytes_max: int = BODY_BYTES_MAX, return_memory: Callable[[], None] = return_freed_memory
    ) -> None:
        self._bytes_max = bytes_max
        self._return_memory = return_memory
        self._held: dict[BodyHolder, int] = {}
        self._peak_bytes = 0
        self.total_bytes = 0

    def set_held(self, holder: BodyHolder, held_bytes: int) -> None:
        """Record how many bytes a connection holds now. 0 removes the connection."""
        self.total_bytes += held_bytes - self._held.get(holder, 0)
        if held_bytes:
            self._held[holder] = held_bytes
        else:
            self._held.pop(holder, None)
        while self.total_bytes > self._bytes_max:
            oldest = next(iter(self._held))
            self.total_bytes -= self._held.pop(oldest)
            oldest.drop_body()
        self._peak_bytes = max(self._peak_bytes, self.total_bytes)
        if self._peak_bytes - self.total_bytes >= _RETURNED_BYTES_MIN:
            self._peak_bytes = self.total_bytes
            self._return_memory()
