"""Hypothesis strategies for the objects of one entity, and for related objects of all entities of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from singletable.client.items.decoder import decoded_class, make
from singletable.client.table import Table
from singletable.errors import ArgumentRefused, KeyRefused
from singletable.model.derived_data import Copy, Count, DerivedDataRules, derived_data_of
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.stored_items import is_counted, item_of, key_of, values_of
from singletable.sample_rows.linked_fields import FieldId, linked_fields, owners
from singletable.testing.field_limits import NO_LIMITS, Limits, limits_of_keys, limits_of_metadata
from singletable.testing.field_strategies import annotations_of, given_values, may_be_none, objects_from
from singletable.testing.scalar_strategies import Values, expiries_of

E = TypeVar("E")


def objects_of(table: type[Table], entity: type[E], /, **fields: SearchStrategy[Any]) -> SearchStrategy[E]:
    """Return a strategy for objects of an entity that the table can store: `objects_of(Shop, Order)`.

    Values match the types and constraints of the fields, and fit into the keys built from them. You can pass your own
    strategy for a field: `objects_of(Shop, Order, status=st.just("OPEN"))`.
    """
    compiled = entity_of(table.design, entity)
    unknown = sorted(fields.keys() - compiled.fields.keys())
    if unknown:
        known = ", ".join(compiled.fields)
        raise ArgumentRefused(f"{compiled.label} has no field {', '.join(unknown)}; its fields are {known}")
    return storable(table.design, compiled, {**strategies_of(table.design, compiled), **fields})


def entity_of(design: Design, cls: type) -> Entity:
    """Return the entity of a class; raise ArgumentRefused if the table does not contain it."""
    for entity in design.entities:
        if entity.cls is cls:
            return entity
    if any(entity.cls is cls for entity in design.keyless):
        design.require_keys(f"objects_of({design.name}, {cls.__name__})")
    raise ArgumentRefused(f"{getattr(cls, '__name__', cls)!s} is not an entity of {design.name}")


def strategies_of(design: Design, entity: Entity) -> dict[str, Values]:
    """Return a strategy for each field that the constructor of the class accepts."""
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


def given_values_of(design: Design, entity: Entity, name: str, limits: Limits = NO_LIMITS) -> Values:
    """Return a strategy for values of a field except None, within the limits of its keys and the given limits."""
    if name == entity.declaration.version:
        return st.just(0)  # a new object has version 0
    if name == entity.declaration.ttl:
        return expiries_of(entity.fields[name].type)
    return given_values(annotations_of(entity.cls)[name], limits_of_keys(design, entity, name) & limits)


def storable(design: Design, entity: Entity, strategies: Mapping[str, Values]) -> SearchStrategy[Any]:
    """Return a strategy for objects with fields from these strategies. It skips objects that cannot be stored."""
    return objects_from(entity.cls, strategies).filter(lambda value: is_storable(design, entity, value))


def is_storable(design: Design, entity: Entity, value: Any) -> bool:
    """Return whether an object can be turned into an item."""
    try:
        item_of(design, entity, values_of(entity, value))
    except (ArgumentRefused, KeyRefused):
        return False
    return True


def storable_in_order(design: Design, objects: Iterable[Any]) -> list[Any]:
    """Return the objects that can be stored, with the sources of copies and the owners of counters first.

    Omit the others.
    """
    rules = {entity.cls: derived_data_of(design.entities, entity) for entity in design.entities}
    found = [value for value in objects if rules[type(value)].mirror_of is None]
    found = _without_duplicates(design, rules, found)
    while True:
        keys = {_key(design.entity_of(type(value)), values_of(design.entity_of(type(value)), value)) for value in found}
        left = [value for value in found if all(need in keys for need in _required_keys(design, rules, value))]
        if len(left) == len(found):
            break
        found = left
    counts = Counter(
        (owner.cls, count.field, _key_by(owner, count.by, value))
        for value in found
        for count, owner in _counted_by(design, rules[type(value)], value)
    )
    counted = [_with_counts(design, rules, value, counts) for value in found]
    return sorted(counted, key=lambda value: _depth(rules, type(value), ()))


def _without_duplicates(design: Design, rules: Mapping[type, DerivedDataRules], objects: list[Any]) -> list[Any]:
    taken: set[str] = set()
    left: list[Any] = []
    for value in objects:
        values = values_of(design.entity_of(type(value)), value)
        marks = {repr(keys) for unique in rules[type(value)].uniques if (keys := unique.encode(values)) is not None}
        if not marks & taken:
            taken |= marks
            left.append(value)
    return left


def _required_keys(design: Design, rules: Mapping[type, DerivedDataRules], value: Any) -> list[str]:
    """Return the keys of the items that must exist before an object can be written."""
    own_rules = rules[type(value)]
    pairs = [(source, copy.by) for copy, source in own_rules.copies]
    pairs += [(owner, count.by) for count, owner in _counted_by(design, own_rules, value)]
    return [need for other, by in pairs if (need := _key_by(other, by, value)) is not None]


def _counted_by(design: Design, own_rules: DerivedDataRules, value: Any) -> list[tuple[Count, Entity]]:
    """Return the counters that include this object, each with the entity that stores the counter."""
    entity = design.entity_of(type(value))
    values = values_of(entity, value)
    return [(count, owner) for count, owner in own_rules.counted if is_counted(entity, count, values)]


def _key_by(other: Entity, by: Mapping[str, str], value: Any) -> str | None:
    values = {theirs: getattr(value, ours) for theirs, ours in by.items()}
    return None if any(each is None for each in values.values()) else _key(other, values)


def _key(entity: Entity, values: Mapping[str, Any]) -> str:
    return repr(key_of(entity, values))


def _with_counts(design: Design, rules: Mapping[type, DerivedDataRules], value: Any, counts: Counter[Any]) -> Any:
    counters = rules[type(value)].counters
    if not counters:
        return value
    entity = design.entity_of(type(value))
    values = values_of(entity, value)
    values |= {name: counts[entity.cls, name, _key(entity, values)] for name in counters}
    return make(decoded_class(entity), values)


def _depth(rules: Mapping[type, DerivedDataRules], cls: type, seen: tuple[type, ...]) -> int:
    own_rules = rules[cls]
    needed = [source.cls for _, source in own_rules.copies] + [owner.cls for _, owner in own_rules.counted]
    return max((1 + _depth(rules, each, (*seen, cls)) for each in needed if each not in seen), default=0)


# Linked fields use a small pool of values, so that children often refer to existing parents.
POOL_MAX = 4


def items_of(table: type[Table], *, min_size: int = 0, max_size: int = 20) -> SearchStrategy[list[Any]]:
    """Return a strategy for lists of objects of all entities of a table. All objects of a list can be stored together.

    No two objects have the same key or identity. Children often belong to a parent in the same list: fields that refer
    to the same thing (`Order.id`, `OrderItem.order_id`) draw from the same few values. Copied fields equal their
    source, and the source comes first, so you can write the objects in list order.
    """
    table.design.require_keys(f"items_of({table.__name__})")
    return _linked_objects(_LinkedEntities(table.design), min_size, max_size)


class _LinkedEntities:
    """The entities of a design, and the groups of fields that link them."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.groups = linked_fields(design)
        self.pools: list[Values] = [_pool(design, group) for group in self.groups]
        self._strategies = {entity.name: strategies_of(design, entity) for entity in design.entities}

    def objects(self, entity: Entity, pools: list[list[Any]], fixed: Mapping[str, Values]) -> SearchStrategy[Any]:
        """Return a strategy for objects of an entity. Linked fields take their values from the pools."""
        strategies = dict(self._strategies[entity.name])
        for group, pool in zip(self.groups, pools, strict=True):
            for name in strategies:
                if (entity.name, name) not in group:
                    continue
                few = st.sampled_from(pool)
                may_be_none = entity.fields[name].optional
                strategies[name] = few | st.none() if may_be_none else few
        return storable(self.design, entity, {**strategies, **fixed})


