"""Token buckets: so many units a second, and what was not used of them for a while."""

from __future__ import annotations


class TokenBucket:
    """Lets a request through while anything is left, and takes what it turned out to cost.

    What a read costs is known only when it is done, so a bucket can be overdrawn by its last request; the next ones
    wait until that is paid back. The time is always an argument.
    """

    __slots__ = ("_at", "_burst_seconds", "_level", "_rate")

    def __init__(self, rate: float, burst_seconds: float, now: float, *, saved_seconds: float = 1.0) -> None:
        self._rate = rate
        self._burst_seconds = burst_seconds
        self._level = rate * min(burst_seconds, saved_seconds)
        self._at = now

    def has_some(self, now: float) -> bool:
        """Whether another request is let through."""
        self._fill(now)
        return self._level > 0.0

    def take(self, units: float, now: float) -> None:
        """Takes units out, more than there are if need be."""
        self._fill(now)
        self._level -= units

    def is_full(self, now: float) -> bool:
        """Whether nothing would be lost by forgetting the bucket."""
        self._fill(now)
        return self._level >= self._rate * self._burst_seconds

    def set_rate(self, rate: float, now: float) -> None:
        """Goes on with other units a second; what is saved stays, as far as it would have been saved."""
        self._fill(now)
        self._rate = rate
        self._level = min(self._level, rate * self._burst_seconds)

    def _fill(self, now: float) -> None:
        if now > self._at:  # a clock that was put back is waited for
            self._level = min(self._rate * self._burst_seconds, self._level + (now - self._at) * self._rate)
            self._at = now
