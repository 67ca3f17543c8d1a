"""Metrics: the requests and consumed capacity of each pattern, and the counters of the fast paths."""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass

from singletable.values.fast_path import FastPathCounts, fast_path_counts


@dataclass
class Usage:
    """The requests and capacity units of one pattern, or of one kind of write."""

    requests: int = 0
    read_units: float = 0.0
    write_units: float = 0.0


class Metrics:
    """Counts requests and capacity units since the table was opened or `reset` was called."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_name: dict[str, Usage] = defaultdict(Usage)

    def read(self, name: str, units: float) -> None:
        """Count a read request."""
        with self._lock:
            usage = self._by_name[name]
            usage.requests += 1
            usage.read_units += units

    def write(self, name: str, units: float) -> None:
        """Count a write request."""
        with self._lock:
            usage = self._by_name[name]
            usage.requests += 1
            usage.write_units += units

    @property
    def by_pattern(self) -> dict[str, Usage]:
        """The usage by name: of every pattern that was called, and of every other kind of read and write."""
        with self._lock:
            return {name: Usage(u.requests, u.read_units, u.write_units) for name, u in self._by_name.items()}

    @property
    def total(self) -> Usage:
        """The sum of all usage."""
        total = Usage()
        for usage in self.by_pattern.values():
            total.requests += usage.requests
            total.read_units += usage.read_units
            total.write_units += usage.write_units
        return total

    @property
    def fast_paths(self) -> dict[str, FastPathCounts]:
        """The hits and misses of every fast path of the library, by name.

        A fast path handles common input; after a miss, slower code returns the same result. The counters cover the
        whole process, and `reset` does not clear them.
        """
        return fast_path_counts()

    def reset(self) -> None:
        """Set the counts of requests and capacity units to zero."""
        with self._lock:
            self._by_name.clear()