def _pool(design: Design, group: frozenset[FieldId]) -> Values:
    """Return a strategy for a few values that are valid for every field of a group."""
    limits = NO_LIMITS
    places = sorted(group)
    entities = {entity.name: entity for entity in design.entities}
    for name, field in places:
        entity = entities[name]
        limits &= limits_of_keys(design, entity, field) & _annotation_limits(entity, field)
    first, field = places[0]
    values = given_values_of(design, entities[first], field, limits)
    return st.lists(values, min_size=1, max_size=POOL_MAX, unique_by=repr)


def _annotation_limits(entity: Entity, name: str) -> Limits:
    annotation = annotations_of(entity.cls)[name]
    return limits_of_metadata(getattr(annotation, "__metadata__", ()))


@st.composite
def _linked_objects(draw: st.DrawFn, related: _LinkedEntities, min_size: int, max_size: int) -> list[Any]:
    design = related.design
    pools = [draw(pool) for pool in related.pools]
    found = _DistinctObjects(design)
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


class _DistinctObjects:
    """A collection of objects with distinct keys and identities."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._by_key: dict[str, tuple[Entity, Any]] = {}
        self._identities: set[str] = set()

    def __len__(self) -> int:
        return len(self._by_key)

    def add(self, entity: Entity, value: Any) -> None:
        """Add an object, unless another object has its key or identity."""
        values = values_of(entity, value)
        key = repr(key_of(entity, values))
        identity = repr((entity.name, [values[name] for name in entity.identity or ()])) if entity.identity else key
        if key not in self._by_key and identity not in self._identities:
            self._by_key[key] = (entity, value)
            self._identities.add(identity)

    def objects(self) -> list[Any]:
        """Return all objects, with copied fields and counters filled in."""
        return storable_in_order(
            self._design, [self._with_copies(entity, value) for entity, value in self._by_key.values()]
        )

    def _with_copies(self, entity: Entity, value: Any) -> Any:
        for copied in entity.declaration.copies:
            source = self._source(entity, value, copied)
            if source is None:
                continue
            values = values_of(entity, value)
            values |= {ours: getattr(source, theirs) for theirs, ours in copied.fields.items()}
            changed = make(decoded_class(entity), values)
            same_key = key_of(entity, values) == key_of(entity, values_of(entity, value))
            value = changed if same_key and is_storable(self._design, entity, changed) else value
        return value

    def _source(self, entity: Entity, value: Any, copied: Copy) -> Any:
        owner = self._design.entity_of(copied.source)
        key = repr(key_of(owner, {theirs: getattr(value, ours) for theirs, ours in copied.by.items()}))
        found = self._by_key.get(key)
        return found[1] if found is not None and found[0] is owner else None
