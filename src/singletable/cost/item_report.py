"""Size of one item by attribute, and the cost of each operation on it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from singletable.values.item_size import (
    CONSISTENT,
    EVENTUAL,
    TRANSACTION_WRITE_FACTOR,
    TRANSACTIONAL,
    entry_write_units,
    item_size,
    read_units,
    texts_size,
    value_size,
    write_units,
)
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
        """The total bytes."""
        return self.name_bytes + self.value_bytes


@dataclass(frozen=True)
class OperationCost:
    """The cost of an operation on the item."""

    operation: str
    how: str
    units: float
    unit: str


@dataclass(frozen=True)
class ItemReport:
    """An item's size and costs."""

    attributes: tuple[AttributeSize, ...]
    total_bytes: int
    operations: tuple[OperationCost, ...]

    @property
    def fits(self) -> bool:
        """Whether the item is within the size limit of DynamoDB."""
        return self.total_bytes <= ITEM_BYTES_MAX

    @property
    def share_of_limit(self) -> float:
        """The size as a share of the item size limit."""
        return self.total_bytes / ITEM_BYTES_MAX

    @property
    def stored_bytes(self) -> int:
        """The billed storage in bytes in the table, excluding indexes."""
        return self.total_bytes + STORAGE_OVERHEAD_BYTES

    @property
    def items_per_page(self) -> int:
        """The number of items of this size in a 1 MB page, including the item that exceeds 1 MB."""
        return math.ceil(PAGE_BYTES_MAX / max(1, self.total_bytes))

    @property
    def items_per_read_unit(self) -> int:
        """The number of items of this size that a Query reads with one 4 KB unit. It is 0 if one item is larger."""
        return READ_UNIT_BYTES // max(1, self.total_bytes)

    @property
    def bytes_to_next_write_unit(self) -> int:
        """The number of bytes by which the item can grow before a write costs another unit."""
        return write_units(self.total_bytes) * WRITE_UNIT_BYTES - self.total_bytes


def item_report(item: Mapping[str, dict[str, Any]]) -> ItemReport:
    """Return the report of a valid item."""
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
        OperationCost("PutItem", "new item, or replaces an item that is not larger", written, "WRU"),
        OperationCost("UpdateItem", "replaces an item that is not larger", written, "WRU"),
        OperationCost("DeleteItem", "existing item", written, "WRU"),
        OperationCost(
            "TransactWriteItems", "put, update, delete or condition check", written * TRANSACTION_WRITE_FACTOR, "WRU"
        ),
        OperationCost("per index with ALL", "entry written, changed or deleted", written, "WRU"),
        OperationCost("per index with ALL", "entry moved to another key", float(moved), "WRU"),
    )
