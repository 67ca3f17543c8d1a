"""Writes of entities with a schema version: an item of an older version is upgraded and written back whole.

A write that keeps a part of an item requires the model's own version in its condition, which costs nothing. Only if
that fails, the item that DynamoDB returns is upgraded and changed here. It is written if every attribute that the
upgrades read is unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from singletable.client.answers import Item
from singletable.client.items.upgrader import FIRST_VERSION, Upgrader
from singletable.client.write.actions import Action, Contradiction
from singletable.client.write.conditions import attribute_equals, missing
from singletable.expressions.tree import Change, Condition, Constant, Or, Path
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.items import item_of


def is_current(design: Design, entity: Entity) -> tuple[Condition, ...]:
    """The item is of the model's own schema version; nothing for an entity without versions."""
    current, attribute = entity.declaration.schema_version, design.settings.schema_version_attribute
    if current is None:
        return ()
    own = attribute_equals(attribute, {"N": str(current)})
    return (Or((own, missing(attribute))) if current == FIRST_VERSION else own,)


def is_current_or_missing(design: Design, entity: Entity) -> tuple[Condition, ...]:
    """The item does not exist, or is of the model's own version; nothing for an entity without versions."""
    absent = missing(design.table.partition[0].name)
    return tuple(Or((absent, current)) for current in is_current(design, entity))


def require(action: Action, upgraded: Item) -> None:
    """Raises Contradiction for an action whose requirements do not hold for an upgraded item."""
    failures = action.failures(upgraded)
    if failures:
        raise Contradiction(failures[0], upgraded)


def written_back(
    design: Design,
    upgrader: Upgrader,
    entity: Entity,
    action: Action,
    older: Item,
    after: tuple[Item, Mapping[str, Any]],
) -> Action:
    """The action on an older item: it writes the whole item as it is after the change, if nobody changed it."""
    guards = unchanged(upgrader, entity, older)
    if action.kind != "Update":
        return replace(action, requirements=(), guards=guards)
    item, values = after
    new = _unknown(upgrader, entity, item) | item_of(design, entity, values)
    sets = [Change("SET", Path((name,)), Constant(value)) for name, value in new.items() if older.get(name) != value]
    removes = [Change("REMOVE", Path((name,))) for name in older if name not in new]
    return replace(action, changes=(*sets, *removes), requirements=(), guards=guards)


def unchanged(upgrader: Upgrader, entity: Entity, older: Item) -> tuple[Condition, ...]:
    """The version and every attribute that the upgrades read are unchanged."""
    seen = {name: older.get(name) for name in (upgrader.attribute, *entity.attributes.values())}
    seen |= upgrader.seen_by_upgrades(older)
    return tuple(attribute_equals(name, value) for name, value in seen.items())


def _unknown(upgrader: Upgrader, entity: Entity, item: Item) -> Item:
    """The attributes of an upgraded item that the model does not know, and leaves as they are."""
    known = {*entity.attributes.values()}
    return {name: value for name, value in upgrader.seen_by_upgrades(item).items() if name not in known}
