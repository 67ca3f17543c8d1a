"""Capacity consumption: the units that a read or write consumes on a table and on each of its global indexes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from singletable.engine.items.consumed_capacity import ConsumedUnits, units_of_write
from singletable.engine.storage.entry_keys import HEAD_BYTES
from singletable.engine.tables.stored_table import Image, IndexEntry, Item, StoredIndex, StoredTable
from singletable.values.item_size import write_units

TABLE = ""  # stands for the table itself instead of an index name


class CapacityUse(NamedTuple):
    """The capacity that a request consumes on a table or a global index, and the key that it accesses.

    `partition` and `key` are stored bytes, or None if the request accesses more than one partition or item. `item`
    contains at least the key attributes.
    """

    resource: str
    is_write: bool
    units: float
    partition: bytes | None
    key: bytes | None
    item: Item


def read_of_item(key: bytes, item: Item, units: float) -> tuple[CapacityUse, ...]:
    """Return the capacity consumed by a read of one item."""
    return (CapacityUse(TABLE, False, units, partition_of(key), key, item),)


def read_of_page(
    index: StoredIndex | None, units: ConsumedUnits, low: bytes, values: Item | None
) -> tuple[CapacityUse, ...]:
    """Return the capacity consumed by a read that starts at the key `low`.

    `values` are the partition key values of a Query, or None for a Scan.

    A local index shares the partitions of its table, so its reads consume the capacity of the table.
    """
    partition = None if values is None else partition_of(low)
    if index is not None and not index.definition.is_local:
        return (CapacityUse(index.name, False, units.total, partition, None, values or {}),)
    return (CapacityUse(TABLE, False, units.total, partition, None, values or {}),)


def uses_of_write(
    table: StoredTable, key: bytes, before: Image | None, after: Image | None, named: Item, factor: int
) -> tuple[CapacityUse, ...]:
    """Return the capacity consumed by a write. `named` is its key, used if no item exists before or after the write."""
    units = units_of_write(table, before, after, factor)
    present = after or before
    item = named if present is None else present.item
    own = units.table + sum(units.local.values())
    uses = [CapacityUse(TABLE, True, own, partition_of(key), key, item)]
    for position, index in enumerate(table.indexes):
        if index.name in units.global_:
            old = before.entries[position] if before is not None else None
            new = after.entries[position] if after is not None else None
            for entry, image, amount in _index_parts(old, new, before, after, units.global_[index.name]):
                entry_key = entry.key[: len(entry.key) - len(key)]
                uses.append(CapacityUse(index.name, True, amount, partition_of(entry.key), entry_key, image.item))
    return tuple(uses)


def _index_parts(
    old: IndexEntry | None, new: IndexEntry | None, before: Image | None, after: Image | None, units: float
) -> Iterator[tuple[IndexEntry, Image, float]]:
    """Yield the changed entries of an index. An entry that moves counts in its old and in its new partition."""
    if old is not None and new is not None and old.key != new.key:
        assert before is not None
        assert after is not None
        yield old, before, float(write_units(old.size))
        yield new, after, float(write_units(new.size))
    elif new is not None:
        assert after is not None
        yield new, after, units
    elif old is not None:
        assert before is not None
        yield old, before, units


def partition_of(key: bytes) -> bytes:
    """Return the partition key at the start of a stored key or of a prefix of one."""
    return key[HEAD_BYTES : HEAD_BYTES + int.from_bytes(key[4:HEAD_BYTES], "big")]
