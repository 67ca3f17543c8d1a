"""Types and default values of a design as Python text, with the enumerations and classes that they use."""

from __future__ import annotations

import builtins
import enum
import inspect
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import isfinite
from types import MappingProxyType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from singletable.errors import DesignError
from singletable.expressions.tree import Constant, Leaf, with_leaves
from singletable.importers.draft import DraftClass, DraftEnum, DraftField, PythonCode
from singletable.importers.names import class_name, is_free
from singletable.importers.python_text import value_text
from singletable.importers.vocabulary import BUILT_IN, CONTAINER_TYPES, OURS, PLAIN_TYPES, STANDARD
from singletable.importers.workbench.field_defaults import Default, default_of
from singletable.model.fields import Field, fields_of, hints_of, name_of, strip

N = TypeVar("N")
_NAMES: Mapping[Any, str] = {BUILT_IN[name] if name in BUILT_IN else STANDARD[name][1]: name for name in PLAIN_TYPES}
_CONTAINERS = {BUILT_IN[name]: name for name in CONTAINER_TYPES}
_WITHOUT_ELEMENTS = {
    list: "list[Any]",
    dict: "dict[str, Any]",
    set: "set[Any]",
    frozenset: "frozenset[Any]",
    tuple: "tuple[Any, ...]",
}
_WRITABLE = (str, int, float, bool, bytes, *(STANDARD[name][1] for name in ("Decimal", "UUID", "datetime", "date")))


class NotWritable(ValueError):
    """A value or a part of a design that an exported model cannot contain."""


