"""Exact counts of items per partition in limited memory: a buffer that is added up in a temporary database."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

BUFFERED_PARTITIONS_MAX = 50_000


class PartitionUsage(NamedTuple):
    """How the items of one group are distributed over partitions."""

    partitions: int
    """The number of different partition key values."""
    total: int
    largest: int
    largest_partition: str
    over_limit: int = 0
    """The number of partitions above the limit of the group."""

    @property
    def largest_share(self) -> float:
        """The share of the largest partition in the total."""
        return self.largest / self.total if self.total else 0.0


class PartitionCounts:
    """Counts items or bytes by group and partition key.

    A million partitions in a dict take more than 100 MB. So the counts of a full buffer move to a temporary SQLite
    database, which SQLite stores in a file.
    """

    def __init__(self, buffered_max: int = BUFFERED_PARTITIONS_MAX) -> None:
        self._buffers: dict[int, Counter[str]] = defaultdict(Counter)
        self._buffered_max = buffered_max
        self._database = sqlite3.connect("")
        self._database.execute("CREATE TABLE counts (part INTEGER, partition TEXT, amount INTEGER)")
        self._database.execute("CREATE TABLE limits (part INTEGER PRIMARY KEY, most INTEGER)")

    def count(self, group: int, partitions: Iterable[str]) -> None:
        """Count one item for each partition key in `partitions`, which may contain duplicates."""
        self._buffers[group].update(partitions)
        self._flush_if_full()

    def add(self, group: int, partition: str, amount: int) -> None:
        """Add an amount to a partition of a group."""
        self._buffers[group][partition] += amount
        self._flush_if_full()

    def usage(self, limits: Mapping[int, int]) -> dict[int, PartitionUsage]:
        """Return the usage of each group. `limits` has the largest amount that a partition of a group should have."""
        self._flush()
        self._database.execute("DELETE FROM limits")
        self._database.executemany("INSERT INTO limits VALUES (?, ?)", limits.items())
        # With MAX, SQLite takes the other column, `partition`, from the row that has the maximum.
        rows = self._database.execute(
            "SELECT part, COUNT(*), SUM(amount), MAX(amount), partition, SUM(amount > most) FROM "
            "(SELECT part, partition, SUM(amount) AS amount FROM counts GROUP BY part, partition) "
            "LEFT JOIN limits USING (part) GROUP BY part"
        )
        return {
            part: PartitionUsage(partitions, total, largest, partition, over or 0)
            for part, partitions, total, largest, partition, over in rows
        }

    def close(self) -> None:
        """Delete the temporary database."""
        self._database.close()

    def _flush_if_full(self) -> None:
        if sum(map(len, self._buffers.values())) >= self._buffered_max:
            self._flush()

    def _flush(self) -> None:
        for part, amounts in self._buffers.items():
            rows = ((part, partition, amount) for partition, amount in amounts.items())
            self._database.executemany("INSERT INTO counts VALUES (?, ?, ?)", rows)
        self._buffers.clear()
