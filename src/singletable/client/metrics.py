"""Metrics: the requests, errors and consumed capacity of each pattern, and the counters of the fast paths."""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import fields

from singletable.errors import RequestRefused, Throttled, Unreachable
from singletable.lazy_dataclass import dataclass, replace
from singletable.values.fast_path import FastPathCounts, fast_path_counts


@dataclass
class Usage:
    """The requests and capacity units of one pattern, or of one kind of read or write.

    Every attempt counts: a request that DynamoDB throttled twice before it succeeded adds 1 to `requests`, and 2 to
    each of `rejected`, `throttled` and `retries`.
    """

    requests: int = 0
    """The successful requests."""
    read_units: float = 0.0
    write_units: float = 0.0
    rejected: int = 0
    """The requests to which DynamoDB responded with an error, such as a failed condition."""
    throttled: int = 0
    """The rejected requests that exceeded the throughput of a table, an index or the account.

    They also count as rejected.
    """
    failed: int = 0
    """The requests without a valid response, such as timeouts."""
    retries: int = 0
    """The attempts that repeat a rejected or failed request."""


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

    def problem(self, name: str, problem: RequestRefused | Unreachable, *, is_retried: bool) -> None:
        """Count a request that DynamoDB rejected or that got no response."""
        with self._lock:
            usage = self._by_name[name]
            if isinstance(problem, RequestRefused):
                usage.rejected += 1
                usage.throttled += isinstance(problem, Throttled)
            else:
                usage.failed += 1
            usage.retries += is_retried

    def __repr__(self) -> str:
        return f"<metrics of all requests: {self.total}>"

    @property
    def by_pattern(self) -> dict[str, Usage]:
        """The usage by name: one entry for each called pattern, and one for each other kind of read and write."""
        with self._lock:
            return {name: replace(usage) for name, usage in self._by_name.items()}

    @property
    def total(self) -> Usage:
        """The sum of all usage."""
        total = Usage()
        for usage in self.by_pattern.values():
            for each in fields(Usage):
                setattr(total, each.name, getattr(total, each.name) + getattr(usage, each.name))
        return total

    @property
    def fast_paths(self) -> dict[str, FastPathCounts]:
        """The hits and misses of every fast path of the library, by name.

        A fast path handles common input; after a miss, slower code returns the same result. The counters cover the
        whole process, and `reset` does not clear them.
        """
        return fast_path_counts()

    def reset(self) -> None:
        """Set the counts of requests, errors and capacity units to zero."""
        with self._lock:
            self._by_name.clear()
