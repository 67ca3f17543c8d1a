"""Recent results of a thread or task, to find the earlier read that returned the key of the item that is now read."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from itertools import islice

RESULTS_MAX = 4
"""The number of results that are compared with the keys of later requests."""
OTHER_REQUESTS_MAX = 1
"""The number of other requests in a row after which a result is still compared with the next request.

The requests of a loop over its items follow each other.
"""
ITEMS_MAX = 1_000
"""The maximum number of items of one result that are compared."""

Origin = tuple[int, int]
"""A request and its shape, by their numbers."""
Parts = frozenset[int]
"""The hashes of a value and of its variable parts."""


class _Result:
    """A result: the items that no later request has read yet, and the number of the last request that read an item."""

    def __init__(self, origin: Origin, items: list[Parts], request: int) -> None:
        self.origin = origin
        self.items = items
        self.last_request = request

    def reads_item(self, wanted: Sequence[Parts], request: int) -> bool:
        """Return whether one item of the result has a part of each wanted value. Several requests can read one item."""
        for position, item in enumerate(self.items):
            if all(not parts.isdisjoint(item) for parts in wanted):
                del self.items[:position]  # a loop does not return to the items before
                self.last_request = request
                return True
        return False


class RecentResults:
    """The last results of reads in a thread or a task, as hashes of the values in their items."""

    def __init__(self) -> None:
        self._results: deque[_Result] = deque(maxlen=RESULTS_MAX)
        self._requests = 0

    def origin_of(self, wanted: Sequence[Parts]) -> Origin | None:
        """Return the latest result that has an item with a part of each of these values."""
        self._requests += 1
        if not self._results or not wanted:
            return None
        for result in reversed(self._results):
            is_recent = self._requests - result.last_request <= OTHER_REQUESTS_MAX + 1
            if is_recent and result.reads_item(wanted, self._requests):
                self._results.remove(result)
                self._results.append(result)
                return result.origin
        return None

    def add(self, origin: Origin, items: Iterable[Iterable[Parts]]) -> None:
        """Add a result. `items` has, for each item, the hashed parts of each of its values."""
        joined = [frozenset[int]().union(*values) for values in islice(items, ITEMS_MAX)]
        if joined:
            self._results.append(_Result(origin, joined, self._requests))


_current: ContextVar[tuple[str, RecentResults] | None] = ContextVar("recent_results", default=None)


def recent_results(run: str) -> RecentResults:
    """Return the recent results of a recording in the running thread or task. The tasks that it starts share them."""
    found = _current.get()
    if found is None or found[0] != run:
        found = (run, RecentResults())
        _current.set(found)
    return found[1]
