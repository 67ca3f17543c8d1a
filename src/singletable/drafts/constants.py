"""Values that a draft can hold, in a default or in a condition: as JSON has them, and as Python writes them."""

from __future__ import annotations

import base64
import binascii
import enum
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from typing import Any, Protocol
from uuid import UUID

from singletable.drafts.draft import DraftMember, DraftObject, is_name
from singletable.drafts.json_place import Place
from singletable.model.fields import fields_of

_TEXTS: Mapping[str, tuple[type, Callable[[Any], str], Callable[[str], Any]]] = {
    "Decimal": (Decimal, str, Decimal),
    "UUID": (UUID, str, UUID),
    "bytes": (bytes, lambda value: base64.b64encode(value).decode(), lambda text: base64.b64decode(text.encode())),
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
}
"""The kinds of values that JSON writes as text: the class, and the two ways."""
_SEVERAL: Mapping[str, Any] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


class NoConstant(ValueError):
    """A value that no draft can hold."""


class Classes(Protocol):
    """Knows the classes of a design that are no entities by the names that they have in its draft."""

    def enumeration(self, cls: type[enum.Enum], /) -> str | None:
        """The name of an enumeration."""

    def value_class(self, cls: type, /) -> str | None:
        """The name of a class that fields hold maps of."""


def constant_of(value: Any, classes: Classes) -> Any:
    """The value as a draft holds it; raises NoConstant for what it cannot hold."""
    if isinstance(value, enum.Enum):
        if (name := classes.enumeration(type(value))) is None:
            raise NoConstant(repr(value))
        return DraftMember(name, value.name)
    if isinstance(value, float) and not isfinite(value):
        raise NoConstant(repr(value))
    if value is None or type(value) in (str, int, float, bool, *(kind for kind, _, _ in _TEXTS.values())):
        return value
    if isinstance(value, list | tuple | set | frozenset) and type(value) in _SEVERAL.values():
        kind: Any = type(value)
        made = [constant_of(each, classes) for each in value]
        if kind in (set, frozenset) and any(isinstance(each, DraftObject) for each in made):
            raise NoConstant(repr(value))
        return kind(made)
    if type(value) is dict and all(type(name) is str for name in value):
        return {name: constant_of(each, classes) for name, each in value.items()}
    if (known := classes.value_class(type(value))) is not None:
        fields = fields_of(type(value)).values()
        values = {each.name: getattr(value, each.name) for each in fields if each.initialised}
        return DraftObject(known, {name: constant_of(each, classes) for name, each in values.items()})
    raise NoConstant(repr(value))


def constant_to_values(value: Any) -> Any:
    """The value as JSON has it: plain ones as they are, others under the name of their kind."""
    if isinstance(value, DraftMember):
        return {"member": [value.enumeration, value.name]}
    if isinstance(value, DraftObject):
        return {"object": {value.class_name: _members_to_values(value.values)}}
    for name, (kind, written, _) in _TEXTS.items():
        if type(value) is kind:
            return {name: written(value)}
    for name, kind in _SEVERAL.items():
        if type(value) is kind:
            return {name: [constant_to_values(each) for each in in_order(value)]}
    if isinstance(value, Mapping):
        return {"dict": _members_to_values(value)}
    return value


def _members_to_values(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: constant_to_values(each) for name, each in values.items()}


