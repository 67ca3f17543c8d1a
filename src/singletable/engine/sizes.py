"""How many items and bytes a table and its indexes hold, counted again when that is cheap or long ago."""

from __future__ import annotations

import time
from typing import NamedTuple

from singletable.engine.storage.store import Store
from singletable.engine.table import OpenTable

# DynamoDB brings these figures up to date about every six hours. Here a small table is counted at every look, so that
# who writes an item and looks sees it; a larger one as long as counting takes no more than this share of the time.
SMALL_ENTRIES = 10_000
COUNTING_SHARE = 0.01


class _Counted(NamedTuple):
    table: OpenTable
    sizes: dict[str, tuple[int, int]]
    at: float
    took: float


class Sizes:
    """The counts of each table, remembered."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._counted: dict[str, _Counted] = {}

    def of(self, table: OpenTable) -> dict[str, tuple[int, int]]:
        """Items and bytes of the table, under "", and of each index, under its name."""
        counted = self._counted.get(table.name)
        if counted is None or counted.table is not table or self._is_due(counted):
            counted = self._count(table)
            self._counted[table.name] = counted
        return counted.sizes

    def _is_due(self, counted: _Counted) -> bool:
        if sum(entries for entries, _ in counted.sizes.values()) < SMALL_ENTRIES:
            return True
        return time.monotonic() - counted.at > counted.took / COUNTING_SHARE

    def _count(self, table: OpenTable) -> _Counted:
        started = time.monotonic()
        with self._store.snapshot() as connection:
            sizes = {"": table.tree.count(connection)}
            sizes.update({index.name: index.tree.count(connection) for index in table.indexes})
        now = time.monotonic()
        return _Counted(table, sizes, now, now - started)
