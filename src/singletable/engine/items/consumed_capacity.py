"""ConsumedCapacity and ItemCollectionMetrics: the units that a request consumes, computed for its response."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from singletable.engine.storage.entry_keys import index_range, table_range
from singletable.engine.tables.stored_table import Image, IndexEntry, Item, StoredIndex, StoredTable, decode_item
from singletable.values.attribute_value import equal
from singletable.values.item_size import entry_write_units, read_units, write_units
from singletable.values.scalars import key_bytes

Detail = Literal["INDEXES", "TOTAL", "NONE"] | None


@dataclass
class ConsumedUnits:
    """The capacity units that a request consumed from one table and from each of its indexes."""

    table: float = 0.0
    local: dict[str, float] = field(default_factory=dict)
    global_: dict[str, float] = field(default_factory=dict)

    def add_index(self, name: str, units: float, *, is_local: bool) -> None:
        """Add the units consumed from an index. Responses omit an index from which no units were consumed."""
        of_kind = self.local if is_local else self.global_
        of_kind[name] = of_kind.get(name, 0.0) + units

    @property
    def total(self) -> float:
        """Return the total of the units consumed from the table and from its indexes."""
        if not self.local and not self.global_:
            return self.table
        return self.table + sum(self.local.values()) + sum(self.global_.values())


def add_units(units: dict[str, ConsumedUnits], table: str, more: ConsumedUnits) -> None:
    """Add the units of one read or write to the total of its table in `units`."""
    of_table = units.setdefault(table, ConsumedUnits())
    of_table.table += more.table
    for name, amount in more.local.items():
        of_table.add_index(name, amount, is_local=True)
    for name, amount in more.global_.items():
        of_table.add_index(name, amount, is_local=False)


def capacity_document(table: str, consumed: ConsumedUnits, detail: Detail, axis: str | None = None) -> dict[str, Any]:
    """Return the ConsumedCapacity of one table. For a transaction, `axis` names the kind of units."""
    if detail == "TOTAL" and axis is None:  # the common case
        return {"TableName": table, "CapacityUnits": consumed.total}

    def units(amount: float) -> dict[str, float]:
        return {"CapacityUnits": amount} if axis is None else {"CapacityUnits": amount, axis: amount}

    document: dict[str, Any] = {"TableName": table, **units(consumed.total)}
    if detail == "INDEXES":
        document["Table"] = units(consumed.table)
        if consumed.local:
            document["LocalSecondaryIndexes"] = {name: units(amount) for name, amount in consumed.local.items()}
        if consumed.global_:
            document["GlobalSecondaryIndexes"] = {name: units(amount) for name, amount in consumed.global_.items()}
    return document


def capacity_per_table(
    units: Mapping[str, ConsumedUnits], detail: Detail, axis: str | None = None
) -> list[dict[str, Any]]:
    """Return the ConsumedCapacity of several tables, sorted by table name."""
    return [capacity_document(table, of_table, detail, axis) for table, of_table in sorted(units.items())]


GIGABYTE = 1024**3


def collection_metrics(connection: sqlite3.Connection, table: StoredTable, item: Item) -> dict[str, Any]:
    """Return the ItemCollectionMetrics of the partition of an item or key."""
    value = item[table.partition_name]
    partition = key_bytes(table.partition_kind, value[table.partition_kind])
    size_bytes = table.tree.bytes_between(connection, *table_range(partition))
    for index in table.indexes:
        if index.definition.is_local:
            size_bytes += index.tree.bytes_between(connection, *index_range([partition]))
    lower = float(size_bytes // GIGABYTE)
    return {"ItemCollectionKey": {table.partition_name: value}, "SizeEstimateRangeGB": [lower, lower + 1.0]}


def units_of_page(
    index: StoredIndex | None, read_bytes: int, fetched_bytes: Iterable[int], factor: float
) -> ConsumedUnits:
    """Return the units that one page of a table or index consumes.

    The bytes that were read before filtering are summed, then rounded up once; `fetched_bytes` are the sizes of the
    items that a page of an index fetched from the table.
    """
    units = ConsumedUnits()
    units_read = read_units(read_bytes, factor)
    if index is None:
        units.table = units_read
    else:
        units.add_index(index.name, units_read, is_local=index.definition.is_local)
        units.table = sum((read_units(size, factor) for size in fetched_bytes), 0.0)
    return units


def units_of_write(table: StoredTable, before: Image | None, after: Image | None, factor: int = 1) -> ConsumedUnits:
    """Return the units that a write consumes from its table, multiplied by `factor`, and from each index.

    The factor of a transaction does not apply to indexes (captured from AWS).
    """
    size = max(before.size if before is not None else 0, after.size if after is not None else 0)
    units = ConsumedUnits(table=float(write_units(size) * factor))
    for position, index in enumerate(table.indexes):
        old = before.entries[position] if before is not None else None
        new = after.entries[position] if after is not None else None
        of_index = _index_units(old, new)
        if of_index:
            units.add_index(index.name, float(of_index), is_local=index.definition.is_local)
    return units


def _index_units(old: IndexEntry | None, new: IndexEntry | None) -> int:
    if old is None or new is None:
        sizes = (old.size if old is not None else None), (new.size if new is not None else None)
        return entry_write_units(*sizes, is_moved=False, is_changed=True)
    is_moved = old.key != new.key
    return entry_write_units(old.size, new.size, is_moved=is_moved, is_changed=is_moved or not _same(old, new))


def _same(old: IndexEntry, new: IndexEntry) -> bool:
    """Return whether two index entries are equal, regardless of the order of attributes and set members."""
    return old.body == new.body or equal({"M": decode_item(old.body)}, {"M": decode_item(new.body)})
