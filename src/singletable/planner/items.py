"""Items as they are stored: every key of every index, the type and version of the entity, and the fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from singletable.errors import ArgumentRefused
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.fields import Field
from singletable.model.keys import KeyPart, NativePart
from singletable.planner.bind import key_attribute_value
from singletable.planner.stored import stored_value
from singletable.values.attribute_value import AttributeValue

Item = dict[str, AttributeValue]


def item_of(design: Design, entity: Entity, values: Mapping[str, Any]) -> Item:
    """The item of an entity's values; raises when they have no key, or what DynamoDB cannot hold."""
    item: Item = {}
    for placement in entity.placements.values():
        keys = placement.encode(values)
        if keys is None and placement.index.is_table:
            raise ArgumentRefused(f"{entity.label} needs {', '.join(sorted(placement.fields))} for its key")
        item |= {name: key_attribute_value(value) for name, value in (keys or {}).items()}
    if design.settings.type_attribute:
        item[design.settings.type_attribute] = {"S": entity.name}
    if entity.declaration.schema_version is not None:
        item[design.settings.schema_version_attribute] = {"N": str(entity.declaration.schema_version)}
    for name, value in values.items():
        if entity.attributes[name] not in item:
            stored = field_value(entity, name, value)
            if stored is not None:
                item[entity.attributes[name]] = stored
    return item


def field_value(entity: Entity, name: str, value: Any) -> AttributeValue | None:
    """A field's value as it is stored; None for a value that is not.

    DynamoDB holds no empty sets, and None is not stored: they are what a class has where nothing is stored. Where its
    default is another, an empty list and NULL stand for them.
    """
    if value is None:
        return _nothing(entity, entity.fields[name])
    if name == entity.declaration.ttl:
        return {"N": str(_seconds(entity, name, value))}
    if isinstance(value, set | frozenset) and not value:
        return None if entity.fields[name].is_empty_unless_stored else {"L": []}
    return stored_value(value)


def _nothing(entity: Entity, field: Field) -> AttributeValue | None:
    if field.is_none_unless_stored:
        return None
    if not field.may_be_none:
        raise ArgumentRefused(
            f"{entity.label}.{field.name} is None, and is {field.type_name}; give it a value, or let its type be "
            f"{field.type_name} | None"
        )
    if any(isinstance(part, NativePart) and field.name in part.fields for part in _index_parts(entity)):
        raise ArgumentRefused(
            f"{entity.label}.{field.name} is None, which no index key can be, and would be read as its default; "
            "let its default be None"
        )
    return {"NULL": True}


def _index_parts(entity: Entity) -> Iterator[KeyPart]:
    return (part for placement in entity.placements.values() for part in placement.parts)


def key_of(entity: Entity, values: Mapping[str, Any]) -> Item:
    """The key of an entity's item in the table."""
    keys = entity.base.encode(values)
    if keys is None:
        raise ArgumentRefused(f"{entity.label} needs {', '.join(sorted(entity.base.fields))} for its key")
    return {name: key_attribute_value(value) for name, value in keys.items()}


def values_of(entity: Entity, value: Any) -> dict[str, Any]:
    """The fields of an object of the entity's class."""
    return {name: getattr(value, name) for name in entity.fields}


def _seconds(entity: Entity, name: str, value: Any) -> int:
    """When an item expires, in the seconds since 1970 that DynamoDB expires items by."""
    if isinstance(value, datetime):
        if value.utcoffset() is None:
            raise ArgumentRefused(
                f"{entity.label}.{name} is {value!r}, which has no time zone; attach one, such as UTC"
            )
        return int(value.timestamp())
    if isinstance(value, bool) or not isinstance(value, int):
        raise ArgumentRefused(f"{entity.label}.{name} is {value!r}, and is stored as seconds since 1970")
    return value
