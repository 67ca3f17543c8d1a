"""The types of a design's fields and parameters as drafts write them, with the classes that they are made of."""

from __future__ import annotations

import enum
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal, Union, get_args, get_origin

from singletable.drafts.constants import NoConstant, constant_of
from singletable.drafts.docstrings import plain_text
from singletable.drafts.draft import DraftClass, DraftEnum, DraftField, EnumBase
from singletable.drafts.field_defaults import Default, default_of
from singletable.drafts.naming import is_free, name_of_class
from singletable.drafts.type_text import CONTAINERS, PLAIN, TypeNode
from singletable.drafts.vocabulary import OWN
from singletable.errors import DesignError
from singletable.model.fields import Field, fields_of, hints_of, name_of, strip

_NAMES: Mapping[Any, str] = {real: name for name, real in PLAIN.items() if real is not None}
_BARE = {
    list: TypeNode("list", (TypeNode("Any"),)),
    dict: TypeNode("dict", (TypeNode("str"), TypeNode("Any"))),
    set: TypeNode("set", (TypeNode("Any"),)),
    frozenset: TypeNode("frozenset", (TypeNode("Any"),)),
    tuple: TypeNode("tuple", (TypeNode("Any"), TypeNode("..."))),
}
"""What a container is of that does not say so."""


