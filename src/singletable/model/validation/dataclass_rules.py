"""Validation rules of dataclasses: custom constructors, `InitVar` fields and descriptors. Each can check any value."""

from __future__ import annotations

import dataclasses
import inspect
from types import FunctionType, MemberDescriptorType
from typing import Any


def whole_dataclass_rule(cls: Any) -> str | None:
    """Return a description of the first rule that needs the whole object. Return None if there is no such rule."""
    for name, field in cls.__dataclass_fields__.items():
        if field._field_type.name == "_FIELD_INITVAR":
            return f"{cls.__name__} has an InitVar ({name})"
        found = inspect.getattr_static(cls, name, None)
        if hasattr(type(found), "__set__") and not isinstance(found, MemberDescriptorType):
            return f"{cls.__name__}.{name} is a descriptor"
    if not cls.__dataclass_params__.frozen and cls.__setattr__ is not object.__setattr__:
        return f"{cls.__name__} has a custom __setattr__ method"
    return None if has_generated_init(cls) else f"{cls.__name__} has a custom __init__ method"


def is_constructed_by_init(cls: Any) -> bool:
    """Return whether calling the class runs only its `__init__` method."""
    return cls.__new__ is object.__new__ and type(cls).__call__ is type.__call__


def has_generated_init(cls: Any) -> bool:
    """Return whether a dataclass has the constructor that its decorator generates.

    The constructor is compared with the constructors of new dataclasses that have the same fields.
    """
    fields = [(each.name, Any, _same_options(each)) for each in dataclasses.fields(cls)]
    make, frozen = dataclasses.make_dataclass, cls.__dataclass_params__.frozen
    try:
        generated: list[Any] = [make("Same", fields, frozen=frozen, slots=slots) for slots in (False, True)]
    except TypeError:  # only a custom constructor allows this order of fields
        return False
    return any(has_same_code(cls.__init__, each.__init__) for each in generated)


def _same_options(of: dataclasses.Field[Any]) -> Any:
    """Return a field for which the decorator generates the same code. The value of its default does not matter."""
    options: dict[str, Any] = {"init": of.init, "kw_only": of.kw_only}
    if of.default is not dataclasses.MISSING:
        options["default"] = None
    elif of.default_factory is not dataclasses.MISSING:
        options["default_factory"] = list
    return dataclasses.field(**options)


def has_same_code(first: Any, second: Any) -> bool:
    """Return whether two Python functions have the same code, except for defaults."""
    if not isinstance(first, FunctionType) or not isinstance(second, FunctionType):
        return False
    parts = ("co_code", "co_consts", "co_names", "co_varnames", "co_freevars")
    return all(getattr(first.__code__, part) == getattr(second.__code__, part) for part in parts)
