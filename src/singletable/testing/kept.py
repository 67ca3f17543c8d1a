"""Objects that could lie in a table together as its writes would leave them: nothing without its source or owner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from singletable.client.items.decoder import made_of, make
from singletable.model.counts import Count
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keeping import Keeping, keeping_of
from singletable.planner.count_conditions import is_counted
from singletable.planner.items import key_of, values_of


def kept(design: Design, objects: Iterable[Any]) -> list[Any]:
    """The objects that can be put in this order: sources and owners first, with what they count, no value twice."""
    keepings = {entity.cls: keeping_of(design.entities, entity) for entity in design.entities}
    found = [value for value in objects if keepings[type(value)].mirror_of is None]
    found = _unique(design, keepings, found)
    while True:
        keys = {_key(design.entity_of(type(value)), values_of(design.entity_of(type(value)), value)) for value in found}
        left = [value for value in found if all(need in keys for need in _needs(design, keepings, value))]
        if len(left) == len(found):
            break
        found = left
    counts = Counter(
        (owner.cls, count.field, _key_by(owner, count.by, value))
        for value in found
        for count, owner in _counted_by(design, keepings[type(value)], value)
    )
    counted = [_counted(design, keepings, value, counts) for value in found]
    return sorted(counted, key=lambda value: _depth(keepings, type(value), ()))


def _unique(design: Design, keepings: Mapping[type, Keeping], objects: list[Any]) -> list[Any]:
    taken: set[str] = set()
    left: list[Any] = []
    for value in objects:
        values = values_of(design.entity_of(type(value)), value)
        marks = {repr(keys) for unique in keepings[type(value)].uniques if (keys := unique.encode(values)) is not None}
        if not marks & taken:
            taken |= marks
            left.append(value)
    return left


def _needs(design: Design, keepings: Mapping[type, Keeping], value: Any) -> list[str]:
    """The keys of the items without which an object cannot be written."""
    keeping = keepings[type(value)]
    pairs = [(source, copy.by) for copy, source in keeping.held]
    pairs += [(owner, count.by) for count, owner in _counted_by(design, keeping, value)]
    return [need for other, by in pairs if (need := _key_by(other, by, value)) is not None]


def _counted_by(design: Design, keeping: Keeping, value: Any) -> list[tuple[Count, Entity]]:
    """The counters that count an object, each with its owner."""
    entity = design.entity_of(type(value))
    values = values_of(entity, value)
    return [(count, owner) for count, owner in keeping.counted if is_counted(entity, count, values)]


def _key_by(other: Entity, by: Mapping[str, str], value: Any) -> str | None:
    values = {theirs: getattr(value, ours) for theirs, ours in by.items()}
    return None if any(each is None for each in values.values()) else _key(other, values)


def _key(entity: Entity, values: Mapping[str, Any]) -> str:
    return repr(key_of(entity, values))


def _counted(design: Design, keepings: Mapping[type, Keeping], value: Any, counts: Counter[Any]) -> Any:
    counters = keepings[type(value)].counters
    if not counters:
        return value
    entity = design.entity_of(type(value))
    values = values_of(entity, value)
    values |= {name: counts[entity.cls, name, _key(entity, values)] for name in counters}
    return make(made_of(entity), values)


def _depth(keepings: Mapping[type, Keeping], cls: type, seen: tuple[type, ...]) -> int:
    keeping = keepings[cls]
    behind = [source.cls for _, source in keeping.held] + [owner.cls for _, owner in keeping.counted]
    return max((1 + _depth(keepings, each, (*seen, cls)) for each in behind if each not in seen), default=0)
