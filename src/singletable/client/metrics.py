"""What a table's calls consumed, by pattern."""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass


@dataclass
class Usage:
    """Requests and units of one pattern, or of one kind of write."""

    requests: int = 0
    read_units: float = 0.0
    write_units: float = 0.0


class Metrics:
    """Counts since the table was opened, or since `reset`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_name: dict[str, Usage] = defaultdict(Usage)

    def read(self, name: str, units: float) -> None:
        """Notes a request that reads."""
        with self._lock:
            usage = self._by_name[name]
            usage.requests += 1
            usage.read_units += units

    def write(self, name: str, units: float) -> None:
        """Notes a request that writes."""
        with self._lock:
            usage = self._by_name[name]
            usage.requests += 1
            usage.write_units += units

    @property
    def by_pattern(self) -> dict[str, Usage]:
        """The counts of every pattern that was called, and of the writes by their names."""
        with self._lock:
            return {name: Usage(u.requests, u.read_units, u.write_units) for name, u in self._by_name.items()}

    @property
    def total(self) -> Usage:
        """All of it together."""
        total = Usage()
        for usage in self.by_pattern.values():
            total.requests += usage.requests
            total.read_units += usage.read_units
            total.write_units += usage.write_units
        return total

    def reset(self) -> None:
        """Begins anew."""
        with self._lock:
            self._by_name.clear()
