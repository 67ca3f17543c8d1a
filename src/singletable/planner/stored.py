"""Arguments as they are stored: checked against their declared types, models inside a field as maps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.errors import ArgumentRefused
from singletable.model.declaration import ParameterDeclaration
from singletable.model.fields import NotAnEntityClass, fields_of
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
    if parameter.type in PLAIN and not is_value_of(parameter.type, value):
        raise ArgumentRefused(f"{parameter.name} is {value!r}, but the pattern takes {parameter.type_name}")
    return value


def _plain(value: Any) -> Any:
    """The value with every model inside it as a mapping of its fields.

    A field that is None is left out, and so is a set without members, which DynamoDB does not hold.
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
    return {name: _plain(each) for name, each in inner.items() if not _is_nothing(each)}


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, set | frozenset) and not value)
