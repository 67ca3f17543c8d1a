"""Measurements of existing items: sizes and index entries by entity, and the units of reads and writes of an item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.table_schema import TABLE
from singletable.planner.item_sizes import SampledSize
from singletable.values.attribute_value import equal
from singletable.values.item_size import TRANSACTION_WRITE_FACTOR, entry_write_units, item_size, read_units, write_units
from singletable.values.limits import PAGE_BYTES_MAX

Item = Mapping[str, dict[str, Any]]


@dataclass(frozen=True)
class ItemSample:
    """Measured sizes of a set of items."""

    sizes: dict[str, SampledSize]
    """The sizes by entity label. An entity without items has no entry."""
    is_complete: bool
    """Whether the sample contains all items of the table. Its item counts are then the counts of the table."""
    unknown: int = 0
    """The number of items that match no entity."""


@dataclass
class _Sum:
    items: int = 0
    item_bytes: int = 0
    entries: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    entry_bytes: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    partitions: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def measure_items(design: Design, items: Iterable[tuple[Entity | None, Item]], *, is_complete: bool) -> ItemSample:
    """Measure items, each with its entity. Averages are rounded up to a whole byte."""
    table = shape_of(design)
    sums: dict[str, _Sum] = defaultdict(_Sum)
    unknown = 0
    for entity, item in items:
        if entity is None:
            unknown += 1
            continue
        of_entity = sums[entity.label]
        of_entity.items += 1
        of_entity.item_bytes += item_size(dict(item))
        of_entity.partitions[TABLE].add(str([item.get(name) for name in table.partition]))
        for index in table.indexes:
            entry = table.entry(index, item)
            if entry is not None:
                of_entity.entries[index.alias] += 1
                of_entity.entry_bytes[index.alias] += item_size(entry)
                of_entity.partitions[index.alias].add(str([item.get(name) for name in index.partition]))
    return ItemSample({label: _average(each, is_complete) for label, each in sums.items()}, is_complete, unknown)


def _average(total: _Sum, is_complete: bool) -> SampledSize:
    counts = {**total.entries, TABLE: total.items}
    partitions = total.partitions if is_complete else {}  # a partial sample lacks some items of a collection
    return SampledSize(
        total.items,
        -(-total.item_bytes // total.items),
        {alias: -(-size // total.entries[alias]) for alias, size in total.entry_bytes.items()},
        {alias: count / total.items for alias, count in total.entries.items()},
        {alias: -(-counts[alias] // len(found)) for alias, found in partitions.items()},
    )


@dataclass(frozen=True)
class IndexShape:
    """The keys and projected attributes of an index."""

    alias: str
    name: str
    key_attributes: tuple[str, ...]
    attributes: frozenset[str] | None
    """The projected non-key attributes. None for ALL."""
    partition: tuple[str, ...] = ()
    """The attributes of the partition key."""


@dataclass(frozen=True)
class TableShape:
    """A table's keys and its indexes."""

    key_attributes: tuple[str, ...]
    indexes: tuple[IndexShape, ...] = ()
    partition: tuple[str, ...] = ()

    def entry(self, index: IndexShape, item: Item | None) -> dict[str, dict[str, Any]] | None:
        """Return the index entry of an item. Return None if a key attribute is missing."""
        if item is None or any(name not in item for name in index.key_attributes):
            return None
        if index.attributes is None:
            return dict(item)
        held = {*self.key_attributes, *index.key_attributes, *index.attributes}
        return {name: value for name, value in item.items() if name in held}


@dataclass(frozen=True)
class ImageUnits:
    """The units of one write, for the table and for each index that it changes."""

    table: float
    indexes: Mapping[str, float]

    @property
    def total(self) -> float:
        """The total units."""
        return self.table + sum(self.indexes.values())


def shape_of(design: Design) -> TableShape:
    """Return the keys and indexes of a design's table."""
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
    """Return the units of a write, given the item before and after it. None stands for no item."""
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
    """Return the write units of a condition check, or of a write whose condition fails."""
    factor = TRANSACTION_WRITE_FACTOR if in_transaction else 1
    return float(write_units(0 if item is None else item_size(dict(item))) * factor)


def units_of_get(item: Item | None, factor: float) -> float:
    """Return the read units of one GetItem. A missing item costs the minimum."""
    return read_units(0 if item is None else item_size(dict(item)), factor)


def units_of_pages(sizes_bytes: Sequence[int], factor: float, limit: int | None = None) -> list[float]:
    """Return the read units of each page of a Query or Scan over entries of these sizes."""
    return [read_units(sum(page), factor) for page in pages_of(sizes_bytes, limit)]


def pages_of(sizes_bytes: Sequence[int], limit: int | None = None) -> Iterator[list[int]]:
    """Yield entries page by page. A page ends with the entry that exceeds 1 MB or reaches the limit.

    If this is the last entry, an empty page follows, because DynamoDB still returns a LastEvaluatedKey.
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
