"""Write units of the table and each index for one write, including the derived data in its transaction."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field

from singletable.lazy_dataclass import dataclass, replace
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import ItemWriteIntent, WriteKind
from singletable.model.keys import Placement
from singletable.model.table_schema import TABLE
from singletable.model.validation.class_rules import whole_object_rule
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.plan import Plan
from singletable.planner.planner import plan_copies_query
from singletable.planner.write_effects import DerivedItem, DerivedWrites, derived_writes
from singletable.values.item_size import (
    CONSISTENT,
    EVENTUAL,
    TRANSACTION_WRITE_FACTOR,
    entry_write_units,
    read_units,
    write_units,
)
from singletable.values.limits import TRANSACTION_ACTIONS_MAX

CountInPartition = Callable[[Plan, Entity, dict[str, None]], int]
"""A function that returns how many items of an entity a plan finds, and adds the guesses to the dict."""


@dataclass(frozen=True)
class WriteDescription:
    """A write of one item: its kind, the changed and removed fields, and the derived data that it keeps in sync."""

    entity: Entity
    kind: WriteKind
    changed: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    derived_writes: DerivedWrites | None = None
    reads_first: bool = False
    """Whether the write must read the item first, for validation or for index keys."""


@dataclass
class WriteUnits:
    """Write units of the table and each index. `table` is the number outside a transaction."""

    table: float = 0.0
    indexes: dict[str, float] = field(default_factory=dict)
    items: int = 0
    reads: dict[str, float] = field(default_factory=dict)
    """The read units before and after the write, by `table` or index label."""
    guessed: dict[str, dict[str, None]] = field(default_factory=dict)
    """Guesses in the write units, by `table` or index label."""
    guessed_reads: dict[str, dict[str, None]] = field(default_factory=dict)
    """Guesses in `reads`, by the same labels."""
    guesses_items: bool = False
    """Whether the number of written items is a guess."""
    derived: list[tuple[Entity, WriteUnits]] = field(default_factory=list)
    """The units for items of other entities, such as counters and copies. Unique markers are not included."""

    @property
    def non_transactional(self) -> float:
        """The units outside a transaction."""
        return self.table + sum(self.indexes.values())

    @property
    def transactional(self) -> float:
        """The units in a transaction. A transaction doubles the units of the table but not those of the indexes."""
        return TRANSACTION_WRITE_FACTOR * self.table + sum(self.indexes.values())

    def add(self, other: WriteUnits, times: int = 1, counted: Iterable[str] = ()) -> None:
        """Add the units of another write, multiplied by a number. `counted` has the guesses in this number."""
        counts = dict.fromkeys(counted)
        self.guesses_items |= bool(counts)
        for place in ("table", *other.indexes):
            self.guessed[place] = {**self.guessed.get(place, {}), **counts, **other.guessed.get(place, {})}
        self.table += other.table * times
        for label, units in other.indexes.items():
            self.indexes[label] = self.indexes.get(label, 0.0) + units * times
        self.items += other.items * times

    def add_read(self, place: str, units: float, guessed: Iterable[str] = ()) -> None:
        """Add read units and their guesses."""
        self.reads[place] = self.reads.get(place, 0.0) + units
        self.guessed_reads[place] = {**self.guessed_reads.get(place, {}), **dict.fromkeys(guessed)}


def units_of_item(sizes: ItemSizes, write: WriteDescription) -> WriteUnits:
    """Return the units of the written item, excluding derived data.

    A put counts as the put of a new item. Replacing an item with the same keys costs the same.
    """
    entity = write.entity
    units = WriteUnits(table=float(write_units(sizes.item(entity))), items=1)
    units.guessed["table"] = dict.fromkeys(sizes.guessed(entity))
    for alias, placement in entity.placements.items():
        of_index = 0.0 if alias == TABLE else sizes.share(entity, alias) * _entry_units(sizes, write, placement)
        if of_index:
            units.indexes[placement.index.label] = of_index
            guessed = sizes.guessed(entity)
            if not guessed and units.table > 1:  # an entry of up to 1 KB costs one unit
                guessed = sizes.guessed_entry(entity, alias)
            units.guessed[placement.index.label] = dict.fromkeys((*guessed, *sizes.guessed_share(entity, alias)))
    return units


def _entry_units(sizes: ItemSizes, write: WriteDescription, placement: Placement) -> int:
    size = sizes.entry(write.entity, placement.index.alias)
    old = None if write.kind in ("put", "create") else size
    new = None if write.kind == "delete" or placement.fields & write.removed else size
    is_moved = bool(placement.fields & write.changed)
    return entry_write_units(
        old, new, is_moved=is_moved, is_changed=_is_projected(write.entity, placement, write.changed)
    )


def _is_projected(entity: Entity, placement: Placement, changed: frozenset[str]) -> bool:
    """Return whether an index projects a changed field."""
    projection = placement.index.projection
    if projection.kind == "ALL":
        return True
    if entity.declaration.version is not None:
        changed |= {entity.declaration.version}
    return any(entity.attributes[name] in projection.attributes for name in changed if name in entity.attributes)


def write_of_plan(plan: Plan) -> WriteDescription:
    """Return the write of a plan."""
    intent = plan.pattern.intent
    assert isinstance(intent, ItemWriteIntent), "the caller passes a write"
    return WriteDescription(
        plan.entities[0], intent.kind, intent.changed, intent.removed, plan.derived_writes, plan.reads_item_first
    )


def write_of_object(
    design: Design, entity: Entity, kind: WriteKind, changed: frozenset[str] = frozenset()
) -> WriteDescription:
    """Return the write of an object by `put`, `create`, `update` or `delete`."""
    reads_first = kind == "update" and whole_object_rule(entity.cls) is not None
    return WriteDescription(
        entity, kind, changed, derived_writes=derived_writes(design, entity, kind, changed), reads_first=reads_first
    )


def units_of_write(sizes: ItemSizes, write: WriteDescription, per_partition: CountInPartition) -> WriteUnits:
    """Return the units of a write, including its reads and derived data."""
    entity, kind, changed, writes = write.entity, write.kind, write.changed, write.derived_writes
    units = units_of_item(sizes, write)
    own = units.table
    if writes is not None:
        copies = 0
        for part, times, counted in _times(sizes.design, write, writes, per_partition):
            copies += times if part.copy is not None else 0
            derived = WriteUnits()
            derived.add(_units_of_derived_item(sizes, part, kind, changed), times, counted)
            units.add(derived)
            units.guesses_items |= derived.guesses_items
            if part.marker is None:
                units.derived.append((part.entity, derived))
        for part in writes.parts:
            _add_copy_reads(units, sizes, part, kind, per_partition)
        is_alone = _are_copies_split(writes, units.items, copies) and _split_copies(units, own, copies)
        if kind == "update" and not is_alone:  # a transaction returns no item, so the new item is read after it
            units.add_read("table", read_units(sizes.item(entity), CONSISTENT), sizes.guessed(entity))
    if write.reads_first or (writes is not None and writes.reads_item_first):
        units.add_read("table", read_units(sizes.item(entity), CONSISTENT), sizes.guessed(entity))
    return units


def _are_copies_split(writes: DerivedWrites, items: int, copies: int) -> bool:
    """Return whether the copies need separate transactions because they do not fit into one."""
    may = all(part.copy.in_parts for part in writes.parts if part.copy is not None)
    return may and bool(copies) and items > TRANSACTION_ACTIONS_MAX


def _split_copies(units: WriteUnits, own: float, copies: int) -> bool:
    """Move the copies to separate transactions. Return whether the source is then written without a transaction."""
    parts = math.ceil(copies / (TRANSACTION_ACTIONS_MAX - 1))
    units.table += own * parts  # each transaction checks that the source is unchanged
    if units.items > 1 + copies:
        return False
    units.table -= own / TRANSACTION_WRITE_FACTOR
    return True


def derived_items(writes: DerivedWrites, kind: WriteKind) -> Iterator[DerivedItem]:
    """Yield the other items that a write changes or checks, in the order of `WriteUnits.derived`."""
    counters: dict[tuple[str, frozenset[str]], frozenset[str]] = {}
    for part in writes.parts:
        if part.role == "counter":
            counters[_item_identity(part)] = counters.get(_item_identity(part), frozenset()) | part.changes
    seen: set[tuple[str, frozenset[str]]] = set()
    for part in writes.parts:
        if part.role in ("counter", "source"):
            # A transaction has one action per item, so the update of a counter also checks the source.
            if _item_identity(part) in seen:
                continue
            seen.add(_item_identity(part))
        if part.role == "counter":
            yield replace(part, changes=counters[_item_identity(part)])
        elif part.copy is None or kind == "update":  # no item copies a new item
            yield part


def _item_identity(part: DerivedItem) -> tuple[str, frozenset[str]]:
    """Return the entity and the fields that together identify a derived item."""
    return part.entity.label, part.fields


def _times(
    design: Design, write: WriteDescription, writes: DerivedWrites, per_partition: CountInPartition
) -> Iterator[tuple[DerivedItem, int, tuple[str, ...]]]:
    """Yield each kind of derived item, the number of items, and the guesses in this number. A moved item counts twice.

    The estimate assumes that every write that can change a conditional counter does change it.
    """
    for part in derived_items(writes, write.kind):
        if part.copy is not None:
            found = plan_copies_query(design, part.copy, part.entity)
            guessed: dict[str, None] = {}
            times = _copy_count(found, part.entity, per_partition, guessed) if isinstance(found, Plan) else 1
            yield part, times, tuple(guessed)
        elif part.role in ("marker", "counter"):
            yield part, 2 if write.kind == "update" and part.fields & write.changed else 1, ()
        else:
            yield part, 1, ()


def _copy_count(found: Plan, entity: Entity, per_partition: CountInPartition, guessed: dict[str, None]) -> int:
    """Return the number of copies of one item. A declared number is per partition; a guess is a total."""
    count = per_partition(found, entity, guessed)
    return count if guessed else count * (found.queries or 1)


def _units_of_derived_item(sizes: ItemSizes, part: DerivedItem, kind: WriteKind, changed: frozenset[str]) -> WriteUnits:
    if part.marker is not None:
        return WriteUnits(table=float(write_units(sizes.marker(part.marker, part.entity))), items=1)
    if part.role == "source":  # a condition check costs as much as a write of the item
        return WriteUnits(
            table=float(write_units(sizes.item(part.entity))),
            items=1,
            guessed={"table": dict.fromkeys(sizes.guessed(part.entity))},
        )
    if part.role != "mirror":
        return units_of_item(sizes, WriteDescription(part.entity, "update", part.changes))
    if kind != "update":
        return units_of_item(sizes, WriteDescription(part.entity, kind))
    moved = WriteUnits()
    if part.entity.base.fields & changed:  # a change of the item's key needs a delete and a put
        moved.add(units_of_item(sizes, WriteDescription(part.entity, "delete")))
        moved.add(units_of_item(sizes, WriteDescription(part.entity, "put")))
        return moved
    return units_of_item(sizes, WriteDescription(part.entity, "update", part.changes))


def copy_read_units(sizes: ItemSizes, part: DerivedItem, found: Plan, kind: WriteKind, count: int) -> dict[str, float]:
    """Return the read units for finding the copies, before and after the write, by `table` or index label.

    Copies in separate transactions are read once more, to confirm that no copy is outdated.
    """
    factor, queries = CONSISTENT if found.strong_possible else EVENTUAL, found.queries or 1
    is_in_parts = part.copy is not None and part.copy.in_parts and count >= TRANSACTION_ACTIONS_MAX
    looks = 3 if is_in_parts else 2
    if kind != "update":
        return {found.index.label: queries * read_units(0, factor)}
    in_each = math.ceil(count / queries) * sizes.entry(part.entity, found.index.alias)
    reads = {found.index.label: looks * queries * read_units(in_each, factor)}
    if found.hydrate:
        reads["table"] = looks * count * read_units(sizes.item(part.entity), factor)
    return reads


def _add_copy_reads(
    units: WriteUnits, sizes: ItemSizes, part: DerivedItem, kind: WriteKind, per_partition: CountInPartition
) -> None:
    """Add the reads that find the copies of an item, before and after the write."""
    found = plan_copies_query(sizes.design, part.copy, part.entity) if part.copy is not None else None
    if not isinstance(found, Plan):
        return
    counted: dict[str, None] = {}
    count = _copy_count(found, part.entity, per_partition, counted) if kind == "update" else 0
    for place, amount in copy_read_units(sizes, part, found, kind, count).items():
        of_entries = sizes.guessed_entry(part.entity, found.index.alias)
        of_size = of_entries if place == found.index.label else sizes.guessed(part.entity)
        units.add_read(place, amount, (*counted, *of_size) if kind == "update" else ())