class DesignTypes:
    """Collects the enumerations and classes of the fields of a model. Each gets a unique name."""

    def __init__(self, names: Mapping[type, str], taken: set[str], notes: list[str]) -> None:
        self.names: dict[type, str] = dict(names)
        self._taken = taken
        self._notes = notes
        self._open: set[type] = set()
        self._functions: dict[str, Callable[..., Any]] = {}
        self.enums: list[DraftEnum] = []
        self.classes: list[DraftClass] = []

    def annotation(self, annotation: Any, where: str) -> tuple[str, tuple[str, ...]]:
        """Return a type without None as text, and the values of a Literal of strings."""
        if get_origin(annotation) is Literal and all(type(each) is str for each in get_args(annotation)):
            return "str", get_args(annotation)
        return self._type(annotation, where), ()

    def fields(
        self, cls: type, fields: Iterable[Field], stored: Mapping[str, str] = MappingProxyType({})
    ) -> tuple[DraftField, ...]:
        """Return the fields of a class. `stored` contains attributes whose names differ from their fields."""
        self._open.add(cls)
        found = tuple(self._field(cls, each, stored.get(each.name)) for each in fields)
        self._open.discard(cls)
        return found

    def _field(self, cls: type, field: Field, attribute: str | None) -> DraftField:
        where = f"{cls.__name__}.{field.name}"
        kind, choices = self.annotation(field.type, where)
        default = None if field.required else default_of(cls, field.name)
        draft = DraftField(field.name, kind, field.optional, attribute, choices, field.optional and field.required)
        if not field.initialised:
            self._notes.append(f"{where} is an argument of the class in the document, because its class computes it.")
        if default is None or (default.function is None and default.value is None and field.optional):
            return draft
        return self._with_default(draft, default, where)

    def _with_default(self, draft: DraftField, default: Default, where: str) -> DraftField:
        if default.function is not None:
            name = None if default.takes_argument else self.function(default.function)
            if name is not None:
                return replace(draft, default_function=name)
            self._notes.append(
                f"{where} is required, because a model cannot import the function of its default by name."
            )
            return replace(draft, must_be_given=draft.optional)
        try:
            return replace(draft, has_default=True, default=self.constant(default.value))
        except NotWritable as problem:
            self._notes.append(f"{where} is required, because its default cannot be written: {problem}.")
            return replace(draft, must_be_given=draft.optional)

    def constant(self, value: Any) -> Any:
        """Return the value with `PythonCode` for enumerations and objects. Raise NotWritable for other values."""
        if isinstance(value, enum.Enum):
            if (name := self.enumeration(type(value))) is None:
                raise NotWritable(repr(value))
            return PythonCode(f"{name}.{value.name}")
        if isinstance(value, float) and not isfinite(value):
            raise NotWritable(repr(value))
        if value is None or type(value) in _WRITABLE:
            return value
        if isinstance(value, list | tuple | set | frozenset) and type(value) in _CONTAINERS:
            found = [self.constant(each) for each in value]
            if type(value) in (set, frozenset) and any(
                isinstance(each, PythonCode) and each.is_mutable for each in found
            ):
                raise NotWritable(repr(value))
            kind: Any = type(value)
            return kind(found)
        if type(value) is dict and all(type(name) is str for name in value):
            return {name: self.constant(each) for name, each in value.items()}
        if (known := self.value_class(type(value))) is not None:
            fields = [each for each in fields_of(type(value)).values() if each.initialised]
            values = {each.name: self.constant(getattr(value, each.name)) for each in fields}
            arguments = ", ".join(f"{name}={value_text(each)}" for name, each in values.items())
            return PythonCode(f"{known}({arguments})", is_mutable=True)
        raise NotWritable(repr(value))

    def constants_in(self, node: N) -> N:
        """Return a tree with writable constants; raise NotWritable."""

        def writable(leaf: Leaf) -> Leaf:
            return Constant(self.constant(leaf.value)) if isinstance(leaf, Constant) else leaf

        return with_leaves(node, writable)

    def function(self, function: Callable[..., Any]) -> str | None:
        """Return the name by which a model imports a function. Return None if it has no unique name."""
        name = getattr(function, "__name__", "")
        is_named = isinstance(function, types.FunctionType) and function.__qualname__ == name and name.isidentifier()
        if not is_named or self._functions.get(name, function) is not function:
            return None
        if name not in self._functions and (not is_free(name, self._taken) or name in OURS or name in vars(builtins)):
            return None
        self._functions[name] = function
        self._taken.add(name)
        return name

    def value_class(self, cls: type) -> str | None:
        """Return the name of a class with fields.

        Return None for other classes, and for a class that contains itself.
        """
        if cls in self._open:
            return None
        if cls not in self.names:
            try:
                hints_of(cls)
                fields_of(cls)
            except (TypeError, NameError, DesignError):
                return None
            fields = self.fields(cls, fields_of(cls).values())
            self._add_name(cls)
            self.classes.append(DraftClass(self.names[cls], fields, doc_of(cls)))
        return self.names[cls]

    def enumeration(self, cls: type[enum.Enum]) -> str | None:
        """Return the name of an enumeration. Return None if its members are neither strings nor integers."""
        if cls not in self.names:
            members = {each.name: each.value for each in cls} if not issubclass(cls, enum.Flag) else {}
            kinds = {type(value) for value in members.values()}
            if len(kinds) != 1 or not kinds <= {str, int} or len(cls.__members__) != len(members):
                return None
            self._add_name(cls)
            self.enums.append(DraftEnum(self.names[cls], members, _enum_base(cls), doc_of(cls)))
        return self.names[cls]

    def _add_name(self, cls: type) -> None:
        is_kept = is_free(cls.__name__, self._taken)
        self.names[cls] = cls.__name__ if is_kept else class_name(cls.__name__, self._taken)
        self._taken.add(self.names[cls])

    def _type(self, annotation: Any, where: str) -> str:
        declared, optional = strip(annotation)
        text = self._plain_type(declared, get_origin(declared), where)
        return f"{text} | None" if optional else text

    def _plain_type(self, declared: Any, origin: Any, where: str) -> str:
        arguments = get_args(declared)
        if origin is None and declared in _NAMES:
            return _NAMES[declared]
        if declared in _WITHOUT_ELEMENTS:
            return _WITHOUT_ELEMENTS[declared]
        if origin is Literal and all(type(each) in (str, int, bool) for each in arguments):
            return f"Literal[{', '.join(map(value_text, arguments))}]"
        if origin in (Union, types.UnionType):
            return " | ".join(self._type(each, where) for each in arguments)
        if origin in _CONTAINERS and arguments:
            elements = ("..." if each is ... else self._type(each, where) for each in arguments)
            return f"{_CONTAINERS[origin]}[{', '.join(elements)}]"
        if isinstance(declared, type) and origin is None:
            name = self.enumeration(declared) if issubclass(declared, enum.Enum) else self.value_class(declared)
            if name is not None:
                return name
        note = f"{where} has the type Any in the document, because {name_of(declared)} cannot be written."
        if note not in self._notes:
            self._notes.append(note)
        return "Any"


def doc_of(cls: type) -> str:
    """Return the docstring of a class without indentation.

    Return an empty text for a docstring that dataclass generated.
    """
    return "" if (cls.__doc__ or "").startswith(f"{cls.__name__}(") else inspect.cleandoc(cls.__doc__ or "").rstrip()


def _enum_base(cls: type[enum.Enum]) -> str:
    if issubclass(cls, enum.StrEnum):
        return "StrEnum"
    if issubclass(cls, enum.IntEnum):
        return "IntEnum"
    if issubclass(cls, str):
        return "str, Enum"
    return "int, Enum" if issubclass(cls, int) else "Enum"
