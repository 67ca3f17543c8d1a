"""Arguments as they are stored: checked against their declared types, models inside a field as maps."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from singletable.errors import ArgumentRefused
from singletable.model.declaration import ParameterDeclaration
from singletable.model.fields import NotAnEntityClass, fields_of
from singletable.values.attribute_value import AttributeValue, attribute_value

_NUMBERS = (int, float, Decimal)
_PLAIN = (str, bool, bytes, datetime, date, UUID, *_NUMBERS)
# Python takes a truth value for a number and a datetime for a date; DynamoDB stores them as something else.
_TAKEN_FOR: dict[Any, type] = {int: bool, float: bool, Decimal: bool, date: datetime}


def stored_value(value: Any) -> AttributeValue:
    """A value in DynamoDB's JSON; raises ArgumentRefused for what DynamoDB cannot hold."""
    try:
        return attribute_value(_plain(value))
    except TypeError as problem:
        raise ArgumentRefused(str(problem)) from problem


def checked(parameter: ParameterDeclaration, value: Any) -> Any:
    """The argument itself, unless its plain type is not the one that the pattern declares."""
    kind = parameter.type
    if kind not in _PLAIN:
        return value
    fits = isinstance(value, _NUMBERS if kind in (float, Decimal) else kind)
    if not fits or type(value) is _TAKEN_FOR.get(kind):
        raise ArgumentRefused(f"{parameter.name} is {value!r}, but the pattern takes {parameter.type_name}")
    return value


def _plain(value: Any) -> Any:
    """The value with every model inside it as a mapping of its fields; a field that is None is left out."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    try:
        fields = fields_of(type(value))
    except NotAnEntityClass:
        return value
    inner = {name: getattr(value, name) for name in fields}
    return {name: _plain(each) for name, each in inner.items() if each is not None}
