"""The requirements of one entity for its keys: facts about its fields, and what its write patterns change and know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, get_origin

from singletable.expressions.tree import Constant, Parameter
from singletable.key_solver.read_columns import DerivedColumns, fields_with
from singletable.key_solver.workload import ColumnFacts, EntityNeeds, Read, Write
from singletable.model.derived.bucket import Bucket
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.field_roles import follows_clock, is_day, value_count
from singletable.model.intents import ItemWriteIntent
from singletable.model.parameter_binding import bindings_for, fixed_values
from singletable.model.parameter_types import Equal
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.planner.item_sizes import field_bytes, item_bytes

_CLOCK_VALUES = 1
"""All current writes go to the partition of the current day or hour."""


def entity_needs(
    design: Design,
    entity: Entity,
    identity: tuple[str, ...],
    derived: DerivedColumns,
    reads: Sequence[Read],
    writes: Sequence[Write],
) -> EntityNeeds:
    """Return the requirements of an entity for its keys."""
    facts = {each: _facts(entity, each, identity) for each in entity.fields}
    for name, value in derived.values.items():
        hottest = 1.0 if isinstance(value, Bucket) else None  # all current writes go to the current bucket
        facts[name] = ColumnFacts(optional=any(entity.fields[each].optional for each in value.fields), hottest=hottest)
    found = [_with_derived(each, derived) for each in writes]
    changing = [name for name, each in entity.declaration.references.items() if each.changes]
    found += [Write(f"a change of {name}", frozenset({name}), rate=0.0) for name in changing]
    size, _ = item_bytes(design, entity)
    return EntityNeeds(
        entity.label, identity, facts, tuple(reads), tuple(found), entity.declaration.expected_items, size
    )


def _facts(entity: Entity, name: str, identity: tuple[str, ...]) -> ColumnFacts:
    own, size = entity.fields[name], field_bytes(entity, name)
    declared = entity.declaration.cardinality.get(name)
    if declared is not None:
        return ColumnFacts(size, declared.values, own.optional, declared.hottest)
    if follows_clock(own) and is_day(own):
        return ColumnFacts(size, _CLOCK_VALUES, own.optional)
    found = None if (name,) == identity else value_count(own)
    return ColumnFacts(size, None if found is None else found.values, own.optional)


def _with_derived(write: Write, derived: DerivedColumns) -> Write:
    """Return the write, with the derived values that it changes and those that the writer can compute added to it."""
    if not derived.values:
        return write
    known = None if write.known is None else write.known | derived.made_of(write.known)
    finds_by = None if write.finds_by is None else write.finds_by | derived.made_of(write.finds_by)
    changed = write.changed | derived.depends_on(write.changed)
    return replace(write, changed=changed, known=known, finds_by=finds_by)


def _changed_by_put(entity: Entity) -> frozenset[str]:
    """Return the fields that a put of an existing item can change: numbers and states, but no names, times or links."""
    known = {*(entity.identity or ()), *entity.declaration.references}
    return frozenset(name for name, own in entity.fields.items() if name not in known and _is_number_or_state(own.type))


def _is_number_or_state(kind: Any) -> bool:
    is_state = get_origin(kind) is Literal or (isinstance(kind, type) and issubclass(kind, Enum))
    return is_state or kind in (int, float, Decimal, bool)


def write_of(pattern: PatternDeclaration, intent: ItemWriteIntent, entity: Entity) -> Write:
    """Return the fields that a write changes, and the fields whose values its caller passes."""
    takes_item = any(each.type is entity.cls for each in pattern.bound_parameters)
    if intent.kind in ("put", "create") or takes_item:
        changed = _changed_by_put(entity) if intent.kind == "put" else frozenset[str]()
        return Write(pattern.name, changed, rate=pattern.calls_per_second)
    bindings, _ = bindings_for(pattern, entity)
    in_key = fields_with(bindings, Equal)
    known = in_key | (fixed_values(intent.where).keys() - intent.changed)
    known |= {
        str(each.path.steps[0])
        for each in intent.changes
        if each.action == "SET" and len(each.path.steps) == 1 and isinstance(each.value, Constant | Parameter)
    }
    changed = intent.changed | ({entity.declaration.version} if entity.declaration.version else frozenset())
    changed = changed if intent.kind == "update" else frozenset()
    cleared = frozenset(name for name in intent.removed if entity.fields[name].is_none_unless_stored)
    reads_first = (pattern.options.fanout or 1) > 1
    rate = pattern.calls_per_second
    return Write(pattern.name, changed, frozenset(known | cleared), rate, in_key, in_key, cleared, reads_first)
