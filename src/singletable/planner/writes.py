"""Plans of writes: one PutItem, UpdateItem or DeleteItem, and the index keys that an update writes anew."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.binding import Binding, bindings_for, held_values
from singletable.model.declaration import PatternDeclaration
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import Write
from singletable.model.keys import TemplatePart
from singletable.model.ranges import Equal
from singletable.planner.kept import kept_by
from singletable.planner.key_condition import key_condition
from singletable.planner.key_rewrites import key_rewrites
from singletable.planner.obstacles import ChangesKey, FieldsMissing, Obstacle, PartitionUnknown, SortUnknown
from singletable.planner.operands import KeyTest, Text, TextOperand
from singletable.planner.plan import Candidate, Operation, Plan, Rewrite
from singletable.planner.validation_reads import read_reason

_OPERATIONS: dict[str, Operation] = {
    "put": "PutItem",
    "create": "PutItem",
    "update": "UpdateItem",
    "delete": "DeleteItem",
}


def write_candidates(design: Design, pattern: PatternDeclaration) -> Iterator[Candidate]:
    """The one candidate that a write has: the table itself."""
    intent = pattern.intent
    assert isinstance(intent, Write), "other intents have planners of their own"
    entity = design.entity_of(intent.entity)
    bindings, _ = bindings_for(pattern, entity)
    if takes_item(pattern, entity):
        partition, sort = _whole_key(entity)
        obstacles: tuple[Obstacle, ...] = ()
    else:
        condition = key_condition(entity.base, bindings)
        partition, sort = condition.partition, condition.sort
        incomplete = () if condition.complete or condition.obstacles else (_open_fields(entity, bindings),)
        given = condition.obstacles if intent.kind in ("update", "delete") else _key_obstacles(condition.obstacles)
        obstacles = (*given, *incomplete, *_missing(intent, entity, bindings), *_key_changes(intent, entity))
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
            kept=kept_by(design, entity, intent.kind, intent.changed),
            validation_read=_validation_read(intent),
        ),
        obstacles,
    )


def _validation_read(intent: Write) -> str | None:
    """The first reason to read the item for validation among the changes of an update."""
    validates_whole = intent.validation == "whole"
    reasons = (read_reason(intent.entity, change, validates_whole=validates_whole) for change in intent.changes)
    return next((reason for reason in reasons if reason is not None), None)


def takes_item(pattern: PatternDeclaration, entity: Entity) -> bool:
    """Whether a parameter is the whole item."""
    return any(parameter.type is entity.cls for parameter in pattern.parameters.values())


def _whole_key(entity: Entity) -> tuple[tuple[KeyTest, ...], tuple[KeyTest, ...]]:
    """The key as its templates write it; the item itself fills them."""

    def shown(parts: tuple[object, ...], names: tuple[str, ...]) -> tuple[KeyTest, ...]:
        pairs = zip(parts, names, strict=True)
        return tuple(KeyTest(name, "=", (TextOperand((Text(str(part)),)),)) for part, name in pairs)

    partition = tuple(part.attribute for part in entity.base.partition)
    sort = tuple(part.attribute for part in entity.base.sort)
    return shown(entity.base.partition, partition), shown(entity.base.sort, sort)


def _open_fields(entity: Entity, bindings: tuple[Binding, ...]) -> Obstacle:
    known = _equal_fields(bindings)
    return SortUnknown(tuple(sorted(entity.base.fields - known)))


def _key_obstacles(obstacles: tuple[Obstacle, ...]) -> tuple[Obstacle, ...]:
    """Of a put from single fields only what concerns the key; all other fields are simply stored."""
    return tuple(obstacle for obstacle in obstacles if isinstance(obstacle, PartitionUnknown | SortUnknown))


def _equal_fields(bindings: tuple[Binding, ...]) -> set[str]:
    return {name for binding in bindings if binding.test is Equal for name in binding.fields}


def _missing(intent: Write, entity: Entity, bindings: tuple[Binding, ...]) -> Iterator[Obstacle]:
    if intent.kind in ("put", "create"):
        given = _equal_fields(bindings)
        missing = tuple(name for name, field in entity.fields.items() if field.required and name not in given)
        if missing:
            yield FieldsMissing(missing)


def _key_changes(intent: Write, entity: Entity) -> Iterator[Obstacle]:
    changed = intent.changed
    if in_key := tuple(sorted(changed & entity.base.fields)):
        yield ChangesKey(in_key)


def _rewrites(intent: Write, entity: Entity, bindings: tuple[Binding, ...]) -> Iterator[Rewrite]:
    changed = intent.changed
    # A field that is set is known, and one that the condition holds to a value; one that is added to, appended to or
    # changed inside is not until it is read, nor one that has its default once it is taken away.
    lost = frozenset(name for name in intent.removed if entity.fields[name].is_none_unless_stored)
    known = _equal_fields(bindings) | (set(held_values(intent.where)) - changed) | lost
    known |= {
        str(change.path.steps[0]) for change in intent.changes if change.action == "SET" and len(change.path.steps) == 1
    }
    for rewrite in key_rewrites(entity, changed, lost):
        unknown = tuple(sorted(rewrite.needed - known))
        for part in rewrite.parts:
            if isinstance(part, TemplatePart) and part not in entity.base.parts:
                yield Rewrite(rewrite.placement.index, part.attribute, str(part), unknown, rewrite.is_left)
