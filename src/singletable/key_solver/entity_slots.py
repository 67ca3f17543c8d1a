"""The best keys of one entity for a given number of indexes: the assignment of each read to the table or an index."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from singletable.key_solver.common_keys import ColumnKey, index_keys, table_keys
from singletable.key_solver.partition_load import monthly_dollars, shards_needed
from singletable.key_solver.workload import EntityNeeds, Read

TABLE_SLOT = 0
NOT_SERVED = -1


class Rank(NamedTuple):
    """The rank of a choice of keys. A smaller rank is better, and earlier parts decide first.

    The number of indexes comes after the fan-outs. It is a property of the table, not of one entity.
    """

    not_served: int
    """The number of reads without a key, and of writes with parameters that the table key does not contain."""
    fan_outs: int
    """The number of reads that are one Query per shard."""
    reads_of_few_values: int
    """The number of reads from partitions with only a few values, such as one partition with all items."""
    dollars: float
    """The monthly cost of the index entries, with an assumed rate for writes that declare none."""
    reads_off_table: int
    """The number of reads of one item by its identity that an index serves."""
    key_bytes: int
    partition_columns: int
    text: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


@dataclass(frozen=True)
class EntityKeys:
    """The keys of an entity by slot (0 is the table), the slot of each distinct read, and the rank of the choice."""

    entity: str
    keys: Mapping[int, ColumnKey]
    slots: tuple[tuple[Read, int], ...]
    rank: Rank

    def reads_in(self, slot: int) -> tuple[Read, ...]:
        """Return the distinct reads that a slot serves."""
        return tuple(read for read, place in self.slots if place == slot)


class EntitySearch:
    """All assignments of an entity's distinct reads to slots, searched exhaustively with memoized keys."""

    def __init__(self, entity: EntityNeeds) -> None:
        self.entity = entity
        self.visited = 0
        self._best_key: dict[tuple[bool, frozenset[int]], tuple[tuple[float, ...], ColumnKey] | None] = {}

    @cached_property
    def reads(self) -> tuple[Read, ...]:
        """The distinct reads, in an order that does not depend on the declarations."""
        ordered = sorted(self.entity.reads, key=lambda each: (each.shape, each.name), reverse=True)
        distinct = {each.shape: each for each in ordered}  # the first name represents all reads of the same shape
        return tuple(distinct[shape] for shape in sorted(distinct))

    def names_of(self, read: Read) -> list[str]:
        """Return the names of all reads with this shape."""
        return sorted(each.name for each in self.entity.reads if each.shape == read.shape)

    def can_use_table(self, reads: frozenset[int]) -> bool:
        """Return whether one table key serves all these reads."""
        return self._key(True, reads) is not None

    def can_share_index(self, reads: frozenset[int]) -> bool:
        """Return whether one index key serves all these reads."""
        return self._key(False, reads) is not None

    def needs_shards(self, number: int) -> bool:
        """Return whether every key that serves a read alone needs shards."""
        group = frozenset({number})
        found = [self._key(is_table, group) for is_table in (True, False)]
        return any(found) and all(each[0][1] > 0 for each in found if each is not None)

    def index_key(self, reads: frozenset[int]) -> ColumnKey:
        """Return the best index key that serves these reads."""
        found = self._key(False, reads)
        assert found is not None, "the caller has checked that the reads can share an index"
        return found[1]

    def index_rank(self, groups: Sequence[frozenset[int]]) -> tuple[float, ...]:
        """Return the sums of the ranks of the index keys of several groups of reads."""
        found = [self._key(False, group) for group in groups]
        return tuple(math.fsum(column) for column in zip(*(each[0] for each in found if each is not None), strict=True))

    def best(self, indexes: int, pinned: Mapping[str, int]) -> EntityKeys | None:
        """Return the best assignment with at most this many indexes. Return None if no table key is possible.

        `pinned` contains the slot of each collection that reads the entity.
        """
        found: EntityKeys | None = None
        for slots in self._assignments(indexes, pinned):
            rank = self._rank(slots)
            if rank is not None and (found is None or rank < found.rank):
                groups = _groups(slots)
                keys = {slot: self._chosen(slot, group) for slot, group in sorted(groups.items())}
                found = EntityKeys(self.entity.name, keys, tuple(zip(self.reads, slots, strict=True)), rank)
        return found

    def _assignments(self, indexes: int, pinned: Mapping[str, int]) -> Iterator[tuple[int, ...]]:
        """Yield assignments in which every group has a key. If several indexes are unused, try only one of them."""
        reserved = {slot for slot in pinned.values() if slot > 0}
        fewest = len(self.reads) + 1

        def extend(number: int, slots: tuple[int, ...], not_served: int) -> Iterator[tuple[int, ...]]:
            nonlocal fewest
            self.visited += 1
            if not_served > fewest:
                return
            if number == len(self.reads):
                fewest = min(fewest, not_served)
                yield slots
                return
            for slot in self._slots_of(number, slots, indexes, pinned, reserved):
                group = frozenset(n for n, each in enumerate(slots) if each == slot) | {number}
                if slot == NOT_SERVED or self._key(slot == TABLE_SLOT, group) is not None:
                    yield from extend(number + 1, (*slots, slot), not_served + (slot == NOT_SERVED))

        yield from extend(0, (), 0)

    def _slots_of(
        self, number: int, slots: tuple[int, ...], indexes: int, pinned: Mapping[str, int], reserved: set[int]
    ) -> Iterator[int]:
        collection = self.reads[number].collection
        if collection is not None:
            yield pinned[collection]
            return
        yield TABLE_SLOT
        used = set(slots) | reserved
        fresh = next((slot for slot in range(1, indexes + 1) if slot not in used), None)
        yield from sorted(slot for slot in used if slot > 0)
        if fresh is not None:
            yield fresh
        yield NOT_SERVED

    def _rank(self, slots: tuple[int, ...]) -> Rank | None:
        groups = _groups(slots)
        chosen = [self._key(slot == TABLE_SLOT, group) for slot, group in sorted(groups.items())]
        if any(each is None for each in chosen):
            return None
        ranks = [each[0] for each in chosen if each is not None]
        keys = [each[1] for each in chosen if each is not None]
        identity = set(self.entity.identity)
        return Rank(
            slots.count(NOT_SERVED) + self._writes_beyond(keys[0]),
            int(sum(each[1] for each in ranks)),
            int(sum(each[2] for each in ranks)),
            round(math.fsum(each[3] for each in ranks), 6),
            sum(slot > 0 and identity <= read.equal for read, slot in zip(self.reads, slots, strict=True)),
            int(sum(each[4] for each in ranks)),
            sum(len(key.partition) for key in keys),
            tuple((key.partition, key.sort) for key in keys),
        )

    def _writes_beyond(self, table: ColumnKey) -> int:
        return len({each.in_key for each in self.entity.writes if not each.in_key <= table.columns})

    def _chosen(self, slot: int, group: frozenset[int]) -> ColumnKey:
        found = self._key(slot == TABLE_SLOT, group)
        assert found is not None, "the assignment was checked"
        return found[1]

    def _key(self, is_table: bool, group: frozenset[int]) -> tuple[tuple[float, ...], ColumnKey] | None:
        """Return the best key that serves a group of reads, with its rank. Return None if there is none."""
        memo = (is_table, group)
        if memo not in self._best_key:
            reads = [self.reads[number] for number in sorted(group)]
            keys = table_keys(self.entity, reads) if is_table else index_keys(self.entity, reads)
            ranked = [(self._key_rank(is_table, key, len(group)), key) for key in keys]
            self._best_key[memo] = min(
                ranked, key=lambda each: (each[0], each[1].partition, each[1].sort), default=None
            )
        return self._best_key[memo]

    def _key_rank(self, is_table: bool, key: ColumnKey, reads: int) -> tuple[float, ...]:
        entity = self.entity
        return (
            self._writes_beyond(key) if is_table else 0,
            reads * (not is_table and shards_needed(entity, key.partition, key.columns) > 1),
            (reads + is_table) * entity.has_few_values(key.partition),
            monthly_dollars(entity, key.columns, is_index=not is_table),
            sum(entity.facts(name).bytes for name in key.columns),
            len(key.partition),
        )


def _groups(slots: tuple[int, ...]) -> dict[int, frozenset[int]]:
    """Return the reads of each slot. The table has a key even if no read uses it."""
    groups = {TABLE_SLOT: frozenset[int]()}
    for slot in sorted(set(slots) - {NOT_SERVED}):
        groups[slot] = frozenset(number for number, each in enumerate(slots) if each == slot)
    return groups
