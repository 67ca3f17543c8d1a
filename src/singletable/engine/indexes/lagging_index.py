"""Simulated replication lag of global indexes, which makes read-after-write bugs visible in local tests."""

from __future__ import annotations

import heapq
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator
from operator import itemgetter

from singletable.engine.storage.item_tree import Row, Tree, joined_items
from singletable.engine.storage.row_checksum import JoinedRows

_key_of = itemgetter(0)


class LaggingTree(Tree):
    """A tree whose range reads return the state of `seconds` ago. It stores the writes of this process for this time.

    The stored entries are always up to date. Each write stores an item and its entries together, and other processes
    see the entries at once.
    """

    __slots__ = ("_changed_at", "_lock", "_now", "_past", "_seconds")
    joins = False

    def __init__(self, name: str, label: str, seconds: float, now: Callable[[], float]) -> None:
        super().__init__(name, label)
        self._seconds = seconds
        self._now = now
        self._lock = threading.Lock()
        # The changes of each key, oldest first. Each has the time of the change, and the row before the change.
        self._past: dict[bytes, deque[tuple[float, Row | None]]] = {}
        self._changed_at: deque[tuple[float, bytes]] = deque()

    def put(self, connection: sqlite3.Connection, key: bytes, item: bytes, size: int) -> None:
        """Store an item under a key. Readers see the item after the lag."""
        self._remember(connection, key)
        super().put(connection, key, item, size)

    def delete(self, connection: sqlite3.Connection, key: bytes) -> None:
        """Delete the item stored under a key. Readers still see the item until the lag has passed."""
        self._remember(connection, key)
        super().delete(connection, key)

    def items(
        self, connection: sqlite3.Connection, low: bytes, high: bytes, descending: bool = False
    ) -> Iterator[tuple[bytes, int]]:
        """Return the items in a key range, with their sizes, as they were `seconds` ago."""
        rows = self.range(connection, low, high, descending)  # the snapshot of the store starts here
        past = self._as_it_was()
        if not past:
            return ((item, size) for _, item, size in rows)
        unchanged = (row for row in rows if row[0] not in past)
        restored = [row for key, row in past.items() if row is not None and low <= key < high]
        restored.sort(key=_key_of, reverse=descending)
        merged = heapq.merge(unchanged, restored, key=_key_of, reverse=descending)
        return ((item, size) for _, item, size in merged)

    def page(
        self, connection: sqlite3.Connection, low: bytes, high: bytes, descending: bool, count_max: int, bytes_max: int
    ) -> JoinedRows:
        """Return the joined items of a key range, as they were `seconds` ago, up to a number of items or bytes."""
        return joined_items(self.items(connection, low, high, descending), count_max, bytes_max)

    def _remember(self, connection: sqlite3.Connection, key: bytes) -> None:
        # If the transaction is rolled back, the key has this row again, so the recorded row is still correct.
        had = self.get(connection, key)
        now = self._now()
        with self._lock:
            self._forget(now)
            self._past.setdefault(key, deque()).append((now, None if had is None else (key, *had)))
            self._changed_at.append((now, key))

    def _as_it_was(self) -> dict[bytes, Row | None]:
        with self._lock:
            self._forget(self._now())
            return {key: changes[0][1] for key, changes in self._past.items()}

    def _forget(self, now: float) -> None:
        while self._changed_at and self._changed_at[0][0] <= now - self._seconds:
            _, key = self._changed_at.popleft()
            changes = self._past[key]
            changes.popleft()
            if not changes:
                del self._past[key]
