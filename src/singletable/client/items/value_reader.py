"""Readers of single values: DynamoDB JSON into the Python type that a field declares."""

from __future__ import annotations

import base64
import enum
import types
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Literal, Union, get_args, get_origin
from uuid import UUID

import msgspec
from msgspec import UNSET

from singletable.client.items.construction import argument_name, checked_constructor
from singletable.errors import ItemRefused
from singletable.model.fields import Field, NotAnEntityClass, container_of, fields_of, name_of, strip

Value = dict[str, Any]
Reader = Callable[[Value], Any]

_SETS = (set, frozenset)


def reader_of(annotation: Any) -> Reader:
    """The reader of a type; it raises KeyError, TypeError or ValueError for a value that is not of it."""
    declared, optional = strip(annotation)
    reader = _reader(declared)
    return _or_none(reader) if optional else reader


def expiry_reader(annotation: Any) -> Reader:
    """The reader of a field that is stored as seconds since 1970."""
    if annotation is datetime:
        return lambda value: datetime.fromtimestamp(int(value["N"]), UTC)
    return lambda value: int(value["N"])


def _reader(declared: Any) -> Reader:
    plain = PLAIN_READERS.get(declared) if isinstance(declared, type) else None
    if plain is not None:
        return plain
    origin, arguments = get_origin(declared), get_args(declared)
    if origin is Literal:
        return _literal(arguments)
    if origin in (Union, types.UnionType):
        return _union(arguments)
    if declared in (Any, object):
        return plain_value
    if (kind := container_of(declared)) is not None:
        return _container(kind, arguments)
    if isinstance(declared, type) and issubclass(declared, enum.Enum):
        return _enumeration(declared)
    return _of_class(declared)


def _of_class(declared: Any) -> Reader:
    """A subclass of a plain type, or a class with fields of its own, which is stored as a map."""
    try:
        return _model(declared)
    except NotAnEntityClass:
        pass
    if isinstance(declared, type):
        for base in (str, int, Decimal, float, bytes):
            if issubclass(declared, base):
                read, made = PLAIN_READERS[base], declared
                return lambda value: made(read(value))
    raise ItemRefused(f"a field of type {name_of(declared)} cannot be read back from DynamoDB; annotate what it holds")


def _model(declared: type) -> Reader:
    fields = fields_of(declared)
    arguments = {name: argument_name(declared, name) for name, field in fields.items() if field.initialised}
    readers: dict[str, Reader] = {}
    construct = checked_constructor(declared)

    def read(value: Value) -> Any:
        if not readers:  # made when they are needed, since a class may hold others of its kind
            readers.update({name: reader_of(_annotated(field)) for name, field in fields.items()})
        members, values = value["M"], {}
        for name, field in fields.items():
            stored = members.get(name)
            found = nothing_in(field) if stored is None else readers[name](stored)
            if found is not UNSET:
                values[name] = found
        made = construct(**{argument: values[name] for name, argument in arguments.items() if name in values})
        for name in values.keys() - arguments.keys():
            object.__setattr__(made, name, values[name])
        return made

    return read


def _annotated(field: Field) -> Any:
    return field.type | None if field.optional else field.type


def nothing_in(field: Field) -> Any:
    """What a field without a default has where nothing is stored: None, or no members; otherwise UNSET."""
    if not field.required:
        return UNSET
    if field.optional or field.type in (Any, object):
        return None
    kind = get_origin(field.type) or field.type
    return kind() if kind in _SETS else UNSET


def _or_none(reader: Reader) -> Reader:
    return lambda value: None if "NULL" in value else reader(value)


def _literal(options: tuple[Any, ...]) -> Reader:
    known = {(type(option), option): option for option in options}

    def read(value: Value) -> Any:
        plain = plain_value(value)
        return known[type(plain), plain]

    return read


def _union(arguments: tuple[Any, ...]) -> Reader:
    """The first type that takes a value; of several classes, the first that has all of its members, if one has."""
    _refuse_alike(arguments)
    readers = [(reader_of(argument), _field_names(argument)) for argument in arguments]

    def read(value: Value) -> Any:
        members = value.get("M", {}).keys()
        for reader, _ in sorted(readers, key=lambda known: known[1] is not None and not members <= known[1]):
            try:
                return reader(value)
            except (KeyError, TypeError, ValueError, ArithmeticError):
                continue
        raise ValueError("of none of the types")

    return read