def constant_from_values(place: Place) -> Any:
    """The value that `constant_to_values` wrote; raises ImportRefused for anything else."""
    value = place.value
    if value is None or type(value) in (str, int, bool) or (type(value) is float and isfinite(value)):
        return value
    if not isinstance(value, dict) or len(value) != 1:
        raise place.refuse("is no value that a model can hold")
    ((kind, inside),) = place.members()
    if kind in _TEXTS:
        try:
            return _TEXTS[kind][2](inside.value if isinstance(inside.value, str) else inside.text())
        except (ValueError, ArithmeticError, binascii.Error):
            raise inside.refuse(f"is no {kind}") from None
    if kind in _SEVERAL:
        try:
            return _SEVERAL[kind](constant_from_values(each) for each in inside.elements())
        except TypeError:
            raise inside.refuse("holds what cannot be in a set") from None
    if kind == "dict":
        return {name: constant_from_values(each) for name, each in inside.members()}
    if kind == "object" and len(inside.mapping()) == 1:
        ((name, members),) = inside.members()
        values = {each: constant_from_values(where) for each, where in members.members()}
        if not all(map(is_name, (name, *values))):
            raise inside.refuse("holds what cannot be a name in Python")
        return DraftObject(name, values)
    names = [each.text() for each in inside.elements()] if kind == "member" else []
    if len(names) != 2 or not all(map(is_name, names)):
        raise place.refuse("is no value that a model can hold")
    return DraftMember(*names)


def made_constant(value: Any, scope: Mapping[str, Any]) -> Any:
    """The value itself, with the enumerations that the scope has."""
    if isinstance(value, DraftMember):
        return scope[value.enumeration][value.name]
    if isinstance(value, DraftObject):
        return scope[value.class_name](**{name: made_constant(each, scope) for name, each in value.values.items()})
    if type(value) in _SEVERAL.values():
        return type(value)(made_constant(each, scope) for each in value)
    if isinstance(value, Mapping):
        return {name: made_constant(each, scope) for name, each in value.items()}
    return value


def written_constant(value: Any, text: Callable[[str], str]) -> str:
    """The value as Python; `text` quotes."""
    match value:
        case str():
            return text(value)
        case DraftMember():
            return f"{value.enumeration}.{value.name}"
        case DraftObject():
            members = (f"{name}={written_constant(each, text)}" for name, each in value.values.items())
            return f"{value.class_name}({', '.join(members)})"
        case Decimal() | UUID():
            return f'{type(value).__name__}("{value}")'
        case datetime() | date():
            return f'{type(value).__name__}.fromisoformat("{value.isoformat()}")'
        case list() | tuple() | set() | frozenset():
            return _written_several(value, [written_constant(each, text) for each in in_order(value)])
        case Mapping():
            pairs = (f"{text(name)}: {written_constant(each, text)}" for name, each in value.items())
            return f"{{{', '.join(pairs)}}}"
        case bytes():
            inner = repr(value + b"'")[2:-2]  # repr takes double quotes unless there are some in it
            return f'b"{inner}"' if b'"' not in value else 'b"' + "".join(f"\\x{each:02x}" for each in value) + '"'
        case _:
            return repr(value)


def _written_several(value: Any, inner: list[str]) -> str:
    if isinstance(value, list):
        return f"[{', '.join(inner)}]"
    if isinstance(value, tuple):
        return f"({', '.join(inner)}{',' if len(inner) == 1 else ''})"
    if not inner:
        return f"{type(value).__name__}()"
    elements = f"{{{', '.join(inner)}}}"
    return elements if isinstance(value, set) else f"frozenset({elements})"


def is_mutable(value: Any) -> bool:
    """Whether every object needs one of its own."""
    return isinstance(value, list | dict | set | DraftObject)


def is_deep(value: Any) -> bool:
    """Whether a copy of it would share what can be changed."""
    if isinstance(value, DraftObject):
        return True
    return any(map(is_mutable, value.values() if isinstance(value, dict) else value))


def in_order(values: Any) -> list[Any]:
    """The elements in an order that does not change from one run to the next."""
    return sorted(values, key=repr) if isinstance(values, set | frozenset) else list(values)


def words_in(value: Any) -> set[str]:
    """The names that a value is written with."""
    if isinstance(value, DraftMember):
        return {value.enumeration}
    if isinstance(value, DraftObject):
        return {value.class_name} | words_in(value.values)
    if isinstance(value, Decimal | UUID | datetime | date):
        return {type(value).__name__}
    if isinstance(value, list | tuple | set | frozenset):
        return {type(value).__name__} | {word for each in value for word in words_in(each)}
    if isinstance(value, Mapping):
        return {"dict"} | {word for each in value.values() for word in words_in(each)}
    return set()
