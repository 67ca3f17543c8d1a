"""Hypothesis strategies for what a whole table holds: objects of all its entities, many of which belong together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from singletable.client.items.decoder import made_of, make
from singletable.client.table import Table
from singletable.model.copies import Copy
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.items import key_of, values_of
from singletable.sample_rows.links import Place, linked_fields, owners
from singletable.testing.kept import kept
from singletable.testing.limits import NONE, Limits, of_keys, of_metadata
from singletable.testing.objects import given_values_of, is_storable, storable, strategies_of
from singletable.testing.scalars import Values
from singletable.testing.values import annotations_of

# Few values for each group of linked fields, so that children find their parents.
POOL_MAX = 4


def items_of(table: type[Table], *, min_size: int = 0, max_size: int = 20) -> SearchStrategy[list[Any]]:
    """Objects of all entities of a table, as they could lie in it together.

    No two have the same key or the same identity. Children often lie in the partition of a parent that is there too:
    fields that stand for the same thing (`Order.id`, `OrderItem.order_id`) take their values from the same few. What an
    entity copies from another equals what it was copied from, and comes after it, so that all can be put in this order.
    """
    return _lists(_Related(table.design), min_size, max_size)


class _Related:
    """A design's entities, with what links them."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.groups = linked_fields(design)
        self.pools: list[Values] = [_pool(design, group) for group in self.groups]
        self._strategies = {entity.name: strategies_of(design, entity) for entity in design.entities}

    def objects(self, entity: Entity, pools: list[list[Any]], fixed: Mapping[str, Values]) -> SearchStrategy[Any]:
        """Objects of an entity whose linked fields have values of the pools."""
        strategies = dict(self._strategies[entity.name])
        for group, pool in zip(self.groups, pools, strict=True):
            for name in strategies:
                if (entity.name, name) not in group:
                    continue
                few = st.sampled_from(pool)
                may_be_none = entity.fields[name].optional
                strategies[name] = few | st.none() if may_be_none else few
        return storable(self.design, entity, {**strategies, **fixed})


def _pool(design: Design, group: frozenset[Place]) -> Values:
    """A few values that all fields of a group can have."""
    limits = NONE
    places = sorted(group)
    entities = {entity.name: entity for entity in design.entities}
    for name, field in places:
        entity = entities[name]
        limits &= of_keys(design, entity, field) & _said(entity, field)
    first, field = places[0]
    values = given_values_of(design, entities[first], field, limits)
    return st.lists(values, min_size=1, max_size=POOL_MAX, unique_by=repr)


def _said(entity: Entity, name: str) -> Limits:
    annotation = annotations_of(entity.cls)[name]
    return of_metadata(getattr(annotation, "__metadata__", ()))


@st.composite
def _lists(draw: st.DrawFn, related: _Related, min_size: int, max_size: int) -> list[Any]:
    design = related.design
    pools = [draw(pool) for pool in related.pools]
    found = _Found(design)
    for group, pool in zip(related.groups, pools, strict=True):
        for entity in owners(design, group):
            (name,) = entity.base.exact_fields
            for value in pool:
                if len(found) < max_size and draw(st.integers(0, 3)):
                    found.add(entity, draw(related.objects(entity, pools, {name: st.just(value)})))
    entities = st.sampled_from(design.entities)
    for entity in draw(st.lists(entities, max_size=max_size)):
        if len(found) < max_size:
            found.add(entity, draw(related.objects(entity, pools, {})))
    for _ in range(min_size * 3):
        if len(found) >= min_size:
            break
        entity = draw(entities)
        found.add(entity, draw(storable(design, entity, strategies_of(design, entity))))
    objects = found.objects()
    assume(len(objects) >= min_size)
    return objects


class _Found:
    """Objects of which no two have the same key, or the same identity."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._by_key: dict[str, tuple[Entity, Any]] = {}
        self._identities: set[str] = set()

    def __len__(self) -> int:
        return len(self._by_key)

    def add(self, entity: Entity, value: Any) -> None:
        """Keeps an object, unless there is one like it."""
        values = values_of(entity, value)
        key = repr(key_of(entity, values))
        identity = repr((entity.name, [values[name] for name in entity.identity or ()])) if entity.identity else key
        if key not in self._by_key and identity not in self._identities:
            self._by_key[key] = (entity, value)
            self._identities.add(identity)

    def objects(self) -> list[Any]:
        """All of them, with what they copy from each other."""
        return kept(self._design, [self._with_copies(entity, value) for entity, value in self._by_key.values()])

    def _with_copies(self, entity: Entity, value: Any) -> Any:
        for copied in entity.declaration.copies:
            source = self._source(entity, value, copied)
            if source is None:
                continue
            values = values_of(entity, value)
            values |= {ours: getattr(source, theirs) for theirs, ours in copied.fields.items()}
            changed = make(made_of(entity), values)
            same_key = key_of(entity, values) == key_of(entity, values_of(entity, value))
            value = changed if same_key and is_storable(self._design, entity, changed) else value
        return value

    def _source(self, entity: Entity, value: Any, copied: Copy) -> Any:
        owner = self._design.entity_of(copied.source)
        key = repr(key_of(owner, {theirs: getattr(value, ours) for theirs, ours in copied.by.items()}))
        found = self._by_key.get(key)
        return found[1] if found is not None and found[0] is owner else None
