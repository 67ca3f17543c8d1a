"""The cost of a change: the units, the money and the time that a migration of stored items consumes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from singletable.cost.prices import STANDARD, Prices
from singletable.evolve.operation import Category, Operation
from singletable.evolve.restored_design import design_of
from singletable.evolve.snapshot_records import Snapshot
from singletable.lazy_dataclass import dataclass
from singletable.model.table_schema import TABLE
from singletable.planner.item_sizes import ItemSizes

RATE = 1_000
"""The write units per second of an estimate, if the user gives no rate."""
READ_UNIT_BYTES, WRITE_UNIT_BYTES = 4096, 1024
EVENTUALLY_CONSISTENT, TRANSACTION_FACTOR = 0.5, 2
_MILLION = 1_000_000


@dataclass(frozen=True)
class ChangeCost:
    """The cost of a migration, estimated from the numbers and sizes of items."""

    items: int
    """The items that the migration reads."""
    written: int
    """The items that the migration writes, counted once for each pass."""
    read_units: float
    write_units: float
    dollars: float
    seconds: float
    """The time at the given rate of write units per second."""
    unknown: tuple[str, ...] = ()
    """The entities whose number of items is unknown. The estimate does not include them."""


def change_cost(
    before: Snapshot,
    after: Snapshot,
    operations: Sequence[Operation],
    counts: Mapping[str, int],
    prices: Prices,
    rate: float = RATE,
) -> ChangeCost:
    """Estimate the cost of a migration: one pass that writes new attributes, one that verifies, one that cleans up.

    `counts` is the number of items by entity name. Without it, the declared `expected_items` are used.
    """
    changes = [each for each in operations if each.category.has_phases]
    if not changes:
        return ChangeCost(0, 0, 0.0, 0.0, 0.0, 0.0)
    rewritten = frozenset[str]().union(*(each.rewritten for each in changes))
    cleaned = frozenset[str]().union(*(each.cleaned for each in changes))
    moved = frozenset[str]().union(*(each.rewritten for each in changes if each.category is Category.MOVE))
    passes = bool(rewritten) + 1 + bool(cleaned)
    design = design_of(after)
    sizes = ItemSizes(design)
    items, written, read_units, write_units = 0, 0, 0.0, 0.0
    unknown: list[str] = []
    for entity in design.entities:
        if entity.name not in before.entities:
            continue
        known = counts.get(entity.name, before.entities[entity.name].expected_items)
        count = after.entities[entity.name].expected_items if known is None else known
        if count is None:
            unknown.append(entity.label)
            continue
        item_bytes = sizes.item(entity)
        items += count
        read_units += passes * EVENTUALLY_CONSISTENT * count * item_bytes / READ_UNIT_BYTES
        per_item = math.ceil(item_bytes / WRITE_UNIT_BYTES)
        entries = sum(
            math.ceil(sizes.entry(entity, alias) / WRITE_UNIT_BYTES)
            for alias in entity.placements
            if alias != TABLE
            and (
                entity.name in moved
                or alias not in before.entities[entity.name].keys
                or before.indexes[alias] != after.indexes[alias]
            )
        )
        if entity.name in moved:  # a transaction deletes the old item and puts the new one, and checks the epoch
            per_item, entries = 2 * TRANSACTION_FACTOR * per_item + TRANSACTION_FACTOR, 2 * entries
        times = (entity.name in rewritten) + (entity.name in cleaned)
        written += times * count
        write_units += count * (times * per_item + (entries if entity.name in rewritten else 0))
    classes = prices.classes[STANDARD]
    dollars = (read_units * classes.million_read_units + write_units * classes.million_write_units) / _MILLION
    return ChangeCost(
        items, written, math.ceil(read_units * 2) / 2, write_units, dollars, write_units / rate, tuple(unknown)
    )
