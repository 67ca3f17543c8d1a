"""Field types as JSON documents, and back: scalars, containers, enums, literals, unions and classes with fields."""

from __future__ import annotations

import enum
import types
from collections.abc import Mapping
from dataclasses import make_dataclass
from datetime import date, datetime, time
from decimal import Decimal
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Any, Literal, Union, get_args, get_origin
from uuid import UUID

from singletable.evolve.snapshot_records import TypeDocument
from singletable.model.fields import fields_of, has_fields, name_of, strip
from singletable.model.type_codecs import BUILT_IN, TypeCodecs

_IP_TYPES = (IPv4Address, IPv6Address, IPv4Network, IPv6Network)
_SCALARS: Mapping[str, Any] = {
    each.__name__: each for each in (str, int, float, Decimal, bool, bytes, datetime, date, time, UUID, *_IP_TYPES)
}
_CONTAINERS: Mapping[str, Any] = {each.__name__: each for each in (list, set, frozenset, tuple, dict)}
_ANY, _NONE = "any", "None"
_MIXINS: Mapping[str, type] = {"str": str, "int": int}


def type_document(declared: Any, codecs: TypeCodecs = BUILT_IN, inside: tuple[type, ...] = ()) -> TypeDocument:
    """Return a type as JSON; `inside` contains the classes around it, because a class can contain itself.

    For a type with a type codec, return the JSON of the stored type, because the table contains only stored values.
    """
    declared, optional = strip(declared)
    if optional:
        return {"union": [type_document(declared, codecs, inside), _NONE]}
    if (codec := codecs.of_type(declared)) is not None and codec.type not in _SCALARS.values():
        return type_document(codec.stored, codecs, inside)
    if isinstance(declared, type) and not get_args(declared):
        if issubclass(declared, enum.Enum):
            return {"enum": _enum_document(declared)}
        if known := next((name for name, each in (*_SCALARS.items(), *_CONTAINERS.items()) if each is declared), None):
            return known
        if has_fields(declared):
            return {"object": _class_document(declared, codecs, inside)}
    if declared is type(None):
        return _NONE
    if declared in (Any, object):
        return _ANY
    return _generic_document(declared, codecs, inside)


def _generic_document(declared: Any, codecs: TypeCodecs, inside: tuple[type, ...]) -> TypeDocument:
    origin, arguments = get_origin(declared), get_args(declared)
    if origin is Literal:
        return {"literal": list(arguments)}
    if origin in (Union, types.UnionType):
        return {"union": [type_document(each, codecs, inside) for each in arguments]}
    container = next((name for name, each in _CONTAINERS.items() if each is origin), None)
    if container is None:
        return {"other": name_of(declared)}
    return {container: ["..." if each is ... else type_document(each, codecs, inside) for each in arguments]}


def _enum_document(declared: type[enum.Enum]) -> dict[str, Any]:
    mixin = next((name for name, each in _MIXINS.items() if issubclass(declared, each)), None)
    members = {name: _enum_value(member.value) for name, member in declared.__members__.items()}
    document: dict[str, Any] = {"name": declared.__name__, "members": members}
    return document if mixin is None else {**document, "mixin": mixin}


def _enum_value(value: Any) -> Any:
    return value if isinstance(value, str | int | bool) else {"other": repr(value)}


def _class_document(declared: type, codecs: TypeCodecs, inside: tuple[type, ...]) -> dict[str, Any]:
    if declared in inside:
        return {"name": declared.__name__}
    around = (*inside, declared)
    members = {
        name: type_document(each.type | None if each.optional and each.type is not Any else each.type, codecs, around)
        for name, each in fields_of(declared).items()
    }
    return {"name": declared.__name__, "fields": members} if members else {"name": declared.__name__}


def type_of(document: Any) -> Any:
    """Return the type that a document describes. A type that only the user's code defines becomes `Any`."""
    if isinstance(document, str):
        if document == _NONE:
            return type(None)
        return _SCALARS.get(document) or _CONTAINERS.get(document) or Any
    ((kind, content),) = document.items()
    if kind in _CONTAINERS:
        return _CONTAINERS[kind][tuple(... if each == "..." else type_of(each) for each in content)]
    match kind:
        case "literal":
            return Literal[tuple(content)]
        case "union":
            return Union[tuple(type_of(each) for each in content)]  # noqa: UP007  # the members are only known here
        case "enum":
            return _enum_of(content)
        case "object":
            members = content.get("fields", {})
            return make_dataclass(content["name"], [(name, type_of(each)) for name, each in members.items()])
        case _:
            return Any


def _enum_of(content: Mapping[str, Any]) -> Any:
    members = [(name, value) for name, value in content["members"].items()]
    mixin = _MIXINS.get(content.get("mixin", ""))
    return enum.Enum(content["name"], members) if mixin is None else enum.Enum(content["name"], members, type=mixin)


def type_text(document: Any) -> str:
    """Return a type as text for messages: `list[str]`, `Status`."""
    if isinstance(document, str):
        return document
    ((kind, content),) = document.items()
    if kind in ("enum", "object"):
        return str(content["name"])
    if kind == "literal":
        return f"Literal[{', '.join(map(repr, content))}]"
    if kind == "union":
        return " | ".join(map(type_text, content))
    return str(content) if kind == "other" else f"{kind}[{', '.join(map(type_text, content))}]"


def stored_kind(document: Any) -> str:
    """Return the DynamoDB type of the values of a type: S, N, BOOL, B, L, M, SS, or `?` if it is not one known type."""
    if isinstance(document, str):
        return _STORED.get(document, "?")
    ((kind, content),) = document.items()
    if kind in ("list", "tuple", "dict", "set", "frozenset"):
        return f"{_STORED[kind]}<{','.join(map(stored_kind, content))}>" if kind != "dict" else "M"
    if kind == "enum":
        return _common(content["members"].values())
    if kind == "literal":
        return _common(content)
    if kind == "union":
        kinds = {stored_kind(each) for each in content if each != _NONE}
        return kinds.pop() if len(kinds) == 1 else "?"
    return "M" if kind == "object" else "?"


_STORED = (
    dict.fromkeys(("str", "datetime", "date", "time", "UUID", *(each.__name__ for each in _IP_TYPES)), "S")
    | dict.fromkeys(("int", "float", "Decimal"), "N")
    | {"bool": "BOOL", "bytes": "B", "list": "L", "tuple": "L", "dict": "M", "set": "SET", "frozenset": "SET"}
)


def _common(values: Any) -> str:
    kinds = {"BOOL" if isinstance(each, bool) else "N" if isinstance(each, int) else "S" for each in values}
    return kinds.pop() if len(kinds) == 1 else "?"
