"""Arguments as they are stored: checked against their declared types, models inside a field as maps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.errors import ArgumentRefused
from singletable.model.declaration import ParameterDeclaration
from singletable.model.fields import Field, NotAnEntityClass, fields_of, strip
from singletable.model.plain_types import PLAIN, is_value_of
from singletable.values.attribute_value import AttributeValue, attribute_value


def stored_value(value: Any) -> AttributeValue:
    """A value in DynamoDB's JSON; raises ArgumentRefused for what DynamoDB cannot hold."""
    try:
        return attribute_value(_plain(value))
    except TypeError as problem:
        raise ArgumentRefused(str(problem)) from problem


def checked(parameter: ParameterDeclaration, value: Any) -> Any:
    """The argument itself, unless its plain type is not the one that the pattern declares."""
    declared, _ = strip(parameter.type)
    if declared in PLAIN and not is_value_of(declared, value):
        raise ArgumentRefused(f"{parameter.name} is {value!r}, but the pattern takes {parameter.type_name}")
    return value


def _plain(value: Any) -> Any:
    """The value with every model inside it as a mapping of its fields.

    A field that is None is left out, and so is a set without members, which DynamoDB does not hold, unless its class
    would give it another value then.
    """
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    try:
        fields = fields_of(type(value))
    except NotAnEntityClass:
        return value
    inner = {name: getattr(value, name) for name in fields}
    return {name: _stood_for(each) for name, each in inner.items() if not _is_left_out(fields[name], each)}


def _is_left_out(field: Field, value: Any) -> bool:
    if value is None:
        return field.is_none_unless_stored
    return _is_empty_set(value) and field.is_empty_unless_stored


def _stood_for(value: Any) -> Any:
    return [] if _is_empty_set(value) else _plain(value)


def _is_empty_set(value: Any) -> bool:
    return isinstance(value, set | frozenset) and not value
