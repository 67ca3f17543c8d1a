"""Stored items: entity objects, keys and arguments as DynamoDB attribute values."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

from singletable.errors import ArgumentRefused
from singletable.expressions.evaluate import Test, compile_condition
from singletable.expressions.tree import Constant, Leaf, with_leaves
from singletable.model.derived_data import Count
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.fields import SCALAR_TYPES, Field, NotAnEntityClass, fields_of, is_value_of, strip
from singletable.model.keys import KeyPart, KeyValue, NativePart
from singletable.model.pattern_declaration import ParameterDeclaration
from singletable.model.type_codecs import NotReadBack, TypeCodecs
from singletable.values.attribute_value import AttributeValue, attribute_value, number_text

Item = dict[str, AttributeValue]


def item_of(design: Design, entity: Entity, values: Mapping[str, Any]) -> Item:
    """Return the stored item. Raise ArgumentRefused if it has no key, or if DynamoDB cannot store one of its values."""
    item: Item = {}
    for placement in entity.placements.values():
        keys = placement.encode(values)
        if keys is None and placement.index.is_table:
            raise ArgumentRefused(
                f"{entity.label} needs a value for {', '.join(sorted(placement.fields))} to build its key"
            )
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


def key_of(entity: Entity, values: Mapping[str, Any]) -> Item:
    """Return the primary key of an entity's item."""
    keys = entity.base.encode(values)
    if keys is None:
        raise ArgumentRefused(
            f"{entity.label} needs a value for {', '.join(sorted(entity.base.fields))} to build its key"
        )
    return {name: key_attribute_value(value) for name, value in keys.items()}


def values_of(entity: Entity, value: Any) -> dict[str, Any]:
    """Return the field values of an entity object."""
    return {name: getattr(value, name) for name in entity.fields}


def field_value(entity: Entity, name: str, value: Any) -> AttributeValue | None:
    """Return the stored value of a field, or None if the item omits the attribute.

    None and an empty set, which DynamoDB cannot store, are omitted if they are the default of the class. Otherwise,
    NULL and an empty list represent them.
    """
    if value is None:
        return _stored_none(entity, entity.fields[name])
    if name == entity.declaration.ttl:
        return {"N": str(_seconds(entity, name, value))}
    if isinstance(value, set | frozenset) and not value:
        return None if entity.fields[name].is_empty_unless_stored else {"L": []}
    return stored_value(value, entity.declaration.codecs)


def _stored_none(entity: Entity, field: Field) -> AttributeValue | None:
    if field.is_none_unless_stored:
        return None
    if not field.may_be_none:
        raise ArgumentRefused(
            f"{entity.label}.{field.name} must be {field.type_name}, got None; set a value, or declare it as "
            f"{field.type_name} | None"
        )
    if any(isinstance(part, NativePart) and field.name in part.fields for part in _index_parts(entity)):
        raise ArgumentRefused(
            f"{entity.label}.{field.name} is None, but an index key cannot store None, and a read would return the "
            "default instead; make None its default"
        )
    return {"NULL": True}


def _index_parts(entity: Entity) -> Iterator[KeyPart]:
    return (part for placement in entity.placements.values() for part in placement.parts)


def _seconds(entity: Entity, name: str, value: Any) -> int:
    """Return the expiry time in seconds since 1970, as DynamoDB requires."""
    if isinstance(value, datetime):
        if value.utcoffset() is None:
            raise ArgumentRefused(
                f"{entity.label}.{name} must be a datetime with a time zone, such as UTC, got {value!r}"
            )
        return int(value.timestamp())
    if isinstance(value, bool) or not isinstance(value, int):
        raise ArgumentRefused(f"{entity.label}.{name} must be a datetime or an int (seconds since 1970), got {value!r}")
    return value


def stored_value(value: Any, codecs: TypeCodecs) -> AttributeValue:
    """Return a value in DynamoDB JSON; raise ArgumentRefused when DynamoDB cannot store it."""
    try:
        return attribute_value(_plain(value, codecs))
    except (TypeError, NotReadBack) as problem:
        raise ArgumentRefused(str(problem)) from problem


def check_argument(parameter: ParameterDeclaration, value: Any) -> Any:
    """Return the argument; raise ArgumentRefused if its scalar type is not the declared type."""
    declared, _ = strip(parameter.type)
    if declared in SCALAR_TYPES and not is_value_of(declared, value):
        raise ArgumentRefused(f"{parameter.name} must be {parameter.type_name}, got {value!r}")
    return value


def _plain(value: Any, codecs: TypeCodecs) -> Any:
    """Return the value with every nested model as a mapping of its fields, and with the stored values of type codecs.

    Fields that are None or an empty set, which DynamoDB cannot store, are omitted unless the class has another default
    for them.
    """
    if (codec := codecs.of_value(value)) is not None:
        return _plain(codec.stored_form(value), codecs)
    if isinstance(value, Mapping):
        return {_plain_member(key, codecs): _plain(inner, codecs) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner, codecs) for inner in value]
    if isinstance(value, set | frozenset):
        return {_plain_member(member, codecs) for member in value}
    try:
        fields = fields_of(type(value))
    except NotAnEntityClass:
        return value
    inner = {name: getattr(value, name) for name in fields}
    return {name: _nested_value(each, codecs) for name, each in inner.items() if not _is_left_out(fields[name], each)}


def _plain_member(value: Any, codecs: TypeCodecs) -> Any:
    """Return a key of a dict or a member of a set; only a type codec changes it."""
    return value if codecs.of_value(value) is None else _plain(value, codecs)


def _is_left_out(field: Field, value: Any) -> bool:
    if value is None:
        return field.is_none_unless_stored
    return _is_empty_set(value) and field.is_empty_unless_stored


def _nested_value(value: Any, codecs: TypeCodecs) -> Any:
    return [] if _is_empty_set(value) else _plain(value, codecs)


def _is_empty_set(value: Any) -> bool:
    return isinstance(value, set | frozenset) and not value


def key_attribute_value(value: KeyValue) -> AttributeValue:
    """Return a key value in DynamoDB JSON."""
    if isinstance(value, Decimal):
        return {"N": number_text(value)}
    return {"B": base64.b64encode(value).decode()} if isinstance(value, bytes) else {"S": value}


def is_counted(entity: Entity, count: Count, values: Mapping[str, Any]) -> bool:
    """Whether a counter counts an item of the entity with these fields."""
    return count.condition is None or _test(count, entity.declaration.codecs)(_stored_fields(entity, count, values), {})


@lru_cache(maxsize=256)
def _test(count: Count, codecs: TypeCodecs) -> Test:
    """Compile the condition for stored values, keyed by field name."""
    assert count.condition is not None, "the caller checks that there is a condition"

    def stored(leaf: Leaf) -> Leaf:
        return Constant(stored_value(leaf.value, codecs)) if isinstance(leaf, Constant) else leaf

    return compile_condition(with_leaves(count.condition, stored))


def _stored_fields(entity: Entity, count: Count, values: Mapping[str, Any]) -> Item:
    """Return the stored values of the fields that the condition reads."""
    item: Item = {}
    for name in count.condition_fields:
        value = values.get(name)
        if value is None and not entity.fields[name].may_be_none:
            continue  # the field cannot store None, so it has no stored value
        stored = field_value(entity, name, value)
        if stored is not None:
            item[name] = stored
    return item
