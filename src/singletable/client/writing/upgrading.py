"""Writes of entities with a schema version: an item of an older one is written back upgraded, with all its keys.

A write that keeps a part of an item asks for the model's own version in its condition, which costs nothing. Only where
that fails, the item that DynamoDB returns is looked at: an older one is upgraded, judged and changed here, and written
if every attribute that the upgrades saw is still as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from singletable.client.answers import Item, WriteAnswer
from singletable.client.items.upgrader import FIRST_VERSION, Upgrader
from singletable.client.steps import Steps
from singletable.client.writing.stored_tree import all_of, attribute_equals, missing
from singletable.errors import RequestRefused
from singletable.expressions.apply import Update
from singletable.expressions.evaluate import compiled
from singletable.expressions.tree import Change, Condition, Constant, Or, Path
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.items import item_of, values_of

if TYPE_CHECKING:
    from singletable.client.writing.writer import Writer

R = TypeVar("R")

# Others may write the item between its reading and its writing; so often it is tried.
TRIES_MAX = 10
_CONDITION_FAILED = "ConditionalCheckFailedException"


def is_current(design: Design, entity: Entity) -> Condition | None:
    """That an item is of the model's own schema version; None for an entity without versions."""
    current, attribute = entity.declaration.schema_version, design.settings.schema_version_attribute
    if current is None:
        return None
    own = attribute_equals(attribute, {"N": str(current)})
    return Or((own, missing(attribute))) if current == FIRST_VERSION else own


def is_current_or_missing(design: Design, entity: Entity) -> Condition | None:
    """That no item is there, or one of the model's own version; None for an entity without versions."""
    current = is_current(design, entity)
    return None if current is None else Or((missing(design.table.partition[0].name), current))


def refuse_older(writer: Writer, entity: Entity, item: Item) -> None:
    """Raises for an item of an older version what DynamoDB would answer to a write under `is_current`."""
    upgrader = writer.kinds.upgrader(entity)
    if upgrader is not None and upgrader.is_older(item):
        raise RequestRefused(_CONDITION_FAILED, "The conditional request failed", Item=item)


def changed(
    writer: Writer,
    entity: Entity,
    key_values: Mapping[str, Any],
    changes: tuple[Change, ...],
    condition: Condition | None,
    source: str,
    write: Callable[[], Steps[Item]],
) -> Steps[Item]:
    """The item after `write`, which changes a current one; an older one is upgraded, changed and written back."""
    upgrader = writer.kinds.upgrader(entity)
    if upgrader is None:
        return (yield from write())

    def write_back(older: Item, whole: Item) -> Steps[Item]:
        after = Update(changes).apply(whole, {})
        values = values_of(entity, writer.kinds.decoder(entity).read(after))
        new = _unknown(upgrader, entity, after) | item_of(writer.design, entity, values)
        return _replaced(writer, upgrader, entity, key_values, older, new, source)

    return (yield from _tried(upgrader, condition, write, write_back))


def upserted(
    writer: Writer,
    entity: Entity,
    key_values: Mapping[str, Any],
    item: Item,
    source: str,
    write: Callable[[], Steps[Item]],
) -> Steps[Item]:
    """The item after `write`, which writes every field over a current one; an older one is upgraded before."""
    upgrader = writer.kinds.upgrader(entity)
    if upgrader is None:
        return (yield from write())

    def write_back(older: Item, whole: Item) -> Steps[Item]:
        new = _unknown(upgrader, entity, whole) | item
        return _replaced(writer, upgrader, entity, key_values, older, new, source)

    return (yield from _tried(upgrader, None, write, write_back))


def judged(
    writer: Writer,
    entity: Entity,
    condition: Condition | None,
    write: Callable[[Condition | None], Steps[WriteAnswer]],
) -> Steps[WriteAnswer]:
    """A put or delete under a condition, which is about the upgraded item where an older one is stored."""
    upgrader = writer.kinds.upgrader(entity)
    if upgrader is None or condition is None:
        return (yield from write(condition))
    current = is_current_or_missing(writer.design, entity)
    return (
        yield from _tried(
            upgrader,
            condition,
            lambda: write(all_of(condition, current)),
            lambda older, _: write(_as_read(upgrader, entity, older)),
        )
    )


def _tried(
    upgrader: Upgrader,
    condition: Condition | None,
    write: Callable[[], Steps[R]],
    write_back: Callable[[Item, Item], Steps[R]],
) -> Steps[R]:
    """Writes as to a current item, or the other way where an older one is found for which the condition holds."""
    steps, as_current = write(), True
    for attempt in range(1, TRIES_MAX + 1):
        try:
            return (yield from steps)
        except RequestRefused as refusal:
            found = refusal.fields.get("Item")
            if refusal.code != _CONDITION_FAILED or found is None or attempt == TRIES_MAX:
                raise
            if not upgrader.is_older(found):
                if as_current:
                    raise
                steps, as_current = write(), True  # somebody else has upgraded it in between
                continue
            whole = upgrader.upgraded(found)
            if condition is not None and not compiled(condition)(whole, {}):
                raise
            steps, as_current = write_back(found, whole), False
    raise AssertionError("the last attempt returns or raises")


def _replaced(
    writer: Writer,
    upgrader: Upgrader,
    entity: Entity,
    key_values: Mapping[str, Any],
    older: Item,
    new: Item,
    source: str,
) -> Steps[Item]:
    """Writes an item in place of an older one, if that is still as it was read."""
    sets = [Change("SET", Path((name,)), Constant(value)) for name, value in new.items() if older.get(name) != value]
    removes = [Change("REMOVE", Path((name,))) for name in older if name not in new]
    return writer._update(entity, key_values, (*sets, *removes), _as_read(upgrader, entity, older), source)


def _as_read(upgrader: Upgrader, entity: Entity, older: Item) -> Condition | None:
    """That every attribute which the upgrades saw is still as it was read, or still missing, and so is the version."""
    seen = {name: older.get(name) for name in (upgrader.attribute, *entity.attributes.values())}
    seen |= upgrader.seen_by_upgrades(older)
    return all_of(*(attribute_equals(name, value) for name, value in seen.items()))


def _unknown(upgrader: Upgrader, entity: Entity, item: Item) -> Item:
    """The attributes of an upgraded item that the model does not know, and leaves as they are."""
    known = {*entity.attributes.values()}
    return {name: value for name, value in upgrader.seen_by_upgrades(item).items() if name not in known}
