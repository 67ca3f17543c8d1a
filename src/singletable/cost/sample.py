"""Items that somebody has, measured by entity: their bytes, their index entries, and how many are in each index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from singletable.cost.images import Item, shape_of
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.index import TABLE
from singletable.planner.item_sizes import SampledSize
from singletable.values.item_size import item_size


@dataclass(frozen=True)
class Sample:
    """What was looked at."""

    sizes: dict[str, SampledSize]
    """By the labels of entities; one of which no item was seen is missing."""
    is_complete: bool
    """Whether it is everything that there is, so that its numbers are those of the table."""
    unknown: int = 0
    """Items that are none of the model's."""


@dataclass
class _Sum:
    items: int = 0
    item_bytes: int = 0
    entries: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    entry_bytes: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    partitions: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def sample_of(design: Design, items: Iterable[tuple[Entity | None, Item]], *, is_complete: bool) -> Sample:
    """The sizes of items, each with the entity that it is; averages are rounded up to the byte."""
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
    return Sample({label: _average(each, is_complete) for label, each in sums.items()}, is_complete, unknown)


def _average(total: _Sum, is_complete: bool) -> SampledSize:
    counts = {**total.entries, TABLE: total.items}
    partitions = total.partitions if is_complete else {}  # of a part of the items, collections would look too small
    return SampledSize(
        total.items,
        -(-total.item_bytes // total.items),
        {alias: -(-size // total.entries[alias]) for alias, size in total.entry_bytes.items()},
        {alias: count / total.items for alias, count in total.entries.items()},
        {alias: -(-counts[alias] // len(found)) for alias, found in partitions.items()},
    )
