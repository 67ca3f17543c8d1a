"""The keys with the largest sums, out of any number of them, in a fixed amount of memory (space-saving algorithm)."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import NamedTuple

from singletable.engine.table import Item


class Contributor(NamedTuple):
    """A key and its sum, which is too large by at most `excess`, and never too small."""

    key: Item
    amount: float
    excess: float = 0.0


class _Counter:
    __slots__ = ("amount", "excess", "label")

    def __init__(self, label: Item, amount: float, excess: float) -> None:
        self.label = label
        self.amount = amount
        self.excess = excess


class TopKeys:
    """Sums by key, for at most `size` keys: a new one takes the place, and the sum, of the smallest.

    Whatever has more than one part in `size` of everything is among them for certain.
    """

    def __init__(self, size: int = 1000) -> None:
        self._size = size
        self._counters: dict[bytes, _Counter] = {}
        # The smallest is found here. Sums only grow, so an entry that is out of date is too small, and is put right
        # when it comes to the top.
        self._smallest: list[tuple[float, bytes]] = []

    def add(self, key: bytes, amount: float, label: Callable[[], Item]) -> None:
        """Adds to the sum of a key; `label` is asked for what to call it when it is new here."""
        counter = self._counters.get(key)
        if counter is not None:
            counter.amount += amount
            return
        excess = self._make_room() if len(self._counters) == self._size else 0.0
        self._counters[key] = _Counter(label(), excess + amount, excess)
        heapq.heappush(self._smallest, (excess + amount, key))

    def _make_room(self) -> float:
        """Gives up the key with the smallest sum; returns that sum."""
        while True:
            amount, key = self._smallest[0]
            now = self._counters[key].amount
            if now == amount:
                heapq.heappop(self._smallest)
                del self._counters[key]
                return amount
            heapq.heapreplace(self._smallest, (now, key))

    def largest(self, count: int) -> list[Contributor]:
        """The keys with the largest sums, the largest first."""
        found = heapq.nlargest(count, self._counters.values(), key=lambda counter: counter.amount)
        return [Contributor(counter.label, counter.amount, counter.excess) for counter in found]
