"""One item, weighed: its bytes by attribute, and what each operation on it costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from singletable.values.capacity_units import (
    CONSISTENT,
    EVENTUAL,
    TRANSACTION_WRITE_FACTOR,
    TRANSACTIONAL,
    entry_write_units,
    read_units,
    write_units,
)
from singletable.values.item_size import item_size, texts_size, value_size
from singletable.values.limits import (
    ITEM_BYTES_MAX,
    PAGE_BYTES_MAX,
    READ_UNIT_BYTES,
    STORAGE_OVERHEAD_BYTES,
    WRITE_UNIT_BYTES,
)


@dataclass(frozen=True)
class AttributeSize:
    """An attribute with the bytes of its name and of its value."""

    name: str
    type: str
    name_bytes: int
    value_bytes: int

    @property
    def total_bytes(self) -> int:
        """Both together."""
        return self.name_bytes + self.value_bytes


@dataclass(frozen=True)
class OperationCost:
    """What an operation on the item costs."""

    operation: str
    how: str
    units: float
    unit: str


@dataclass(frozen=True)
class ItemReport:
    """An item's size, and what follows from it."""

    attributes: tuple[AttributeSize, ...]
    total_bytes: int
    operations: tuple[OperationCost, ...]

    @property
    def fits(self) -> bool:
        """Whether DynamoDB holds an item of this size."""
        return self.total_bytes <= ITEM_BYTES_MAX

    @property
    def share_of_limit(self) -> float:
        """Which part of the largest item it is."""
        return self.total_bytes / ITEM_BYTES_MAX

    @property
    def stored_bytes(self) -> int:
        """What storage bills for it, in the table alone."""
        return self.total_bytes + STORAGE_OVERHEAD_BYTES

    @property
    def items_per_page(self) -> int:
        """How many like it a Query or Scan reads before a page of 1 MB is full; the one that crosses the line too."""
        return math.ceil(PAGE_BYTES_MAX / max(1, self.total_bytes))

    @property
    def items_per_read_unit(self) -> int:
        """How many like it a Query reads within one unit of 4 KB; 0 when one alone is larger."""
        return READ_UNIT_BYTES // max(1, self.total_bytes)

    @property
    def bytes_to_next_write_unit(self) -> int:
        """How many bytes it may grow by before a write costs a unit more."""
        return write_units(self.total_bytes) * WRITE_UNIT_BYTES - self.total_bytes


def item_report(item: Mapping[str, dict[str, Any]]) -> ItemReport:
    """Weighs an accepted item."""
    attributes = tuple(
        AttributeSize(name, next(iter(value)), texts_size((name,)), value_size(value)) for name, value in item.items()
    )
    size = item_size(dict(item))
    return ItemReport(attributes, size, _operations(size))


def _operations(size: int) -> tuple[OperationCost, ...]:
    written = float(write_units(size))
    moved = entry_write_units(size, size, is_moved=True, is_changed=True)
    return (
        OperationCost("GetItem", "eventually consistent", read_units(size, EVENTUAL), "RRU"),
        OperationCost("GetItem", "strongly consistent", read_units(size, CONSISTENT), "RRU"),
        OperationCost("TransactGetItems", "in a transaction", read_units(size, TRANSACTIONAL), "RRU"),
        OperationCost("PutItem", "new, or over one no larger", written, "WRU"),
        OperationCost("UpdateItem", "to this size, from one no larger", written, "WRU"),
        OperationCost("DeleteItem", "the item that was there", written, "WRU"),
        OperationCost("TransactWriteItems", "put, update, delete or check", written * TRANSACTION_WRITE_FACTOR, "WRU"),
        OperationCost("each index with ALL", "entry written, changed or deleted", written, "WRU"),
        OperationCost("each index with ALL", "entry moved to another key", float(moved), "WRU"),
    )
