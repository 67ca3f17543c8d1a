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
from singletable.testing.values import annotations_of, built, field_values

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


def strategies_of(design: Design, entity: Entity, limits: Mapping[str, Limits] | None = None) -> dict[str, Values]:
    """A strategy for each field that the class takes a value of, within further limits."""
    hints = annotations_of(entity.cls)
    further = limits or {}
    strategies: dict[str, Values] = {}
    for name, field in entity.fields.items():
        if not field.initialised:
            continue
        if name == entity.declaration.version:
            strategies[name] = st.just(0)  # an object that was never written
        elif name == entity.declaration.ttl:
            made = expiries_of(field.type)
            strategies[name] = st.none() | made if field.optional else made
        else:
            within = of_keys(design, entity, name) & further.get(name, NONE)
            strategies[name] = field_values(entity.cls, name, hints[name], within)
    return strategies


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
