"""What requests consume, told from the items they touch before and after: the rules of DynamoDB on whole items.

The engine measures what its own requests consume; this is the same prediction for items anywhere, in a sample, in a
file or only imagined. Items are accepted ones, with their numbers in plain notation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.model.design import Design
from singletable.values.capacity_units import (
    TRANSACTION_WRITE_FACTOR,
    entry_write_units,
    read_units,
    write_units,
)
from singletable.values.comparison import equal
from singletable.values.item_size import item_size
from singletable.values.limits import PAGE_BYTES_MAX

Item = Mapping[str, dict[str, Any]]


@dataclass(frozen=True)
class IndexShape:
    """An index as far as it decides what is consumed: its keys, and the further attributes that it holds."""

    alias: str
    name: str
    key_attributes: tuple[str, ...]
    attributes: frozenset[str] | None
    """The attributes beside keys; None for all of them."""
    partition: tuple[str, ...] = ()
    """Those of its key attributes that say in which partition an entry lies."""


@dataclass(frozen=True)
class TableShape:
    """A table's keys and its indexes."""

    key_attributes: tuple[str, ...]
    indexes: tuple[IndexShape, ...] = ()
    partition: tuple[str, ...] = ()

    def entry(self, index: IndexShape, item: Item | None) -> dict[str, dict[str, Any]] | None:
        """What an index holds of an item; None when a key attribute is missing, so that it is not in the index."""
        if item is None or any(name not in item for name in index.key_attributes):
            return None
        if index.attributes is None:
            return dict(item)
        held = {*self.key_attributes, *index.key_attributes, *index.attributes}
        return {name: value for name, value in item.items() if name in held}


@dataclass(frozen=True)
class ImageUnits:
    """The units of one write, by the table and by the names of the indexes that it costs something."""

    table: float
    indexes: Mapping[str, float]

    @property
    def total(self) -> float:
        """All of them."""
        return self.table + sum(self.indexes.values())


def shape_of(design: Design) -> TableShape:
    """The shape of a design's table."""
    return TableShape(
        design.table.key_attributes,
        tuple(
            IndexShape(
                index.alias,
                index.name,
                index.key_attributes,
                None if index.projection.kind == "ALL" else frozenset(index.projection.attributes),
                tuple(attribute.name for attribute in index.partition),
            )
            for index in design.indexes.values()
            if not index.is_table
        ),
        tuple(attribute.name for attribute in design.table.partition),
    )


def units_of_change(
    table: TableShape, before: Item | None, after: Item | None, *, in_transaction: bool = False
) -> ImageUnits:
    """The write units of an item that goes from one image to the other; None is for no item."""
    size = max(0 if image is None else item_size(dict(image)) for image in (before, after))
    factor = TRANSACTION_WRITE_FACTOR if in_transaction else 1
    indexes: dict[str, float] = {}
    for index in table.indexes:
        units = _index_units(index, table.entry(index, before), table.entry(index, after))
        if units:
            indexes[index.name] = float(units)
    return ImageUnits(float(write_units(size) * factor), indexes)


def _index_units(index: IndexShape, old: Item | None, new: Item | None) -> int:
    sizes = [None if entry is None else item_size(dict(entry)) for entry in (old, new)]
    if old is None or new is None:
        return entry_write_units(*sizes, is_moved=False, is_changed=True)
    is_moved = any(not equal(old[name], new[name]) for name in index.key_attributes)
    return entry_write_units(*sizes, is_moved=is_moved, is_changed=not equal({"M": dict(old)}, {"M": dict(new)}))


def units_of_check(item: Item | None, *, in_transaction: bool = False) -> float:
    """The write units of a condition on an item, held alone or failed: those of a write that leaves it as it is."""
    factor = TRANSACTION_WRITE_FACTOR if in_transaction else 1
    return float(write_units(0 if item is None else item_size(dict(item))) * factor)


def units_of_get(item: Item | None, factor: float) -> float:
    """The read units of one item by its key; one that is not there costs the minimum."""
    return read_units(0 if item is None else item_size(dict(item)), factor)


def units_of_pages(sizes_bytes: Sequence[int], factor: float, limit: int | None = None) -> list[float]:
    """The read units of each page of a Query or Scan over entries of these sizes, in their order."""
    return [read_units(sum(page), factor) for page in pages_of(sizes_bytes, limit)]


def pages_of(sizes_bytes: Sequence[int], limit: int | None = None) -> Iterator[list[int]]:
    """Entries page by page: one ends with the entry that crosses 1 MB or meets the limit.

    An entry that does so as the last of all is followed by a page without any: only that one tells that it was.
    """
    page: list[int] = []
    read_bytes = 0
    for size in sizes_bytes:
        page.append(size)
        read_bytes += size
        if read_bytes >= PAGE_BYTES_MAX or len(page) == limit:
            yield page
            page, read_bytes = [], 0
    yield page
