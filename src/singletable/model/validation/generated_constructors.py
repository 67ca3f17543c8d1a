"""Detects whether a class has only the constructor that its library generates."""

from __future__ import annotations

import dataclasses
from types import FunctionType
from typing import Any


def is_constructed_by_init(cls: Any) -> bool:
    """Return whether calling the class runs only its `__init__`."""
    return cls.__new__ is object.__new__ and type(cls).__call__ is type.__call__


def has_generated_init(cls: Any) -> bool:
    """Return whether a dataclass has the constructor that dataclasses generate for its fields."""
    fields = [(each.name, Any, _same_options(each)) for each in dataclasses.fields(cls)]
    make, frozen = dataclasses.make_dataclass, cls.__dataclass_params__.frozen
    try:
        generated: list[Any] = [make("Same", fields, frozen=frozen, slots=slots) for slots in (False, True)]
    except TypeError:  # this order of fields is possible only with a custom constructor
        return False
    return any(has_same_code(cls.__init__, each.__init__) for each in generated)


def _same_options(of: dataclasses.Field[Any]) -> Any:
    options: dict[str, Any] = {"init": of.init, "kw_only": of.kw_only}
    if of.default is not dataclasses.MISSING:
        options["default"] = None
    elif of.default_factory is not dataclasses.MISSING:
        options["default_factory"] = list
    return dataclasses.field(**options)


def has_same_code(first: Any, second: Any) -> bool:
    """Return whether two Python functions have the same code, apart from defaults."""
    if not isinstance(first, FunctionType) or not isinstance(second, FunctionType):
        return False
    parts = ("co_code", "co_consts", "co_names", "co_varnames", "co_freevars")
    return all(getattr(first.__code__, part) == getattr(second.__code__, part) for part in parts)
