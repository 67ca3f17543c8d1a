"""Recent results: which Query or Scan of the same thread or task returned the key of the item that a request reads."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from itertools import islice

RESULTS_MAX = 4
"""The number of results that are compared with the keys of later requests."""
REQUESTS_MAX = 200
"""After this number of later requests, a result is forgotten."""
ITEMS_MAX = 1_000
"""The number of items of a result that are compared."""

Origin = tuple[int, int]
"""A request and its shape, by their numbers."""
Parts = frozenset[int]
"""The hashes of a value and of its variable parts."""


class RecentResults:
    """The last results of Query and Scan in a thread or a task, as hashes of the values in their items."""

    def __init__(self) -> None:
        self._results: deque[tuple[int, Origin, list[Parts]]] = deque(maxlen=RESULTS_MAX)
        self._requests = 0

    def origin_of(self, wanted: Sequence[Parts]) -> Origin | None:
        """Return the latest result that has an item with a part of each of these values."""
        self._requests += 1
        while self._results and self._requests - self._results[0][0] > REQUESTS_MAX:
            self._results.popleft()
        if not self._results or not wanted:
            return None
        for _, origin, items in reversed(self._results):
            if any(all(not parts.isdisjoint(item) for parts in wanted) for item in items):
                return origin
        return None

    def add(self, origin: Origin, items: Iterable[Iterable[Parts]]) -> None:
        """Add a result: the parts of each value of each item."""
        joined = [frozenset[int]().union(*values) for values in islice(items, ITEMS_MAX)]
        if len(joined) > 1:  # one more request for one item is not a sequence
            self._results.append((self._requests, origin, joined))


_current: ContextVar[RecentResults | None] = ContextVar("recent_results", default=None)


def recent_results() -> RecentResults:
    """Return the recent results of the running thread or task. The tasks that it starts share them."""
    found = _current.get()
    if found is None:
        found = RecentResults()
        _current.set(found)
    return found
