"""What a write costs the table and each index it touches, with the items that are kept right in its transaction."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.index import TABLE
from singletable.model.intents import Write, WriteKind
from singletable.model.keys import Placement
from singletable.model.rules.class_rules import whole_object_rule
from singletable.planner.holders import plan_holders
from singletable.planner.item_sizes import Sizes
from singletable.planner.kept import Kept, KeptItem, kept_by
from singletable.planner.plan import Plan
from singletable.values.capacity_units import (
    CONSISTENT,
    EVENTUAL,
    TRANSACTION_WRITE_FACTOR,
    entry_write_units,
    read_units,
    write_units,
)
from singletable.values.limits import TRANSACTION_ACTIONS_MAX

PerPartition = Callable[[Plan, Entity, dict[str, None]], int]
"""How many items of an entity a plan finds; what is guessed of it is added."""


@dataclass(frozen=True)
class ItemWrite:
    """A write of one item: its kind, the fields that it changes or takes away, and what it keeps right."""

    entity: Entity
    kind: WriteKind
    changed: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    kept: Kept | None = None
    reads_first: bool = False
    """Whether the item has to be read before it is validated, or before an index key can be written."""


@dataclass
class WriteUnits:
    """Units by where they are consumed; `table` is what the table takes outside of a transaction."""

    table: float = 0.0
    indexes: dict[str, float] = field(default_factory=dict)
    items: int = 0
    reads: dict[str, float] = field(default_factory=dict)
    """Read units of what is looked at before or after, by where it lies."""
    guessed: dict[str, dict[str, None]] = field(default_factory=dict)
    """What was guessed, by where its units are consumed: `table`, and the labels of indexes."""
    guessed_reads: dict[str, dict[str, None]] = field(default_factory=dict)
    """What was guessed of `reads`, by the same places."""
    guesses_items: bool = False
    """Whether it is a guess how many items are written."""
    kept: list[tuple[Entity, WriteUnits]] = field(default_factory=list)
    """What of it is of other entities' items, such as counters and copies; markers are each in a place of their own."""

    @property
    def plain(self) -> float:
        """The units of the write by itself."""
        return self.table + sum(self.indexes.values())

    @property
    def transactional(self) -> float:
        """The units of the same in a transaction, which costs the table twice as much and the indexes the same."""
        return TRANSACTION_WRITE_FACTOR * self.table + sum(self.indexes.values())

    def add(self, other: WriteUnits, times: int = 1, counted: Iterable[str] = ()) -> None:
        """Adds another write, so many times; `counted` is what was guessed of how many times."""
        counts = dict.fromkeys(counted)
        self.guesses_items |= bool(counts)
        for place in ("table", *other.indexes):
            self.guessed[place] = {**self.guessed.get(place, {}), **counts, **other.guessed.get(place, {})}
        self.table += other.table * times
        for label, units in other.indexes.items():
            self.indexes[label] = self.indexes.get(label, 0.0) + units * times
        self.items += other.items * times

    def look(self, place: str, units: float, guessed: Iterable[str] = ()) -> None:
        """Adds a read, with what is a guess of it."""
        self.reads[place] = self.reads.get(place, 0.0) + units
        self.guessed_reads[place] = {**self.guessed_reads.get(place, {}), **dict.fromkeys(guessed)}


def units_of_item(sizes: Sizes, write: ItemWrite) -> WriteUnits:
    """The units of the one item that is written, without what is kept right beside it.

    A put is taken for one of a new item; over an old one with the same keys it costs the same.
    """
    entity = write.entity
    units = WriteUnits(table=float(write_units(sizes.item(entity))), items=1)
    units.guessed["table"] = dict.fromkeys(sizes.guessed(entity))
    for alias, placement in entity.placements.items():
        of_index = 0.0 if alias == TABLE else sizes.share(entity, alias) * _entry_units(sizes, write, placement)
        if of_index:
            units.indexes[placement.index.label] = of_index
            guessed = sizes.guessed(entity)
            if not guessed and units.table > 1:  # within one unit an entry costs one, however small it is
                guessed = sizes.guessed_entry(entity, alias)
            units.guessed[placement.index.label] = dict.fromkeys((*guessed, *sizes.guessed_share(entity, alias)))
    return units


