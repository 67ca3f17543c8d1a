"""Workloads: the entities, reads, collections and writes for which the solver chooses keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

FEW_VALUES_MAX = 100
"""Partitions with at most this many values count as low-cardinality partitions."""


@dataclass(frozen=True)
class ColumnFacts:
    """Facts about a column of an entity, such as its size and the number of its values."""

    bytes: int = 16
    values: int | None = None
    """The number of different values. None if there can be many."""
    optional: bool = False
    hottest: float | None = None
    """The share of the traffic of the most frequent value, if it differs from that of the other values."""

    @property
    def largest_share(self) -> float:
        """The share of the traffic that one value receives. 0 if there can be many values."""
        if self.hottest is not None:
            return self.hottest
        return 0.0 if self.values is None else 1 / self.values


@dataclass(frozen=True)
class Read:
    """A read of one entity: equality columns, at most one column of a range or an order, and further requirements."""

    name: str
    equal: frozenset[str]
    first: str | None = None
    """The column of the range or of the order. It follows the equality columns in the key."""
    is_range: bool = False
    """Whether the read tests `first`, so that items without a value are not part of the result."""
    present: frozenset[str] = frozenset()
    """Optional columns that every item of the result has, as the read declares."""
    strong: bool = False
    single: bool = False
    """Whether the read identifies one item, so that the key contains the equality columns and no other columns."""
    rate: float | None = None
    partition: tuple[str, ...] | None = None
    """The exact partition columns, in order, for a member of a collection."""
    collection: str | None = None
    by_key: bool = False
    """Whether the read gets several items by their keys, so that only the table serves it."""
    finds_copies: bool = False
    """Whether the library sends the read, to find the copies of a changed item."""
    feed: tuple[str, ...] = ()
    """The entities of a feed, which one Query returns in one order."""

    @property
    def following(self) -> str | None:
        """The column that must follow the equality columns. None if an equality fixes it anyway."""
        return None if self.first in self.equal else self.first

    @property
    def tested(self) -> frozenset[str]:
        """The columns whose values every item of the result has."""
        return self.equal | self.present | (frozenset({self.first}) if self.first and self.is_range else frozenset())

    @property
    def shape(self) -> tuple[object, ...]:
        """The properties that distinguish reads for the solver. Reads of one shape can use the same keys."""
        return (
            tuple(sorted(self.equal)),
            self.first or "",
            self.is_range,
            tuple(sorted(self.present)),
            self.strong,
            self.single,
            self.partition or (),
            self.collection or "",
            self.by_key,
            self.feed,
        )


@dataclass(frozen=True)
class Write:
    """A write of one entity: the columns that it changes, and the columns whose values the writer has."""

    name: str
    changed: frozenset[str] = frozenset()
    known: frozenset[str] | None = None
    """The known columns, including new values. None if the writer has the whole item, as for a put."""
    rate: float | None = None
    in_key: frozenset[str] = frozenset()
    """Columns that are parameters of the write and parts of the table key.

    A key without them does not serve the write.
    """

    finds_by: frozenset[str] | None = None
    """The known columns that can be parts of the table key.

    None if all can. A column that only a condition tests cannot.
    """
    cleared: frozenset[str] = frozenset()
    """The columns that have no value after the write. The item then leaves each index with such a column."""
    reads_first: bool = False
    """Whether the write may read the item first, as its pattern declares, so that it can compute every key."""

    def finds(self, columns: frozenset[str]) -> bool:
        """Return whether the writer can find the item by a table key of these columns."""
        return self.known is None or columns <= (self.known if self.finds_by is None else self.finds_by)

    def moves_entry(self, columns: frozenset[str]) -> bool:
        """Return whether the write changes an index key of these columns. A put is assumed to write a new item."""
        return self.known is not None and bool(self.changed & columns)

    def unknown_of(self, parts: Iterable[frozenset[str]], *, can_be_missing: bool) -> frozenset[str]:
        """Return the unknown columns that the writer needs for the changed attributes of an index key.

        If the item can be missing from the index, the writer needs all attributes to add it.
        """
        attributes = tuple(parts)
        columns = frozenset[str]().union(*attributes)
        if self.known is None or not self.changed & columns or self.cleared & columns:
            return frozenset()
        needed = (columns,) if can_be_missing else [each for each in attributes if each & self.changed]
        return frozenset[str]().union(*needed) - self.known


@dataclass(frozen=True)
class EntityNeeds:
    """An entity: its identity, its columns, and the reads and writes that its keys must serve."""

    name: str
    identity: tuple[str, ...]
    columns: Mapping[str, ColumnFacts] = field(default_factory=dict)
    reads: tuple[Read, ...] = ()
    writes: tuple[Write, ...] = ()
    items: int | None = None
    item_bytes: int = 400
    allows_fan_out: bool = False
    """Whether a pattern can send several requests: one per shard of a hot partition, or a read before an update."""
    multi_attribute: bool = False
    """Whether an index key can have a separate attribute for each column, so that a write changes only some of them."""

    @cached_property
    def order(self) -> Mapping[str, int]:
        """The position of each column, for keys that do not depend on the order of a set."""
        names = dict.fromkeys((*self.identity, *self.columns, *sorted(self._read_columns)))
        return {name: number for number, name in enumerate(names)}

    @property
    def _read_columns(self) -> frozenset[str]:
        return frozenset().union(*(each.equal | {each.first or ""} for each in self.reads)) - {""}

    @cached_property
    def changed(self) -> frozenset[str]:
        """The columns that an update changes."""
        return frozenset().union(*(each.changed for each in self.writes))

    @property
    def has_strong_reads(self) -> bool:
        """Whether a local index can be useful, because a read of this entity alone is strongly consistent."""
        return any(each.strong and each.collection is None and not each.by_key for each in self.reads)

    @property
    def by_key(self) -> tuple[Write, ...]:
        """The updates and deletes. Their writer has the values of only some columns."""
        return tuple(each for each in self.writes if each.known is not None)

    def unknown_changes(self, attributes: Iterable[frozenset[str]]) -> dict[str, frozenset[str]]:
        """Return the columns of an index key that its writers need and do not know, by write."""
        parts = tuple(attributes)
        can_be_missing = any(self.facts(name).optional for part in parts for name in part)
        found = {each: each.unknown_of(parts, can_be_missing=can_be_missing) for each in self.by_key}
        return {each.name: columns for each, columns in found.items() if columns and not each.reads_first}

    def facts(self, column: str) -> ColumnFacts:
        """Return the facts about a column. Unknown columns have the default facts."""
        return self.columns.get(column, ColumnFacts())

    def sorted(self, columns: frozenset[str]) -> tuple[str, ...]:
        """Return columns in the order of the entity."""
        return tuple(sorted(columns, key=lambda name: (self.order.get(name, len(self.order)), name)))

    def has_few_values(self, partition: tuple[str, ...]) -> bool:
        """Return whether a partition key has only a few values. An empty partition key is constant."""
        counts = [self.facts(name).values for name in partition]
        return None not in counts and prod(each for each in counts if each is not None) <= FEW_VALUES_MAX


@dataclass(frozen=True)
class Member:
    """An entity of a collection, and whether a partition contains one item or a list of items of it."""

    entity: str
    is_list: bool


@dataclass(frozen=True)
class Collection:
    """Entities that one Query reads from one partition. Each member has a read with the name of the collection."""

    name: str
    members: tuple[Member, ...]
    limited: bool = False
    """Whether the read has a limit. The single members must then come before the list, in the direction of the read."""
    backward: bool = False
    """Whether the read starts at the end of the range, as for newest first."""
    is_in_table: bool = False
    """Whether only the table can serve the read, because other entities of it have keys there."""


@dataclass(frozen=True)
class Workload:
    """All entities of a table with their reads and writes, and the collections."""

    entities: tuple[EntityNeeds, ...]
    collections: tuple[Collection, ...] = ()

    def normalized(self) -> Workload:
        """Return the workload in an order that does not depend on the order of declarations."""
        return Workload(
            tuple(sorted(self.entities, key=lambda each: each.name)),
            tuple(sorted(self.collections, key=lambda each: each.name)),
        )
