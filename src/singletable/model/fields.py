"""The fields of a user's own class, whichever library made it: pydantic, dataclasses, msgspec or attrs.

The libraries are recognised by the marks they leave on a class, so that none of them has to be imported.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
import types
import typing
from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime
from functools import cache
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin

_PYDANTIC = {
    "AwareDatetime": datetime,
    "PastDatetime": datetime,
    "FutureDatetime": datetime,
    "PastDate": date,
    "FutureDate": date,
    "EmailStr": str,
}
"""Classes that pydantic has for constraints only: no value is ever of them."""

_CONTAINERS = (list, tuple, set, frozenset, dict)


@dataclasses.dataclass(frozen=True)
class Computed:
    """Stands for a default that the class makes anew for each object, by a function where that is known."""

    make: Callable[[], Any] | None = None


@dataclasses.dataclass(frozen=True)
class Field:
    """One field: its name, its type without `None` and `Annotated`, and whether it may be missing."""

    name: str
    type: Any
    optional: bool = False
    required: bool = True
    initialised: bool = True
    default: Any = dataclasses.field(default=None, compare=False, repr=False)
    """What the class itself gives the field, unless it is required: a value, or whatever `Computed` stands for."""

    @property
    def is_none_unless_stored(self) -> bool:
        """Whether the field is None in an object whose item does not have it."""
        return self.may_be_none if self.required else self.default is None

    def is_default(self, value: Any) -> bool:
        """Whether the class gives the field this value by itself."""
        if self.required or not isinstance(self.default, Computed):
            return not self.required and bool(value == self.default)
        try:
            return self.default.make is not None and bool(value == self.default.make())
        except Exception:  # of the user's own function, which may want an argument
            return False

    @property
    def may_be_none(self) -> bool:
        """Whether None is a value of the field's type."""
        return self.optional or self.type in (Any, object)

    @property
    def is_empty_unless_stored(self) -> bool:
        """Whether the field is a set without members in an object whose item does not have it."""
        if self.required:
            return not self.optional and (get_origin(self.type) or self.type) in (set, frozenset)
        return isinstance(self.default, set | frozenset) and not self.default

    @property
    def type_name(self) -> str:
        """The type as the user wrote it, near enough for a message."""
        return name_of(self.type)


class NotAnEntityClass(TypeError):
    """A class that none of the four libraries made."""


def fields_of(cls: type) -> dict[str, Field]:
    """Every field of the class by name, in order of declaration."""
    names = _names(cls)
    hints = hints_of(cls)
    fields: dict[str, Field] = {}
    for name, (required, initialised, default) in names.items():
        if name not in hints:
            raise NotAnEntityClass(f"{cls.__qualname__}.{name} has no type; annotate it")
        stripped, optional = strip(hints[name])
        fields[name] = Field(name, stripped, optional, required, initialised, None if required else default)
    return fields


def hints_of(cls: type) -> dict[str, Any]:
    """The annotations of a class as types, with what stands beside a type in `Annotated`."""
    if getattr(cls, "__pydantic_complete__", False) and _is_pydantic(cls):
        # pydantic has resolved what it could see and we cannot: names of a function, and the types of a generic model.
        return {name: info.annotation for name, info in cls.model_fields.items()}  # type: ignore[attr-defined]  # pydantic has it
    return typing.get_type_hints(cls, include_extras=True)


def _is_pydantic(cls: type) -> bool:
    return isinstance(getattr(cls, "model_fields", None), Mapping) and hasattr(cls, "model_validate")


def _names(cls: type) -> dict[str, tuple[bool, bool, Any]]:
    """Field names, each with whether a value must be given, whether one can be, and what it is otherwise."""
    if _is_pydantic(cls):
        infos: Mapping[str, Any] = cls.model_fields  # type: ignore[attr-defined]  # pydantic has it
        return {
            n: (bool(info.is_required()), True, _made(info.default, info.default_factory)) for n, info in infos.items()
        }
    if (struct_fields := getattr(cls, "__struct_fields__", None)) is not None:
        return _struct_names(struct_fields, cls.__struct_defaults__)  # type: ignore[attr-defined]  # msgspec has it
    if (attributes := getattr(cls, "__attrs_attrs__", None)) is not None:
        _refuse_lost(cls, "__attrs_attrs__")
        nothing = sys.modules["attr"].NOTHING
        return {a.name: (a.init and a.default is nothing, a.init, _attrs_default(a)) for a in attributes}
    if dataclasses.is_dataclass(cls):
        _refuse_lost(cls, "__dataclass_fields__")
        return {
            f.name: (f.init and _is_required(cls, f), f.init, _dataclass_default(f)) for f in dataclasses.fields(cls)
        }
    raise NotAnEntityClass(
        f"{cls.__qualname__} is no pydantic model, dataclass, msgspec Struct or attrs class; "
        "an entity is one of these, and its decorator stands below @entity"
    )