def _refuse_alike(arguments: tuple[Any, ...]) -> None:
    """Two classes of the same fields are stored alike, and one of them would come back as the other."""
    alike: dict[Any, str] = {}
    for argument in arguments:
        if _field_names(argument) is None:
            continue
        shape = repr(sorted((name, repr(_annotated(field))) for name, field in fields_of(strip(argument)[0]).items()))
        if shape in alike:
            raise ItemRefused(
                f"{alike[shape]} and {name_of(argument)} have the same fields, and could not be told apart when they "
                'are read; give each a field that says which it is, such as kind: Literal["debit"] = "debit"'
            )
        alike[shape] = name_of(argument)


def _field_names(annotation: Any) -> frozenset[str] | None:
    """The fields of a class that is stored as a map; None for other types."""
    try:
        return frozenset(fields_of(strip(annotation)[0]))
    except (NotAnEntityClass, AttributeError):
        return None


def _enumeration(declared: type[enum.Enum]) -> Reader:
    members = {_enum_key(member.value): member for member in declared}

    def read(value: Value) -> Any:
        return members[_enum_key(plain_value(value))]

    return read


def _enum_key(value: Any) -> Any:
    return (isinstance(value, bool), value)


def _container(kind: Any, arguments: tuple[Any, ...]) -> Reader:
    if kind is dict:
        key = _key_of(arguments[0] if arguments else str)
        inner = reader_of(arguments[1]) if arguments else plain_value
        return lambda value: {key(name): inner(member) for name, member in value["M"].items()}
    if kind in _SETS:
        element = reader_of(arguments[0]) if arguments else plain_value
        return lambda value: kind(element(member) for member in _members(value))
    if kind is tuple and arguments and arguments[-1] is not ...:
        readers = [reader_of(argument) for argument in arguments]
        return lambda value: tuple(read(each) for read, each in zip(readers, value["L"], strict=True))
    inner = reader_of(arguments[0]) if arguments else plain_value
    return lambda value: kind([inner(member) for member in value["L"]])


def _key_of(declared: Any) -> Callable[[str], Any]:
    if isinstance(declared, type) and issubclass(declared, enum.Enum):
        members = {str(member.value): member for member in declared}
        return members.__getitem__
    readers: dict[Any, Callable[[str], Any]] = {int: int, Decimal: Decimal, UUID: UUID, date: date.fromisoformat}
    return readers.get(declared, str)


def _members(value: Value) -> list[Value]:
    for kind in ("SS", "NS", "BS"):
        if kind in value:
            return [{kind[0]: member} for member in value[kind]]
    if value == {"L": []}:  # stands for a set without members, which DynamoDB has none of
        return []
    raise KeyError("SS")


def plain_value(value: Value) -> Any:
    """A value as Python's own type nearest to it; whole numbers are int, others Decimal."""
    ((kind, content),) = value.items()
    match kind:
        case "S" | "BOOL":
            return content
        case "N":
            return Decimal(content) if "." in content else int(content)
        case "NULL":
            return None
        case "B":
            return base64.b64decode(content)
        case "L":
            return [plain_value(member) for member in content]
        case "M":
            return {name: plain_value(member) for name, member in content.items()}
        case _:
            return {plain_value(member) for member in _members(value)}


def _is_text(value: Value) -> str:
    text = value["S"]
    if not isinstance(text, str):
        raise TypeError
    return text


def _moment(text: str) -> datetime:
    """A moment, read as msgspec reads it out of a page, where it takes the text at all."""
    try:
        return msgspec.convert(text, datetime)
    except msgspec.ValidationError:
        return datetime.fromisoformat(text)


PLAIN_READERS: dict[Any, Reader] = {
    str: _is_text,
    int: lambda value: int(value["N"]),
    float: lambda value: float(value["N"]),
    Decimal: lambda value: Decimal(value["N"]),
    bool: lambda value: value["BOOL"],
    bytes: lambda value: base64.b64decode(value["B"]),
    datetime: lambda value: _moment(value["S"]),
    date: lambda value: date.fromisoformat(value["S"]),
    UUID: lambda value: UUID(value["S"]),
}