def _entry_units(sizes: Sizes, write: ItemWrite, placement: Placement) -> int:
    size = sizes.entry(write.entity, placement.index.alias)
    old = None if write.kind in ("put", "create") else size
    new = None if write.kind == "delete" or placement.fields & write.removed else size
    is_moved = bool(placement.fields & write.changed)
    return entry_write_units(old, new, is_moved=is_moved, is_changed=_shows(write.entity, placement, write.changed))


def _shows(entity: Entity, placement: Placement, changed: frozenset[str]) -> bool:
    """Whether an index holds something of what changes."""
    projection = placement.index.projection
    if projection.kind == "ALL":
        return True
    if entity.declaration.version is not None:
        changed |= {entity.declaration.version}
    return any(entity.attributes[name] in projection.attributes for name in changed if name in entity.attributes)


def planned_write(plan: Plan) -> ItemWrite:
    """The write of a plan."""
    intent = plan.pattern.intent
    assert isinstance(intent, Write), "asked of writes only"
    return ItemWrite(plan.wanted[0], intent.kind, intent.changed, intent.removed, plan.kept, plan.reads_item_first)


def plain_write(design: Design, entity: Entity, kind: WriteKind, changed: frozenset[str] = frozenset()) -> ItemWrite:
    """The write of an object by `put`, `create`, `update` or `delete`."""
    reads_first = kind == "update" and whole_object_rule(entity.cls) is not None
    return ItemWrite(entity, kind, changed, kept=kept_by(design, entity, kind, changed), reads_first=reads_first)


def units_of(sizes: Sizes, write: ItemWrite, per_partition: PerPartition) -> WriteUnits:
    """The units of a write, with what it reads first and what it keeps right."""
    entity, kind, changed, kept = write.entity, write.kind, write.changed, write.kept
    units = units_of_item(sizes, write)
    own = units.table
    if kept is not None:
        copies = 0
        for part, times, counted in _times(sizes.design, write, kept, per_partition):
            copies += times if part.copy is not None else 0
            beside = WriteUnits()
            beside.add(_units_of_kept(sizes, part, kind, changed), times, counted)
            units.add(beside)
            units.guesses_items |= beside.guesses_items
            if part.marker is None:
                units.kept.append((part.entity, beside))
        for part in kept.parts:
            _look_for_holders(units, sizes, part, kind, per_partition)
        is_alone = _go_in_parts(kept, units.items, copies) and _part(units, own, copies)
        if kind == "update" and not is_alone:  # a transaction answers nothing, so that the new item is read after it
            units.look("table", read_units(sizes.item(entity), CONSISTENT), sizes.guessed(entity))
    if write.reads_first or (kept is not None and kept.looks_first):
        units.look("table", read_units(sizes.item(entity), CONSISTENT), sizes.guessed(entity))
    return units


def _go_in_parts(kept: Kept, items: int, copies: int) -> bool:
    """Whether copies follow in transactions of their own, since one does not hold them all."""
    may = all(part.copy.in_parts for part in kept.parts if part.copy is not None)
    return may and bool(copies) and items > TRANSACTION_ACTIONS_MAX


def _part(units: WriteUnits, own: float, copies: int) -> bool:
    """Takes copies out of the transaction of their source; whether that is then written by a request of its own."""
    parts = math.ceil(copies / (TRANSACTION_ACTIONS_MAX - 1))
    units.table += own * parts  # each part looks whether the source is still what it repeats
    if units.items > 1 + copies:
        return False
    units.table -= own / TRANSACTION_WRITE_FACTOR
    return True


