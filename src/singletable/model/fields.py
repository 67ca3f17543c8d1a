"""Fields of pydantic models, dataclasses, msgspec Structs and attrs classes: names, types and defaults.

This module recognises each library by the attributes that it sets on a class, so it imports none of the libraries.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field as dataclass_field
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Union, get_args, get_origin
from uuid import UUID

from singletable.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from singletable.model.type_codecs import TypeCodecs

_PYDANTIC = {
    "AwareDatetime": datetime,
    "PastDatetime": datetime,
    "FutureDatetime": datetime,
    "PastDate": date,
    "FutureDate": date,
    "EmailStr": str,
}
"""The type of the actual values, by the name of a pydantic type that only validates and has no instances."""

_CONTAINERS = (list, tuple, set, frozenset, dict)


@dataclass(frozen=True)
class DefaultFactory:
    """A default that is created for each object. `make` is the factory function, or None if the function is unknown."""

    make: Callable[[], Any] | None = None


@dataclass(frozen=True)
class Field:
    """A field: its name, its type without `None` and `Annotated`, and whether it is required."""

    name: str
    type: Any
    optional: bool = False
    required: bool = True
    initialised: bool = True
    default: Any = dataclass_field(default=None, compare=False, repr=False)
    """The default value if the field is not required, or a `DefaultFactory`."""
    codecs: TypeCodecs | None = dataclass_field(default=None, repr=False)
    """The type codecs that the entity declares; None for the built-in ones alone."""

    @property
    def is_none_unless_stored(self) -> bool:
        """Whether the field is None if its attribute is not stored."""
        return self.may_be_none if self.required else self.default is None

    def is_default(self, value: Any) -> bool:
        """Return whether a value is the default of the field."""
        if self.required or not isinstance(self.default, DefaultFactory):
            return not self.required and bool(value == self.default)
        try:
            return self.default.make is not None and bool(value == self.default.make())
        except Exception:  # the factory is user code and may need an argument
            return False

    @property
    def may_be_none(self) -> bool:
        """Whether the type of the field includes None."""
        return self.optional or self.type in (Any, object)

    @property
    def is_empty_unless_stored(self) -> bool:
        """Whether the field is an empty set if its attribute is not stored."""
        if self.required:
            return not self.optional and (get_origin(self.type) or self.type) in (set, frozenset)
        return isinstance(self.default, set | frozenset) and not self.default

    @property
    def type_name(self) -> str:
        """The type, for messages."""
        return name_of(self.type)


class NotAnEntityClass(TypeError):
    """The class is not a pydantic model, dataclass, msgspec Struct or attrs class."""


def fields_of(cls: type, hints: Mapping[str, Any] | None = None) -> dict[str, Field]:
    """Return the fields of a class by name, in declaration order. `hints` are its annotations, if they are known."""
    names = _names(cls)
    hints = hints_of(cls) if hints is None else hints
    fields: dict[str, Field] = {}
    for name, (required, initialised, default) in names.items():
        if name not in hints:
            raise NotAnEntityClass(f"{cls.__qualname__}.{name} has no type; annotate it")
        stripped, optional = strip(hints[name])
        fields[name] = Field(name, stripped, optional, required, initialised, None if required else default)
    return fields


def hints_of(cls: type) -> dict[str, Any]:
    """Return the resolved annotations of a class, including `Annotated` metadata."""
    if getattr(cls, "__pydantic_complete__", False) and _is_pydantic(cls):
        # pydantic resolves names that get_type_hints cannot see: locals of a function, parameters of a generic model.
        return {name: info.annotation for name, info in cls.model_fields.items()}  # type: ignore[attr-defined]  # pydantic has it
    return typing.get_type_hints(cls, include_extras=True)


def _is_pydantic(cls: type) -> bool:
    return isinstance(getattr(cls, "model_fields", None), Mapping) and hasattr(cls, "model_validate")


def _names(cls: type) -> dict[str, tuple[bool, bool, Any]]:
    """Return for each field whether it is required, whether the constructor takes it, and its default."""
    if _is_pydantic(cls):
        infos: Mapping[str, Any] = cls.model_fields  # type: ignore[attr-defined]  # pydantic has it
        return {
            name: (bool(info.is_required()), True, _default_of(info.default, info.default_factory))
            for name, info in infos.items()
        }
    if (struct_fields := getattr(cls, "__struct_fields__", None)) is not None:
        return _struct_names(struct_fields, cls.__struct_defaults__)  # type: ignore[attr-defined]  # msgspec has it
    if (attributes := getattr(cls, "__attrs_attrs__", None)) is not None:
        _check_decorated(cls, "__attrs_attrs__")
        nothing = sys.modules["attr"].NOTHING
        return {a.name: (a.init and a.default is nothing, a.init, _attrs_default(a)) for a in attributes}
    if dataclasses.is_dataclass(cls):
        _check_decorated(cls, "__dataclass_fields__")
        return {
            f.name: (f.init and _is_required(cls, f), f.init, _dataclass_default(f)) for f in dataclasses.fields(cls)
        }
    raise NotAnEntityClass(
        f"{cls.__qualname__} is not a pydantic model, dataclass, msgspec Struct or attrs class; "
        "if it has a @dataclass or attrs decorator, put @entity above it"
    )


def _struct_names(fields: tuple[str, ...], defaults: tuple[Any, ...]) -> dict[str, tuple[bool, bool, Any]]:
    # msgspec stores only the defaults of the last fields, with NODEFAULT for the required fields among them.
    none = sys.modules["msgspec"].NODEFAULT
    every = (*(none for _ in range(len(fields) - len(defaults))), *defaults)
    return {
        name: (default is none, True, _default_of(default, getattr(default, "factory", None)))
        for name, default in zip(fields, every, strict=True)
    }


def _default_of(default: Any, factory: Any) -> Any:
    """Return the default value, or a DefaultFactory if the factory must create a value for each object."""
    if factory is None:
        return default
    return factory() if factory in (set, frozenset) else DefaultFactory(factory)


def _attrs_default(attribute: Any) -> Any:
    is_factory = isinstance(attribute.default, sys.modules["attr"].Factory)
    return _default_of(attribute.default, attribute.default.factory if is_factory else None)


def _dataclass_default(field: dataclasses.Field[Any]) -> Any:
    if field.default is not dataclasses.MISSING:
        # In a pydantic dataclass, the default can be a FieldInfo.
        info = field.default
        return _default_of(info.default, info.default_factory) if hasattr(info, "default_factory") else info
    has_factory = field.default_factory is not dataclasses.MISSING
    return _default_of(None, field.default_factory) if has_factory else DefaultFactory()


def _is_required(cls: type, field: dataclasses.Field[Any]) -> bool:
    info = getattr(cls, "__pydantic_fields__", {}).get(
        field.name
    )  # in a pydantic dataclass, a constraint is not a default
    if info is not None:
        return bool(info.is_required())
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _check_decorated(cls: type, mark: str) -> None:
    """Raise NotAnEntityClass if a subclass has annotations but no decorator of its own: they are then not fields."""
    if mark in vars(cls):
        return
    own = inspect.get_annotations(cls)
    hints = typing.get_type_hints(cls) if own else {}
    if ignored := [name for name in own if hints[name] is not ClassVar and get_origin(hints[name]) is not ClassVar]:
        raise NotAnEntityClass(
            f"{cls.__qualname__} has no decorator of its own, so its annotations are ignored: {', '.join(ignored)}; "
            "add the decorator of its base class below @entity"
        )


def strip(annotation: Any) -> tuple[Any, bool]:
    """Return the type inside `Annotated`, `Optional`, `NewType` and type aliases, and whether None is allowed."""
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
        elif type(annotation).__name__ == "TypeAliasType":  # `type Slug = str`, new in Python 3.12
            annotation = annotation.__value__
        elif isinstance(annotation, type) and annotation.__module__ in ("pydantic.types", "pydantic.networks"):
            return _value_type(annotation), optional
        else:
            return annotation, optional


def _value_type(annotation: type) -> Any:
    """Return the type of the actual values of a pydantic type that has no instances."""
    if annotation.__name__ in ("IPvAnyAddress", "IPvAnyNetwork", "IPvAnyInterface"):
        import ipaddress  # lazily, so that `import singletable` does not load it

        kind = annotation.__name__.removeprefix("IPvAny")
        return getattr(ipaddress, f"IPv4{kind}") | getattr(ipaddress, f"IPv6{kind}")
    return _PYDANTIC.get(annotation.__name__, annotation)


def container_of(declared: Any) -> type | None:
    """Return the container class for values of a type, or None if the type is not a container."""
    origin = get_origin(declared)
    if origin in _CONTAINERS or declared in _CONTAINERS:
        kind: type = origin or declared
        return kind
    if not isinstance(origin, type) or not issubclass(origin, Collection):
        return None
    return dict if issubclass(origin, Mapping) else list


def element_of(declared: Any) -> Any:
    """Return the type of the elements of a container, or of the values of a dict. Return None for other types.

    The result is also None for a tuple that declares a type for each element.
    """
    kind, arguments = container_of(declared), get_args(declared)
    if kind is None or (kind is tuple and arguments and arguments[-1] is not ...):
        return None
    return Any if not arguments else arguments[-1] if kind is dict else arguments[0]


def has_fields(declared: Any) -> bool:
    """Return whether a type is a class with fields, which is stored as a map."""
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
    """Return the name of a type for messages: `str`, `tuple[str, ...]`, `Between[datetime]`."""
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation.__qualname__
    if get_origin(annotation) in (Union, types.UnionType):
        return " | ".join("None" if each is type(None) else name_of(each) for each in get_args(annotation))
    if get_args(annotation):
        inner = ", ".join("..." if argument is ... else name_of(argument) for argument in get_args(annotation))
        return f"{getattr(get_origin(annotation), '__name__', str(get_origin(annotation)))}[{inner}]"
    return repr(annotation) if not hasattr(annotation, "__name__") else str(annotation.__name__)


NUMBER_TYPES = (int, float, Decimal)
SCALAR_TYPES = (str, bool, bytes, datetime, date, UUID, *NUMBER_TYPES)
# In Python, a bool is an int and a datetime is a date, but DynamoDB stores them differently.
_EXCLUDED_SUBTYPES: dict[Any, type] = {int: bool, float: bool, Decimal: bool, date: datetime}


def is_value_of(kind: Any, value: Any, *, any_number: bool = False) -> bool:
    """Return whether a value is valid for a scalar type. Any number is valid for float and Decimal.

    With `any_number`, any number is also valid for int.
    """
    accepted = NUMBER_TYPES if kind in (float, Decimal) or (any_number and kind is int) else kind
    return isinstance(value, accepted) and type(value) is not _EXCLUDED_SUBTYPES.get(kind)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a sentence that suggests the closest field name, or lists all field names."""
    from difflib import get_close_matches  # imported lazily: only error messages need it

    names = list(dict.fromkeys(known))
    close = get_close_matches(name, names, 1)
    return f"Did you mean {close[0]!r}?" if close else f"The fields are {', '.join(names)}."
