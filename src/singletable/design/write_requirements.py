"""The arguments that each write of a design needs, the index entries that it moves, and the copies that it updates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from singletable.design.designed_table import DesignedTable
from singletable.expressions.tree import Constant
from singletable.key_solver.entity_slots import TABLE_SLOT
from singletable.key_solver.workload import EntityNeeds, Write
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import ItemWriteIntent
from singletable.model.parameter_binding import fixed_values
from singletable.model.table_schema import TABLE
from singletable.planner.formatting import format_list, format_number
from singletable.planner.plan import Plan
from singletable.planner.planner import plan_copies_query


@dataclass(frozen=True)
class WriteRequirement:
    """A write pattern: the fields that its caller must pass for the keys, and the index entries that it moves."""

    pattern: str
    entity: str
    gives: tuple[str, ...]
    """The fields for the keys. Empty if the caller passes the whole item."""
    moves: tuple[str, ...]
    """The indexes in which the write deletes an entry and writes another."""
    reads_first: bool = False
    """Whether the write reads the item first, because it does not know all values that it needs."""
    leaves: tuple[str, ...] = ()
    """The indexes that no longer contain the item after the write."""

    def __str__(self) -> str:
        given = f"give {format_list(self.gives)}" if self.gives else "give the whole item"
        read = "; reads the item first" if self.reads_first else ""
        moved = f"; moves the entry in {format_list(self.moves)}" if self.moves else ""
        left = f"; removes the entry from {format_list(self.leaves)}" if self.leaves else ""
        return f"{self.pattern}: {given}{read}{moved}{left}"


@dataclass(frozen=True)
class CopiesUpdated:
    """A copied field: its source, the writes that update its copies, the index that finds them, and their number."""

    entity: str
    fields: tuple[str, ...]
    source: str
    updated_by: tuple[str, ...]
    found_in: str
    mean: float | None
    max: int | None
    is_weak: bool
    """Whether an index finds the copies, so that an update can miss a copy that was written at the same moment."""

    def __str__(self) -> str:
        what = f"{self.entity}.{format_list(self.fields)} {'are copies' if len(self.fields) > 1 else 'is a copy'}"
        text = f"{what} of {self.source}"
        if not self.updated_by:
            return f"{text}; no write changes the source"
        count = "all copies" if self.mean is None else f"about {format_number(self.mean)} copies"
        most = "" if self.max is None else f", at most {self.max:,}"
        find, update = ("find", "update") if len(self.updated_by) > 1 else ("finds", "updates")
        text += f"; {format_list(self.updated_by)} {find} {count}{most} in {self.found_in} and {update} them"
        weak = ". The index can lack a copy that was written at the same moment, and this copy keeps its old value"
        return f"{text} in the same transaction, at twice the write units{weak if self.is_weak else ''}"


def write_requirements(table: DesignedTable) -> Iterator[WriteRequirement]:
    """Yield the requirements of every write pattern of the designed entities."""
    for needs in table.model.workload.entities:
        patterns = {each.name for each in table.before.patterns if isinstance(each.intent, ItemWriteIntent)}
        yield from (_requirement(table, needs, write) for write in needs.writes if write.name in patterns)


def _requirement(table: DesignedTable, needs: EntityNeeds, write: Write) -> WriteRequirement:
    keys = table.solution.keys_of(needs.name).keys
    aliases = dict(zip(keys, table.keys[needs.name], strict=True))
    moved = [number for number, key in keys.items() if number != TABLE_SLOT and write.moves_entry(key.columns)]
    derived = table.model.derived[needs.name].values
    gives: dict[str, None] = {}
    reads = False
    if write.known is not None:
        own = frozenset(_constants(table, write.name))
        kept = [keys[number] for number in moved if not write.cleared & keys[number].columns]
        parts = [part for key in kept for part in key.attributes]
        reads = any(each.reads_item_first for each in _plans_of(table, write.name))
        changed = [part & write.changed if reads else part for part in parts if part & write.changed]
        for part in (keys[TABLE_SLOT].columns, *changed):
            gives |= dict.fromkeys(name for name in _fields(needs, derived, part) if name not in own)
    left = [number for number in moved if write.cleared & keys[number].columns]
    moves = tuple(aliases[number] for number in moved if number not in left)
    leaves = tuple(aliases[number] for number in left)
    return WriteRequirement(write.name, needs.name, tuple(gives), moves, reads, leaves)


def _plans_of(table: DesignedTable, pattern: str) -> list[Plan]:
    return [each for each in table.outcomes if isinstance(each, Plan) and each.pattern.name == pattern]


def _constants(table: DesignedTable, pattern: str) -> Iterator[str]:
    """Yield the fields that a pattern itself sets to a constant, so that its caller does not pass them."""
    intent = next(each.intent for each in table.before.patterns if each.name == pattern)
    assert isinstance(intent, ItemWriteIntent), "the caller passes a write"
    fixed = fixed_values(intent.where)
    yield from (name for name, source in fixed.items() if isinstance(source, Constant))
    yield from (str(each.path.steps[0]) for each in intent.changes if isinstance(each.value, Constant))


def _fields(needs: EntityNeeds, derived: Mapping[str, DerivedValue], columns: frozenset[str]) -> list[str]:
    """Return the fields from which the writer computes key columns."""
    return [name for each in needs.sorted(columns) for name in (derived[each].fields if each in derived else (each,))]


def copies_updated(table: DesignedTable) -> Iterator[CopiesUpdated]:
    """Yield the copies of the designed entities, and the writes that update them."""
    design = table.after
    for entity in (design.entity_of(each.cls) for each in table.model.entities):
        for each in entity.declaration.copies:
            name = f"copies of {each.source.__name__} in {entity.label}"
            found = plan_copies_query(design, each, entity)
            index = found.index if isinstance(found, Plan) else None
            place = "no index" if index is None else "the table" if index.alias == TABLE else index.alias
            references = [entity.declaration.references.get(column) for column in each.by.values()]
            reference = next((one for one in references if one is not None), None)
            yield CopiesUpdated(
                entity.label,
                tuple(each.fields.values()),
                each.source.__name__,
                tuple(sorted(_changed_by(design, design.entity_of(each.source), frozenset(each.fields)))),
                place,
                reference.mean if reference is not None else None,
                reference.max if reference is not None else None,
                name in table.model.weak_copies,
            )


def _changed_by(design: Design, source: Entity, fields: frozenset[str]) -> Iterator[str]:
    for pattern in design.patterns:
        intent = pattern.intent
        if isinstance(intent, ItemWriteIntent) and intent.entity is source.cls and intent.changed & fields:
            yield pattern.name
