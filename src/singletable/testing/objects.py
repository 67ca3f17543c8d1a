"""Hypothesis strategies for the objects of an entity: valid for its class, its keys and DynamoDB."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from singletable.client.table import Table
from singletable.errors import ArgumentRefused, KeyRefused
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.items import item_of, values_of
from singletable.testing.limits import NONE, Limits, of_keys
from singletable.testing.scalars import Values, expiries_of
from singletable.testing.values import annotations_of, built, given_values, may_be_none

E = TypeVar("E")


def objects_of(table: type[Table], entity: type[E], /, **fields: SearchStrategy[Any]) -> SearchStrategy[E]:
    """Objects of an entity that the table can store: `objects_of(Shop, Order)`.

    Values are of the fields' types, within their constraints, and fit the keys that are made of them. A field can be
    given a strategy of its own: `objects_of(Shop, Order, status=st.just("OPEN"))`.
    """
    compiled = entity_of(table.design, entity)
    unknown = sorted(fields.keys() - compiled.fields.keys())
    if unknown:
        known = ", ".join(compiled.fields)
        raise ArgumentRefused(f"{', '.join(unknown)} is no field of {compiled.label}; it has {known}")
    return storable(table.design, compiled, {**strategies_of(table.design, compiled), **fields})


def entity_of(design: Design, cls: type) -> Entity:
    """The entity of a class; refuses one that the table does not have."""
    for entity in design.entities:
        if entity.cls is cls:
            return entity
    raise ArgumentRefused(f"{getattr(cls, '__name__', cls)!s} is no entity of {design.name}")


def strategies_of(design: Design, entity: Entity) -> dict[str, Values]:
    """A strategy for each field that the class takes a value of."""
    hints = annotations_of(entity.cls)
    strategies: dict[str, Values] = {}
    for name, field in entity.fields.items():
        if not field.initialised:
            continue
        made = given_values_of(design, entity, name)
        is_expiry = name == entity.declaration.ttl
        optional = field.optional if is_expiry else may_be_none(entity.cls, name, hints[name])
        strategies[name] = st.none() | made if optional else made
    return strategies


def given_values_of(design: Design, entity: Entity, name: str, limits: Limits = NONE) -> Values:
    """Values of a field that are not None, as its keys and further limits have them."""
    if name == entity.declaration.version:
        return st.just(0)  # of an object that was never written
    if name == entity.declaration.ttl:
        return expiries_of(entity.fields[name].type)
    return given_values(annotations_of(entity.cls)[name], of_keys(design, entity, name) & limits)


def storable(design: Design, entity: Entity, strategies: Mapping[str, Values]) -> SearchStrategy[Any]:
    """Objects out of these values whose items have all their keys, and nothing that DynamoDB refuses."""
    return built(entity.cls, strategies).filter(lambda value: is_storable(design, entity, value))


def is_storable(design: Design, entity: Entity, value: Any) -> bool:
    """Whether the item of an object can be made."""
    try:
        item_of(design, entity, values_of(entity, value))
    except (ArgumentRefused, KeyRefused):
        return False
    return True
