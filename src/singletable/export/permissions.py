"""What the patterns and writes of a design ask of DynamoDB: each action, and on which partitions of what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from singletable.model.declaration import PatternDeclaration
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.index import Index
from singletable.model.intents import Write
from singletable.model.keeping import keeping_of
from singletable.model.keys import Placement
from singletable.planner.holders import plan_holders
from singletable.planner.plan import Plan, Refusal
from singletable.planner.planner import plan

# There is no action for a transaction: it is allowed by the actions that it is made of.
WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "ConditionCheckItem")
READS_BY_KEY = ("GetItem", "BatchGetItem")


@dataclass(frozen=True)
class Permission:
    """One action on the partitions in which an entity's items, or its markers, lie in the table or an index."""

    action: str
    entity: Entity
    placement: Placement

    @property
    def index(self) -> Index:
        """The table or the index that is asked."""
        return self.placement.index


def by_pattern(design: Design, pattern: PatternDeclaration) -> tuple[Permission, ...]:
    """What one pattern needs; nothing when the planner refuses it."""
    outcome = plan(design, pattern)
    if isinstance(outcome, Refusal):
        return ()
    if isinstance(pattern.intent, Write):
        (entity,) = outcome.wanted
        # A write looks at its item first wherever it must know what it changes.
        actions = _on(entity.base, entity, (outcome.operation, "GetItem"))
        beside = _beside(design, entity, set()) if outcome.kept is not None else ()
        return (*actions, *beside)
    return tuple(_read(outcome))


def reading(design: Design, entity: Entity) -> tuple[Permission, ...]:
    """What reading an entity needs: by its key, and by every pattern that answers with it."""
    permissions = list(_on(entity.base, entity, READS_BY_KEY))
    for pattern in design.patterns:
        if not isinstance(pattern.intent, Write):
            permissions += [each for each in by_pattern(design, pattern) if each.entity is entity]
    return tuple(permissions)


def writing(design: Design, entity: Entity) -> tuple[Permission, ...]:
    """What writing an entity needs beside reading it, with all that is kept right in the same transaction."""
    return (*_on(entity.base, entity, WRITES), *_beside(design, entity, set()))


def _read(outcome: Plan) -> Iterator[Permission]:
    for entity in outcome.wanted:
        yield from _on(entity.placements[outcome.index.alias], entity, (outcome.operation,))
        if outcome.hydrate:
            yield from _on(entity.base, entity, ("BatchGetItem",))


def _on(placement: Placement, entity: Entity, actions: Iterable[str]) -> Iterator[Permission]:
    return (Permission(action, entity, placement) for action in actions)


def _beside(design: Design, entity: Entity, seen: set[type]) -> Iterator[Permission]:
    """What a write does to other items, and to what those are repeated by."""
    seen.add(entity.cls)
    keeping = keeping_of(design.entities, entity)
    for marker in keeping.uniques:
        yield from _on(marker, entity, ("PutItem", "DeleteItem"))
    for _, owner in keeping.counted:
        yield from _on(owner.base, owner, ("UpdateItem",))
    for mirror in keeping.mirrors:
        yield from _on(mirror.base, mirror, ("PutItem", "DeleteItem"))
    for _, source in keeping.held:
        yield from _on(source.base, source, ("GetItem", "ConditionCheckItem"))
    for copy, holder in keeping.given:
        found = plan_holders(design, copy, holder)
        if isinstance(found, Plan):
            yield from _read(found)
        yield from _on(holder.base, holder, ("UpdateItem",))
        yield from _on(entity.base, entity, ("ConditionCheckItem",))
        if holder.cls not in seen:
            yield from _beside(design, holder, seen)