class DesignTypes:
    """Collects the enumerations and classes that fields are made of, each under a name of its own."""

    def __init__(self, entities: Mapping[type, str], taken: set[str], notes: list[str]) -> None:
        self._names: dict[type, str] = dict(entities)
        self._taken = taken
        self._notes = notes
        self._open: set[type] = set()
        self._functions: dict[str, Callable[..., Any]] = {}
        self.enums: list[DraftEnum] = []
        self.classes: list[DraftClass] = []

    def typed(self, annotation: Any, where: str) -> tuple[str, tuple[str, ...]]:
        """A type without None as text, and the only texts that it can be."""
        if get_origin(annotation) is Literal and all(type(each) is str for each in get_args(annotation)):
            return "str", get_args(annotation)
        return str(self._node(annotation, where)), ()

    def fields(
        self, cls: type, fields: Iterable[Field], stored: Mapping[str, str] = MappingProxyType({})
    ) -> list[DraftField]:
        """The fields of a class as a draft has them, with the attributes that have other names."""
        self._open.add(cls)
        made = [self.field(cls, each, stored.get(each.name)) for each in fields]
        self._open.discard(cls)
        return made

    def field(self, cls: type, field: Field, attribute: str | None = None) -> DraftField:
        """A field as a draft has it."""
        where = f"{cls.__name__}.{field.name}"
        kind, choices = self.typed(field.type, where)
        default = None if field.required else default_of(cls, field.name)
        made = DraftField(field.name, kind, field.optional, attribute, choices, field.optional and field.required)
        if not field.initialised:
            self._notes.append(f"{where} is given like any other field here: its class sets it by itself.")
        if default is None or (default.function is None and default.value is None and field.optional):
            return made
        return self._with_default(made, default, where)

    def _with_default(self, made: DraftField, default: Default, where: str) -> DraftField:
        if default.function is not None:
            name = None if default.is_given else self.function(default.function)
            if name is not None:
                return replace(made, default_function=name)
            self._notes.append(f"{where} has to be given: a function makes it that no model can import by its name.")
            return replace(made, must_be_given=made.optional)
        try:
            return replace(made, has_default=True, default=constant_of(default.value, self))
        except NoConstant as problem:
            self._notes.append(f"{where} has to be given: no document holds its default, {problem}.")
            return replace(made, must_be_given=made.optional)

    def function(self, function: Callable[..., Any]) -> str | None:
        """The name by which a model imports a function; None where it has none, or another thing has it."""
        name = getattr(function, "__name__", "")
        if not is_named(function) or self._functions.get(name, function) is not function:
            return None
        if name not in self._functions and (not is_free(name, self._taken) or name in OWN):
            return None
        self._functions[name] = function
        self._taken.add(name)
        return name

    def view(self, cls: type) -> str:
        """The name of a class that items are read into, or that a field holds a map of."""
        if cls not in self._names:
            made = tuple(self.fields(cls, fields_of(cls).values()))
            self._named(cls)
            self.classes.append(DraftClass(self._names[cls], made, doc_of(cls)))
        return self._names[cls]

    def shape(self, cls: type) -> str:
        """The name of a class that a collection is read into."""
        if cls not in self._names:
            self._named(cls)
        return self._names[cls]

    def name_of(self, cls: type) -> str:
        """The name of an entity's class."""
        return self._names[cls]

    def enumeration(self, cls: type[enum.Enum]) -> str | None:
        """The name of an enumeration; None when its members are neither text nor whole numbers."""
        if cls not in self._names:
            members = {each.name: each.value for each in cls} if not issubclass(cls, enum.Flag) else {}
            kinds = {type(value) for value in members.values()}
            if len(kinds) != 1 or not kinds <= {str, int} or len(cls.__members__) != len(members):
                return None
            self._named(cls)
            self.enums.append(DraftEnum(self._names[cls], members, _base(cls), doc_of(cls)))
        return self._names[cls]

    def _named(self, cls: type) -> None:
        is_kept = is_free(cls.__name__, self._taken)
        self._names[cls] = cls.__name__ if is_kept else name_of_class(cls.__name__, self._taken)
        self._taken.add(self._names[cls])

    def _node(self, annotation: Any, where: str) -> TypeNode:
        declared, optional = strip(annotation)
        node = self._of(declared, get_origin(declared), where)
        if not optional:
            return node
        return TypeNode("|", (*(node.of if node.name == "|" else (node,)), TypeNode("None")))

    def _of(self, declared: Any, origin: Any, where: str) -> TypeNode:
        arguments = get_args(declared)
        if origin is None and declared in _NAMES:
            return TypeNode(_NAMES[declared])
        if declared in _BARE:
            return _BARE[declared]
        if origin is Literal and all(type(each) in (str, int, bool) for each in arguments):
            return TypeNode("Literal", (), arguments)
        if origin in (Union, types.UnionType):
            return TypeNode("|", tuple(self._node(each, where) for each in arguments))
        if origin is not None and origin in CONTAINERS.values() and arguments:
            of = (TypeNode("...") if each is ... else self._node(each, where) for each in arguments)
            return TypeNode(origin.__name__, tuple(of))
        if isinstance(declared, type) and origin is None:
            if issubclass(declared, enum.Enum):
                if (name := self.enumeration(declared)) is not None:
                    return TypeNode(name)
            elif (name := self.value_class(declared)) is not None:
                return TypeNode(name)
        note = f"{where} is Any: no document holds the type {name_of(declared)}."
        if note not in self._notes:
            self._notes.append(note)
        return TypeNode("Any")

    def value_class(self, cls: type) -> str | None:
        """The name of a class that a field holds a map of; None for what is none."""
        if cls in self._open:  # a class of itself, which cannot be made before it is there
            return None
        if cls in self._names:
            return self._names[cls]
        try:
            hints_of(cls)
            fields_of(cls)
        except (TypeError, NameError, DesignError):
            return None
        return self.view(cls)


def is_named(function: Callable[..., Any]) -> bool:
    """Whether a module has the function under its own name."""
    name = getattr(function, "__name__", "")
    return isinstance(function, types.FunctionType) and function.__qualname__ == name and name.isidentifier()


def doc_of(cls: type) -> str:
    """What a class says of itself; the signature that a dataclass has for want of anything better is nothing."""
    return "" if (cls.__doc__ or "").startswith(f"{cls.__name__}(") else plain_text(cls.__doc__)


def _base(cls: type[enum.Enum]) -> EnumBase:
    if issubclass(cls, enum.StrEnum):
        return "StrEnum"
    if issubclass(cls, enum.IntEnum):
        return "IntEnum"
    if issubclass(cls, str):
        return "str, Enum"
    return "int, Enum" if issubclass(cls, int) else "Enum"
