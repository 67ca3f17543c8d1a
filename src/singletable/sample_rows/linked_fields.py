"""Groups of fields of different entities with the same meaning, such as `Order.id` and `OrderItem.order_id`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.key_template import FieldSlot, LiteralText
from singletable.model.keys import NativePart

FieldId = tuple[str, str]
"""An entity name and a field name."""


def linked_fields(design: Design) -> list[frozenset[FieldId]]:
    """Return groups of fields of the same type and meaning. Unlinked fields are omitted.

    Fields are linked in these cases: they follow the same prefix in keys (`ORDER#{id}`, `ORDER#{order_id}`); one is
    named after the other's entity (`customer_id`); both are key fields with the same `_id` name; or one is a copy of
    the other.
    """
    groups: dict[FieldId, set[FieldId]] = {}
    for first, second in _pairs(design):
        if _type_of(design, first) != _type_of(design, second):
            continue
        joined = groups.get(first, {first}) | groups.get(second, {second})
        for place in joined:
            groups[place] = joined
    return list(dict.fromkeys(frozenset(group) for group in groups.values()))


def _type_of(design: Design, place: FieldId) -> object:
    entity = next(entity for entity in design.entities if entity.name == place[0])
    return entity.fields[place[1]].type


def _pairs(design: Design) -> Iterator[tuple[FieldId, FieldId]]:
    behind: dict[object, list[FieldId]] = {}
    for entity in design.entities:
        for word, place in _written(entity):
            behind.setdefault(word, []).append(place)
    for places in behind.values():
        yield from combinations(dict.fromkeys(places), 2)
    for first, second in combinations(design.entities, 2):
        yield from _named(first, second)
        yield from _named(second, first)
        shared = sorted(_key_fields(first) & _key_fields(second))
        yield from (((first.name, name), (second.name, name)) for name in shared if name.endswith("_id"))
    for entity in design.entities:
        for copied in entity.declaration.copies:
            source = design.entity_of(copied.source)
            for theirs, ours in {**copied.by, **copied.fields}.items():
                yield (source.name, theirs), (entity.name, ours)


def _written(entity: Entity) -> Iterator[tuple[object, FieldId]]:
    """Yield the fields of an entity's keys, each with its prefix in the key and its codec."""
    for placement in entity.placements.values():
        for part in placement.parts:
            if isinstance(part, NativePart):
                yield ("native", part.attribute), (entity.name, part.field.name)
                continue
            before = ""
            for each in part.template.parts:
                if isinstance(each, FieldSlot) and any(character.isalnum() for character in before):
                    yield (before.strip(part.template.delimiter), each.codec), (entity.name, each.name)
                before = each.text if isinstance(each, LiteralText) else ""


def _named(owner: Entity, other: Entity) -> Iterable[tuple[FieldId, FieldId]]:
    """Yield the pair (`Order.id`, `OrderItem.order_id`) if `owner` is Order and `other` is OrderItem."""
    identity = owner.identity or ()
    if len(identity) != 1:
        return
    snake = "".join(f"_{each.lower()}" if each.isupper() else each for each in owner.label).lstrip("_")
    for name in (f"{snake}_{identity[0]}", f"{snake}_id"):
        if name in other.fields:
            yield (owner.name, identity[0]), (other.name, name)


def _key_fields(entity: Entity) -> set[str]:
    return {name for placement in entity.placements.values() for name in placement.exact_fields}


def owners(design: Design, group: frozenset[FieldId]) -> Iterator[Entity]:
    """Yield the entities whose only key field is a field of the group."""
    for entity in design.entities:
        fields = entity.base.exact_fields
        if len(fields) == 1 and (entity.name, next(iter(fields))) in group:
            yield entity