def _struct_names(fields: tuple[str, ...], defaults: tuple[Any, ...]) -> dict[str, tuple[bool, bool, Any]]:
    # msgspec keeps the defaults of the last fields, and a mark for those among them that have none.
    none = sys.modules["msgspec"].NODEFAULT
    every = (*(none for _ in range(len(fields) - len(defaults))), *defaults)
    return {
        name: (default is none, True, _made(default, getattr(default, "factory", None)))
        for name, default in zip(fields, every, strict=True)
    }


def _made(default: Any, factory: Any) -> Any:
    """A default, as far as it is known before an object is made."""
    if factory is None:
        return default
    return factory() if factory in (set, frozenset) else Computed(factory)


def _attrs_default(attribute: Any) -> Any:
    is_factory = isinstance(attribute.default, sys.modules["attr"].Factory)
    return _made(attribute.default, attribute.default.factory if is_factory else None)


def _dataclass_default(field: dataclasses.Field[Any]) -> Any:
    if field.default is not dataclasses.MISSING:
        # A field of pydantic's own stands where the default would; what it says is left to pydantic.
        info = field.default
        return _made(info.default, info.default_factory) if hasattr(info, "default_factory") else info
    is_made = field.default_factory is not dataclasses.MISSING
    return _made(None, field.default_factory) if is_made else Computed()


def _is_required(cls: type, field: dataclasses.Field[Any]) -> bool:
    info = getattr(cls, "__pydantic_fields__", {}).get(
        field.name
    )  # a dataclass of pydantic: a constraint is no default
    if info is not None:
        return bool(info.is_required())
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _refuse_lost(cls: type, mark: str) -> None:
    """Refuse a class that only inherits its decorator, and so has annotations which are no fields."""
    if mark in vars(cls):
        return
    own = inspect.get_annotations(cls)
    hints = typing.get_type_hints(cls) if own else {}
    if lost := [name for name in own if hints[name] is not ClassVar and get_origin(hints[name]) is not ClassVar]:
        raise NotAnEntityClass(
            f"{cls.__qualname__} was not decorated itself, so {', '.join(lost)} is no field of it; "
            "its decorator stands below @entity"
        )


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
        elif type(annotation).__name__ == "TypeAliasType":  # `type Slug = str`, which Python 3.11 has not
            annotation = annotation.__value__
        elif isinstance(annotation, type) and annotation.__module__ in ("pydantic.types", "pydantic.networks"):
            return _PYDANTIC.get(annotation.__name__, annotation), optional
        else:
            return annotation, optional


def container_of(declared: Any) -> type | None:
    """The container that values of a type are read into; None for other types."""
    origin = get_origin(declared)
    if origin in _CONTAINERS or declared in _CONTAINERS:
        kind: type = origin or declared
        return kind
    if not isinstance(origin, type) or not issubclass(origin, Collection):
        return None
    return dict if issubclass(origin, Mapping) else list


def element_of(declared: Any) -> Any:
    """The annotation of a container's elements, or of a dict's values; None when there is not exactly one."""
    kind, arguments = container_of(declared), get_args(declared)
    if kind is None or (kind is tuple and arguments and arguments[-1] is not ...):
        return None
    return Any if not arguments else arguments[-1] if kind is dict else arguments[0]


def has_fields(declared: Any) -> bool:
    """Whether a type is a class with fields, which is stored as a map."""
    return isinstance(declared, type) and _has_fields(declared)


@cache
def _has_fields(declared: type) -> bool:
    try:
        fields_of(declared)
    except NotAnEntityClass:
        return False
    return True


def _union(members: list[Any]) -> Any:
    result = members[0]
    for member in members[1:]:
        result = result | member
    return result


def name_of(annotation: Any) -> str:
    """A type's name for messages: `str`, `tuple[str, ...]`, `Between[datetime]`."""
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation.__qualname__
    if get_origin(annotation) in (Union, types.UnionType):
        return " | ".join("None" if each is type(None) else name_of(each) for each in get_args(annotation))
    if get_args(annotation):
        inner = ", ".join("..." if argument is ... else name_of(argument) for argument in get_args(annotation))
        return f"{getattr(get_origin(annotation), '__name__', str(get_origin(annotation)))}[{inner}]"
    return repr(annotation) if not hasattr(annotation, "__name__") else str(annotation.__name__)
