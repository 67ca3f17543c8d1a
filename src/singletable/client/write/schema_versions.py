"""Writes of entities with a schema version: a write upgrades an older item and writes all of it.

A write that keeps part of an item has a condition that requires the current schema version. The condition costs
nothing. If it fails, the client upgrades the item that DynamoDB returns, applies the change, and writes the result.
This second write requires that every attribute that the upgrades read is unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.client.items.upgrader import FIRST_VERSION, Upgrader
from singletable.client.responses import Item
from singletable.client.write.item_actions import Contradiction, ItemAction
from singletable.client.write.stored_expressions import attribute_equals, missing
from singletable.expressions.tree import Change, Condition, Constant, Or, Path
from singletable.lazy_dataclass import replace
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.stored_items import item_of


def is_current(design: Design, entity: Entity) -> tuple[Condition, ...]:
    """Return the condition that the item has the current schema version. It is empty if the entity has no versions."""
    current, attribute = entity.declaration.schema_version, design.settings.schema_version_attribute
    if current is None:
        return ()
    own = attribute_equals(attribute, {"N": str(current)})
    return (Or((own, missing(attribute))) if current == FIRST_VERSION else own,)


def is_current_or_missing(design: Design, entity: Entity) -> tuple[Condition, ...]:
    """Return the condition that the item does not exist or has the current schema version.

    It is empty if the entity has no schema versions.
    """
    absent = missing(design.table.partition[0].name)
    return tuple(Or((absent, current)) for current in is_current(design, entity))


def check_requirements(action: ItemAction, upgraded: Item) -> None:
    """Raise Contradiction if an upgraded item does not meet the requirements of an action."""
    failures = action.failures(upgraded)
    if failures:
        raise Contradiction(failures[0], upgraded)


def upgraded_action(
    design: Design,
    upgrader: Upgrader,
    entity: Entity,
    action: ItemAction,
    older: Item,
    after: tuple[Item, Mapping[str, Any]],
) -> ItemAction:
    """Return the action on an older item: write the upgraded and changed item if the stored item is still the same."""
    guards = unchanged_conditions(upgrader, entity, older)
    if action.kind != "Update":
        return replace(action, requirements=(), guards=guards)
    item, values = after
    new = _unknown(upgrader, entity, item) | item_of(design, entity, values)
    sets = [Change("SET", Path((name,)), Constant(value)) for name, value in new.items() if older.get(name) != value]
    removes = [Change("REMOVE", Path((name,))) for name in older if name not in new]
    return replace(action, changes=(*sets, *removes), requirements=(), guards=guards)


def unchanged_conditions(upgrader: Upgrader, entity: Entity, older: Item) -> tuple[Condition, ...]:
    """Return conditions that the schema version and all attributes that the upgrades read are unchanged."""
    seen = attributes_of_upgrade(upgrader, entity, older)
    return tuple(attribute_equals(name, value) for name, value in seen.items())


def attributes_of_upgrade(upgrader: Upgrader, entity: Entity, older: Item) -> dict[str, Any]:
    """Return the schema version and all attributes that the upgrades of an item read; None for a missing one."""
    seen = {name: older.get(name) for name in (upgrader.attribute, *entity.attributes.values())}
    return seen | upgrader.seen_by_upgrades(older)


def _unknown(upgrader: Upgrader, entity: Entity, item: Item) -> Item:
    """Return the attributes of an upgraded item that the model does not declare. They stay unchanged."""
    known = {*entity.attributes.values()}
    return {name: value for name, value in upgrader.seen_by_upgrades(item).items() if name not in known}
