"""The fields of a user's own class, whichever library made it: pydantic, dataclasses, msgspec or attrs.

The libraries are recognised by the marks they leave on a class, so that none of them has to be imported.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Annotated, Any, Union, get_args, get_origin


@dataclasses.dataclass(frozen=True)
class Field:
    """One field: its name, its type without `None` and `Annotated`, and whether it may be missing."""

    name: str
    type: Any
    optional: bool = False
    required: bool = True
    initialised: bool = True

    @property
    def type_name(self) -> str:
        """The type as the user wrote it, near enough for a message."""
        return name_of(self.type)


class NotAnEntityClass(TypeError):
    """A class that none of the four libraries made."""


def fields_of(cls: type) -> dict[str, Field]:
    """Every field of the class by name, in order of declaration."""
    names = _names(cls)
    hints = typing.get_type_hints(cls, include_extras=True)
    fields: dict[str, Field] = {}
    for name, (required, initialised) in names.items():
        stripped, optional = strip(hints[name])
        fields[name] = Field(name, stripped, optional, required, initialised)
    return fields


def _names(cls: type) -> dict[str, tuple[bool, bool]]:
    """Field names, each with whether a value must be given and whether one can be."""
    if isinstance(pydantic_fields := getattr(cls, "model_fields", None), Mapping) and hasattr(cls, "model_validate"):
        return {name: (bool(info.is_required()), True) for name, info in pydantic_fields.items()}
    if (struct_fields := getattr(cls, "__struct_fields__", None)) is not None:
        with_default = len(cls.__struct_defaults__)  # type: ignore[attr-defined]  # msgspec keeps the defaults of the last fields
        required = len(struct_fields) - with_default
        return {name: (position < required, True) for position, name in enumerate(struct_fields)}
    if (attributes := getattr(cls, "__attrs_attrs__", None)) is not None:
        return {a.name: (a.init and not _given(a.default), a.init) for a in attributes}
    if dataclasses.is_dataclass(cls):
        missing = dataclasses.MISSING
        return {
            f.name: (f.init and f.default is missing and f.default_factory is missing, f.init)
            for f in dataclasses.fields(cls)
        }
    raise NotAnEntityClass(
        f"{cls.__qualname__} is no pydantic model, dataclass, msgspec Struct or attrs class; "
        "an entity is one of these, and its decorator stands below @entity"
    )


def _given(default: Any) -> bool:
    return getattr(default, "name", None) != "NOTHING"


def strip(annotation: Any) -> tuple[Any, bool]:
    """The type behind `Annotated`, `Optional` and `NewType`, and whether None is allowed."""
    optional = False
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation = get_args(annotation)[0]
        elif origin in (Union, types.UnionType) and type(None) in get_args(annotation):
            members = [member for member in get_args(annotation) if member is not type(None)]
            annotation, optional = _union(members), True
        elif isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        else:
            return annotation, optional


def _union(members: list[Any]) -> Any:
    result = members[0]
    for member in members[1:]:
        result = result | member
    return result


def name_of(annotation: Any) -> str:
    """A type's name for messages: `str`, `tuple[str, ...]`, `Between[datetime]`."""
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation.__qualname__
    if get_args(annotation):
        inner = ", ".join("..." if argument is ... else name_of(argument) for argument in get_args(annotation))
        return f"{getattr(get_origin(annotation), '__name__', str(get_origin(annotation)))}[{inner}]"
    return repr(annotation) if not hasattr(annotation, "__name__") else str(annotation.__name__)
