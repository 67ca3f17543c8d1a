"""Defaults of fields of dataclasses, pydantic models, msgspec Structs and attrs classes."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

from singletable.model.fields import NotAnEntityClass, fields_of

_EMPTY = (list, dict, set, frozenset, tuple, str, int, float, bool, bytes)


@dataclasses.dataclass(frozen=True)
class Default:
    """A value, or the function that returns it for each object."""

    value: Any = None
    function: Callable[..., Any] | None = None
    takes_argument: bool = False
    """Whether the function takes the object or its other values. A function of a dataclass takes neither."""


def default_of(cls: type, name: str) -> Default | None:
    """Return the default of a field; None if the field is required."""
    found = _declared(cls, name)
    return found if found is None or found.function is None else _constant(found.function) or found


def _constant(function: Callable[..., Any]) -> Default | None:
    """Return the value that a function returns, if it is an empty container or a copy. Otherwise it is unknown."""
    if function in _EMPTY:
        return Default(function())
    if isinstance(function, type) and _has_constant_defaults(function):
        return Default(function())
    owner = getattr(function, "__self__", None)
    if isinstance(owner, list | dict | set) and function == owner.copy:
        return Default(owner)
    is_copy = isinstance(function, partial) and function.func is deepcopy and len(function.args) == 1
    return Default(function.args[0]) if isinstance(function, partial) and is_copy else None


def _has_constant_defaults(cls: type) -> bool:
    """Return whether all defaults of the fields of a class are constants."""
    try:
        defaults = [default_of(cls, name) for name in fields_of(cls)]
    except (NotAnEntityClass, NameError):
        return False
    return all(default is not None and default.function is None for default in defaults)


def _declared(cls: Any, name: str) -> Default | None:
    if (known := getattr(cls, "model_fields", None) or getattr(cls, "__pydantic_fields__", None)) is not None:
        info = known[name]
        if info.is_required():
            return None
        if info.default_factory is None:
            return Default(info.default)
        return Default(None, info.default_factory, bool(getattr(info, "default_factory_takes_validated_data", False)))
    if (names := getattr(cls, "__struct_fields__", None)) is not None:
        return _of_struct(cls, names.index(name) - len(names))
    if (attributes := getattr(cls, "__attrs_attrs__", None)) is not None:
        return _of_attrs(next(each for each in attributes if each.name == name))
    field = cls.__dataclass_fields__[name]
    if field.default_factory is not dataclasses.MISSING:
        return Default(function=field.default_factory)
    return None if field.default is dataclasses.MISSING else Default(field.default)


def _of_struct(cls: Any, from_the_end: int) -> Default | None:
    """Return the default of a msgspec Struct, which stores the defaults of its last fields."""
    defaults, msgspec = cls.__struct_defaults__, sys.modules["msgspec"]
    if -from_the_end > len(defaults) or defaults[from_the_end] is msgspec.NODEFAULT:
        return None
    found = defaults[from_the_end]
    factory = getattr(found, "factory", None)
    return Default(function=factory) if type(found).__name__ == "Factory" else Default(found)


def _of_attrs(attribute: Any) -> Default | None:
    nothing = sys.modules["attr"].NOTHING
    if attribute.default is nothing:
        return None
    factory = getattr(attribute.default, "factory", None)
    return Default(attribute.default) if factory is None else Default(None, factory, attribute.default.takes_self)