def written_with(kept: Kept, kind: WriteKind) -> Iterator[KeptItem]:
    """The other items that a write of this kind writes or looks at, in the order of `WriteUnits.kept`."""
    counters: dict[tuple[str, frozenset[str]], frozenset[str]] = {}
    for part in kept.parts:
        if part.role == "counter":
            counters[_place(part)] = counters.get(_place(part), frozenset()) | part.changes
    met: set[tuple[str, frozenset[str]]] = set()
    for part in kept.parts:
        if part.role in ("counter", "source"):
            # A transaction has one action for each item: what is counted up is looked at with it.
            if _place(part) in met:
                continue
            met.add(_place(part))
        if part.role == "counter":
            yield replace(part, changes=counters[_place(part)])
        elif part.copy is None or kind == "update":  # nothing repeats an item that was not there
            yield part


def _place(part: KeptItem) -> tuple[str, frozenset[str]]:
    """What tells apart the items that one write counts in or looks at."""
    return part.entity.label, part.fields


def _times(
    design: Design, write: ItemWrite, kept: Kept, per_partition: PerPartition
) -> Iterator[tuple[KeptItem, int, tuple[str, ...]]]:
    """How many items of each kind are written, and what of it is a guess; what moves from place to place is two.

    A counter with a condition is taken to change with every write that can change it.
    """
    for part in written_with(kept, write.kind):
        if part.copy is not None:
            found = plan_holders(design, part.copy, part.entity)
            guessed: dict[str, None] = {}
            times = _holders(found, part.entity, per_partition, guessed) if isinstance(found, Plan) else 1
            yield part, times, tuple(guessed)
        elif part.role in ("marker", "counter"):
            yield part, 2 if write.kind == "update" and part.fields & write.changed else 1, ()
        else:
            yield part, 1, ()


def _holders(found: Plan, entity: Entity, per_partition: PerPartition, guessed: dict[str, None]) -> int:
    """How many items repeat one; what is declared lies in each of the partitions that are asked, a guess in all."""
    count = per_partition(found, entity, guessed)
    return count if guessed else count * (found.queries or 1)


def _units_of_kept(sizes: Sizes, part: KeptItem, kind: WriteKind, changed: frozenset[str]) -> WriteUnits:
    if part.marker is not None:
        return WriteUnits(table=float(write_units(sizes.marker(part.marker, part.entity))), items=1)
    if part.role == "source":  # a condition is paid like a write of what it looks at
        return WriteUnits(
            table=float(write_units(sizes.item(part.entity))),
            items=1,
            guessed={"table": dict.fromkeys(sizes.guessed(part.entity))},
        )
    if part.role != "mirror":
        return units_of_item(sizes, ItemWrite(part.entity, "update", part.changes))
    if kind != "update":
        return units_of_item(sizes, ItemWrite(part.entity, kind))
    moved = WriteUnits()
    if part.entity.base.fields & changed:  # its key changes: one item goes, another comes
        moved.add(units_of_item(sizes, ItemWrite(part.entity, "delete")))
        moved.add(units_of_item(sizes, ItemWrite(part.entity, "put")))
        return moved
    return units_of_item(sizes, ItemWrite(part.entity, "update", part.changes))


def holder_reads(sizes: Sizes, part: KeptItem, found: Plan, kind: WriteKind, count: int) -> dict[str, float]:
    """The read units of finding so many copies, before the write and once more after it, by where they are read.

    Those that follow in parts are looked for once more, until none is left behind.
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


def _look_for_holders(
    units: WriteUnits, sizes: Sizes, part: KeptItem, kind: WriteKind, per_partition: PerPartition
) -> None:
    """Adds the reads that find what repeats an item, before the write and once more after it."""
    found = plan_holders(sizes.design, part.copy, part.entity) if part.copy is not None else None
    if not isinstance(found, Plan):
        return
    counted: dict[str, None] = {}
    count = _holders(found, part.entity, per_partition, counted) if kind == "update" else 0
    for place, amount in holder_reads(sizes, part, found, kind, count).items():
        of_entries = sizes.guessed_entry(part.entity, found.index.alias)
        of_size = of_entries if place == found.index.label else sizes.guessed(part.entity)
        units.look(place, amount, (*counted, *of_size) if kind == "update" else ())
