"""Plan writes: one PutItem, UpdateItem or DeleteItem, and the index keys that an update recomputes."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import ItemWriteIntent
from singletable.model.keys import TemplatePart
from singletable.model.parameter_binding import Binding, bindings_for, fixed_values
from singletable.model.parameter_types import Equal
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.planner.index_match import match_index
from singletable.planner.mismatches import ChangesKey, FieldsMissing, Mismatch, PartitionUnknown, SortUnknown
from singletable.planner.operands import FixedText, KeyComparison, TextOperand
from singletable.planner.plan import Candidate, KeyAttributeRewrite, Operation, Plan
from singletable.planner.validation_reads import read_reason
from singletable.planner.write_effects import derived_writes, key_rewrites

_OPERATIONS: dict[str, Operation] = {
    "put": "PutItem",
    "create": "PutItem",
    "update": "UpdateItem",
    "delete": "DeleteItem",
}


def write_candidates(design: Design, pattern: PatternDeclaration) -> Iterator[Candidate]:
    """Yield the only candidate of a write, which is the table."""
    intent = pattern.intent
    assert isinstance(intent, ItemWriteIntent), "other planners handle other intents"
    entity = design.entity_of(intent.entity)
    bindings, _ = bindings_for(pattern, entity)
    if takes_item(pattern, entity):
        partition, sort = _whole_key(entity)
        mismatches: tuple[Mismatch, ...] = ()
    else:
        condition = match_index(entity.base, bindings)
        partition, sort = condition.partition, condition.sort
        incomplete = () if condition.complete or condition.mismatches else (_open_fields(entity, bindings),)
        given = condition.mismatches if intent.kind in ("update", "delete") else _key_mismatches(condition.mismatches)
        mismatches = (*given, *incomplete, *_missing(intent, entity, bindings), *_key_changes(intent, entity))
    yield Candidate(
        Plan(
            pattern,
            _OPERATIONS[intent.kind],
            design.table,
            partition,
            sort,
            (entity,),
            condition=intent.where,
            changes=intent.changes,
            rewrites=tuple(_rewrites(intent, entity, bindings)),
            derived_writes=derived_writes(design, entity, intent.kind, intent.changed),
            validation_read=_validation_read(intent),
        ),
        mismatches,
    )


def _validation_read(intent: ItemWriteIntent) -> str | None:
    """Return the first reason why an update must read the item to validate it."""
    validates_whole = intent.validation == "whole"
    reasons = (read_reason(intent.entity, change, validates_whole=validates_whole) for change in intent.changes)
    return next((reason for reason in reasons if reason is not None), None)


def takes_item(pattern: PatternDeclaration, entity: Entity) -> bool:
    """Return whether a parameter is the whole item."""
    return any(parameter.type is entity.cls for parameter in pattern.parameters.values())


def _whole_key(entity: Entity) -> tuple[tuple[KeyComparison, ...], tuple[KeyComparison, ...]]:
    """Return the key templates as comparisons with values from the whole item."""

    def shown(parts: tuple[object, ...], names: tuple[str, ...]) -> tuple[KeyComparison, ...]:
        pairs = zip(parts, names, strict=True)
        return tuple(KeyComparison(name, "=", (TextOperand((FixedText(str(part)),)),)) for part, name in pairs)

    partition = tuple(part.attribute for part in entity.base.partition)
    sort = tuple(part.attribute for part in entity.base.sort)
    return shown(entity.base.partition, partition), shown(entity.base.sort, sort)


def _open_fields(entity: Entity, bindings: tuple[Binding, ...]) -> Mismatch:
    known = _equal_fields(bindings)
    return SortUnknown(tuple(sorted(entity.base.fields - known)))


def _key_mismatches(mismatches: tuple[Mismatch, ...]) -> tuple[Mismatch, ...]:
    """Return only the mismatches with the key.

    The other mismatches concern fields that a put stores outside the key.
    """
    return tuple(mismatch for mismatch in mismatches if isinstance(mismatch, PartitionUnknown | SortUnknown))


def _equal_fields(bindings: tuple[Binding, ...]) -> set[str]:
    return {name for binding in bindings if binding.test is Equal for name in binding.fields}


def _missing(intent: ItemWriteIntent, entity: Entity, bindings: tuple[Binding, ...]) -> Iterator[Mismatch]:
    if intent.kind in ("put", "create"):
        given = _equal_fields(bindings)
        missing = tuple(name for name, field in entity.fields.items() if field.required and name not in given)
        if missing:
            yield FieldsMissing(missing)


def _key_changes(intent: ItemWriteIntent, entity: Entity) -> Iterator[Mismatch]:
    changed = intent.changed
    if in_key := tuple(sorted(changed & entity.base.fields)):
        yield ChangesKey(in_key)


def _rewrites(intent: ItemWriteIntent, entity: Entity, bindings: tuple[Binding, ...]) -> Iterator[KeyAttributeRewrite]:
    changed = intent.changed
    # An update determines the new value of a field that it sets, or that its condition compares with a value. If it
    # adds to a field, appends to it, changes a part of it, or removes a field with a default, only a read shows the new
    # value.
    lost = frozenset(name for name in intent.removed if entity.fields[name].is_none_unless_stored)
    known = _equal_fields(bindings) | (set(fixed_values(intent.where)) - changed) | lost
    known |= {
        str(change.path.steps[0]) for change in intent.changes if change.action == "SET" and len(change.path.steps) == 1
    }
    for rewrite in key_rewrites(entity, changed, lost):
        unknown = tuple(sorted(rewrite.needed - known))
        for part in rewrite.parts:
            if isinstance(part, TemplatePart) and part not in entity.base.parts:
                yield KeyAttributeRewrite(rewrite.placement.index, part.attribute, str(part), unknown, rewrite.is_left)
