"""Uses: what a read or a write of one item, or of one page, consumes of a table and of each of its global indexes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from singletable.engine.capacity import Consumed
from singletable.engine.storage.entry_key import HEAD_BYTES
from singletable.engine.table import Entry, Image, Item, OpenIndex, OpenTable
from singletable.engine.write import consumed
from singletable.values.capacity_units import write_units

TABLE = ""  # what stands for the table itself where an index would be named


class Use(NamedTuple):
    """Units of a table or a global index, and whose they are.

    `partition` and `key` are stored bytes, None where a request is about no single partition or no single item;
    `item` has at least the attributes of the key that is meant.
    """

    place: str
    is_write: bool
    units: float
    partition: bytes | None
    key: bytes | None
    item: Item


def read_of_item(key: bytes, item: Item, units: float) -> tuple[Use, ...]:
    """A read of one item of a table."""
    return (Use(TABLE, False, units, partition_of(key), key, item),)


def read_of_page(index: OpenIndex | None, units: Consumed, low: bytes, values: Item | None) -> tuple[Use, ...]:
    """A read of a range that begins at `low`; `values` are those of its partition, None when it is of all of them.

    What a local index holds lies in the partitions of its table, and is paid for there.
    """
    partition = None if values is None else partition_of(low)
    if index is not None and not index.definition.is_local:
        return (Use(index.name, False, units.total, partition, None, values or {}),)
    return (Use(TABLE, False, units.total, partition, None, values or {}),)


def uses_of_write(
    table: OpenTable, key: bytes, before: Image | None, after: Image | None, named: Item, factor: int
) -> tuple[Use, ...]:
    """A write of one item; `named` is the key where there was and is no item."""
    units = consumed(table, before, after, factor)
    present = after or before
    item = named if present is None else present.item
    own = units.table + sum(units.local.values())
    uses = [Use(TABLE, True, own, partition_of(key), key, item)]
    for position, index in enumerate(table.indexes):
        if index.name in units.global_:
            old = before.entries[position] if before is not None else None
            new = after.entries[position] if after is not None else None
            for entry, image, amount in _index_parts(old, new, before, after, units.global_[index.name]):
                entry_key = entry.key[: len(entry.key) - len(key)]
                uses.append(Use(index.name, True, amount, partition_of(entry.key), entry_key, image.item))
    return tuple(uses)


def _index_parts(
    old: Entry | None, new: Entry | None, before: Image | None, after: Image | None, units: float
) -> Iterator[tuple[Entry, Image, float]]:
    """An entry that moves is deleted in one partition and written in another; every other change is in one."""
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
    """The partition part of a stored key, or of any bytes that begin with it."""
    return key[HEAD_BYTES : HEAD_BYTES + int.from_bytes(key[4:HEAD_BYTES], "big")]
