"""The best keys of one entity for a given number of indexes: the assignment of each read to the table or an index."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from singletable.key_solver.common_keys import ColumnKey, index_keys, local_keys, table_keys
from singletable.key_solver.partition_load import monthly_dollars, shards_needed
from singletable.key_solver.workload import EntityNeeds, Read

TABLE_SLOT = 0
NOT_SERVED = -1
LOCAL_SLOT = 100
"""The slots of local indexes start after this number. The slots from 1 are those of global indexes."""

_Ranked = tuple[tuple[float, ...], ColumnKey]


class Rank(NamedTuple):
    """The rank of a choice of keys. A smaller rank is better, and earlier parts decide first.

    The number of indexes comes after the fan-outs. It is a property of the table, not of one entity.
    """

    not_served: int
    """The number of reads without a key, and of writes with parameters that the table key does not contain."""
    fan_outs: int
    """The number of reads that are one Query per shard, and of updates that read the item first for a key."""
    reads_of_few_values: int
    """The number of reads from partitions with only a few values, such as one partition with all items."""
    dollars: float
    """The monthly cost of the index entries in whole cents, with an assumed rate for writes that declare none."""
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
        self._best_key: dict[tuple[bool, frozenset[int]], _Ranked | None] = {}
        self._local: dict[frozenset[int], tuple[_Ranked, ...]] = {}

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

    def can_share_local(self, reads: frozenset[int]) -> bool:
        """Return whether one local index serves all these reads, if the table key need not serve any read."""
        return any(self._with_local({TABLE_SLOT: frozenset(), LOCAL_SLOT + 1: reads}))

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

    def best(self, indexes: int, pinned: Mapping[str, int], local_indexes: int = 0) -> EntityKeys | None:
        """Return the best assignment with at most this many indexes. Return None if no table key is possible.

        `pinned` contains the slot of each collection that reads the entity.
        """
        found: EntityKeys | None = None
        for slots in self._assignments(indexes, pinned, local_indexes):
            groups = _groups(slots)
            for ranked in self._key_choices(groups):
                rank = self._rank(slots, ranked)
                if found is None or rank < found.rank:
                    keys = {slot: key for slot, (_, key) in ranked.items()}
                    found = EntityKeys(self.entity.name, keys, tuple(zip(self.reads, slots, strict=True)), rank)
        return found

    def _assignments(self, indexes: int, pinned: Mapping[str, int], local_indexes: int) -> Iterator[tuple[int, ...]]:
        """Yield the assignments of reads to slots in which a key serves each group of reads.

        Unused indexes are interchangeable, so only the first of them is tried.
        """
        reserved = {slot for slot in pinned.values() if slot > 0}
        fewest = len(self.reads) + 1

        def extend(number: int, slots: tuple[int, ...], not_served: int) -> Iterator[tuple[int, ...]]:
            nonlocal fewest
            self.visited += 1
            if not_served > fewest:
                return
            if number == len(self.reads):
                if next(self._key_choices(_groups(slots)), None) is None:
                    return  # no table key has the partition key of the local indexes
                fewest = min(fewest, not_served)
                yield slots
                return
            for slot in self._slots_of(number, slots, indexes, pinned, reserved, local_indexes):
                group = frozenset(n for n, each in enumerate(slots) if each == slot) | {number}
                if slot == NOT_SERVED or self._has_key(slot, group):
                    yield from extend(number + 1, (*slots, slot), not_served + (slot == NOT_SERVED))

        yield from extend(0, (), 0)

    def _slots_of(
        self,
        number: int,
        slots: tuple[int, ...],
        indexes: int,
        pinned: Mapping[str, int],
        reserved: set[int],
        local_indexes: int,
    ) -> Iterator[int]:
        collection = self.reads[number].collection
        if collection is not None:
            yield pinned[collection]
            return
        yield TABLE_SLOT
        used = set(slots) | reserved
        yield from sorted(slot for slot in used if slot > 0)
        for first, last in ((1, indexes), (LOCAL_SLOT + 1, LOCAL_SLOT + local_indexes)):
            yield from [slot for slot in range(first, last + 1) if slot not in used][:1]
        yield NOT_SERVED

    def _has_key(self, slot: int, group: frozenset[int]) -> bool:
        return bool(self._local_keys(group)) if slot > LOCAL_SLOT else self._key(slot == TABLE_SLOT, group) is not None

    def _key_choices(self, groups: Mapping[int, frozenset[int]]) -> Iterator[dict[int, _Ranked]]:
        """Yield the best keys of all slots. With local indexes, yield them for each partition key of the table."""
        apart = {slot: group for slot, group in groups.items() if TABLE_SLOT < slot < LOCAL_SLOT}
        others = {slot: self._key(False, group) for slot, group in apart.items()}
        found = {slot: each for slot, each in others.items() if each is not None}
        if len(found) < len(apart):
            return
        if max(groups) < LOCAL_SLOT:
            table = self._key(True, groups[TABLE_SLOT])
            if table is not None:
                yield dict(sorted({TABLE_SLOT: table, **found}.items()))
            return
        for local in self._with_local({slot: group for slot, group in groups.items() if slot not in apart}):
            yield dict(sorted({**local, **found}.items()))

    def _with_local(self, groups: Mapping[int, frozenset[int]]) -> Iterator[dict[int, _Ranked]]:
        """Yield a table key and the best keys of the local indexes that have its partition key."""
        for table in self._table_keys(groups):
            chosen = {TABLE_SLOT: (self._key_rank(True, table, len(groups[TABLE_SLOT])), table)}
            for slot, group in groups.items():
                if slot != TABLE_SLOT:
                    same = [each for each in self._local_keys(group) if each[1].partition == table.partition]
                    chosen |= {slot: min(same, key=_order)} if same else {}
            if len(chosen) == len(groups):
                yield chosen

    def _table_keys(self, groups: Mapping[int, frozenset[int]]) -> Iterator[ColumnKey]:
        """Yield the table keys that serve the reads of the table.

        If the table serves no reads, yield the table keys that have the partition key of a local index.
        """
        reads = [self.reads[number] for number in sorted(groups[TABLE_SLOT])]
        if reads:
            yield from table_keys(self.entity, reads)
            return
        local = [key for slot, group in groups.items() if slot != TABLE_SLOT for _, key in self._local_keys(group)]
        for partition in dict.fromkeys(key.partition for key in local):
            of_partition = Read("partition", frozenset(partition), partition=partition)
            yield from table_keys(self.entity, [of_partition])

    def _local_keys(self, group: frozenset[int]) -> tuple[_Ranked, ...]:
        if group not in self._local:
            reads = [self.reads[number] for number in sorted(group)]
            found = local_keys(self.entity, reads)
            self._local[group] = tuple((self._key_rank(False, key, len(group), is_local=True), key) for key in found)
        return self._local[group]

    def _rank(self, slots: tuple[int, ...], ranked: Mapping[int, _Ranked]) -> Rank:
        ranks = [each[0] for each in ranked.values()]
        keys = [each[1] for each in ranked.values()]
        identity = set(self.entity.identity)
        return Rank(
            slots.count(NOT_SERVED) + self._writes_beyond(keys[0]),
            int(sum(each[1] for each in ranks)),
            int(sum(each[2] for each in ranks)),
            round(math.fsum(each[3] for each in ranks), 2),
            sum(slot > 0 and identity <= read.equal for read, slot in zip(self.reads, slots, strict=True)),
            int(sum(each[4] for each in ranks)),
            sum(len(key.partition) for key in keys),
            tuple((key.partition, key.sort) for key in keys),
        )

    def _writes_beyond(self, table: ColumnKey) -> int:
        return len({each.in_key for each in self.entity.writes if not each.in_key <= table.columns})

    def _key(self, is_table: bool, group: frozenset[int]) -> _Ranked | None:
        """Return the best key that serves a group of reads, with its rank. Return None if there is none."""
        memo = (is_table, group)
        if memo not in self._best_key:
            reads = [self.reads[number] for number in sorted(group)]
            keys = table_keys(self.entity, reads) if is_table else index_keys(self.entity, reads)
            ranked = [(self._key_rank(is_table, key, len(group)), key) for key in keys]
            self._best_key[memo] = min(ranked, key=_order, default=None)
        return self._best_key[memo]

    def _key_rank(self, is_table: bool, key: ColumnKey, reads: int, *, is_local: bool = False) -> tuple[float, ...]:
        entity = self.entity
        is_global = not is_table and not is_local
        return (
            self._writes_beyond(key) if is_table else 0,
            reads * (is_global and shards_needed(entity, key.partition, key.columns) > 1)
            + (not is_table and len(entity.unknown_changes(key.attributes))),
            (reads + is_table) * entity.has_few_values(key.partition),
            monthly_dollars(entity, key.columns, is_index=not is_table),
            sum(entity.facts(name).bytes for name in key.columns),
            len(key.partition),
        )


def _order(ranked: _Ranked) -> tuple[object, ...]:
    return ranked[0], ranked[1].partition, ranked[1].sort


def _groups(slots: tuple[int, ...]) -> dict[int, frozenset[int]]:
    """Return the reads of each slot. The table has a key even if no read uses it."""
    groups = {TABLE_SLOT: frozenset[int]()}
    for slot in sorted(set(slots) - {NOT_SERVED}):
        groups[slot] = frozenset(number for number, each in enumerate(slots) if each == slot)
    return groups
