"""Value readers: convert DynamoDB JSON values to the declared Python types, and reject types that have no reader."""

from __future__ import annotations

import base64
import enum
import types
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Literal, Union, get_args, get_origin
from uuid import UUID

import msgspec
from msgspec import UNSET

from singletable.client.items.object_construction import argument_name, checked_constructor
from singletable.errors import DesignError, ItemRefused, Problem
from singletable.model.design import Design
from singletable.model.fields import Field, NotAnEntityClass, container_of, fields_of, name_of, strip
from singletable.model.type_codecs import BUILT_IN, TypeCodec, TypeCodecs

Value = dict[str, Any]
ValueReader = Callable[[Value], Any]

_SETS = (set, frozenset)


def reader_of(annotation: Any, codecs: TypeCodecs = BUILT_IN) -> ValueReader:
    """Return the reader for a type; the reader raises KeyError, TypeError or ValueError for a value of another type."""
    declared, optional = strip(annotation)
    reader = _reader(declared, codecs)
    return _or_none(reader) if optional else reader


def expiry_reader(annotation: Any) -> ValueReader:
    """Return the reader of a time-to-live field, whose stored value is the number of seconds since 1970."""
    if annotation is datetime:
        return lambda value: datetime.fromtimestamp(int(value["N"]), UTC)
    return lambda value: int(value["N"])


def _reader(declared: Any, codecs: TypeCodecs) -> ValueReader:
    if (codec := codecs.of_type(declared)) is not None:
        return _of_stored_type(codec, codecs)
    plain = PLAIN_READERS.get(declared) if isinstance(declared, type) else None
    if plain is not None:
        return plain
    origin, arguments = get_origin(declared), get_args(declared)
    if origin is Literal:
        return _literal(arguments)
    if origin in (Union, types.UnionType):
        return _union(arguments, codecs)
    if declared in (Any, object):
        return plain_value
    if (kind := container_of(declared)) is not None:
        return _container(kind, arguments, codecs)
    if isinstance(declared, type) and issubclass(declared, enum.Enum):
        return _enumeration(declared)
    return _of_class(declared, codecs)


def _of_stored_type(codec: TypeCodec[Any, Any], codecs: TypeCodecs) -> ValueReader:
    """Return the reader for a type with a type codec; whatever the codec raises becomes a ValueError."""
    read, of, label = reader_of(codec.stored, codecs), codec.of, name_of(codec.type)

    def read_stored(value: Value) -> Any:
        stored = read(value)
        try:
            return of(stored)
        except Exception as problem:  # a codec is code of the user
            raise ValueError(f"the codec of {label} cannot read {stored!r}: {problem}") from problem

    return read_stored


def _of_class(declared: Any, codecs: TypeCodecs) -> ValueReader:
    """Return the reader for a class with fields, which is stored as a map, or for a subclass of a scalar type."""
    try:
        return _model(declared, codecs)
    except NotAnEntityClass:
        pass
    if isinstance(declared, type):
        for base in (str, int, Decimal, float, bytes):
            if issubclass(declared, base):
                read, made = PLAIN_READERS[base], declared
                return lambda value: made(read(value))
    raise ItemRefused(
        f"a field of type {name_of(declared)} cannot be read back from DynamoDB; annotate the type of its content"
    )


def _model(declared: type, codecs: TypeCodecs) -> ValueReader:
    fields = fields_of(declared)
    arguments = {name: argument_name(declared, name) for name, field in fields.items() if field.initialised}
    readers: dict[str, ValueReader] = {}
    construct = checked_constructor(declared)

    def read(value: Value) -> Any:
        if not readers:  # created on first use, because a class may be recursive
            readers.update({name: reader_of(_annotated(field), codecs) for name, field in fields.items()})
        members, values = value["M"], {}
        for name, field in fields.items():
            stored = members.get(name)
            found = value_if_missing(field) if stored is None else readers[name](stored)
            if found is not UNSET:
                values[name] = found
        made = construct(**{argument: values[name] for name, argument in arguments.items() if name in values})
        for name in values.keys() - arguments.keys():
            object.__setattr__(made, name, values[name])
        return made

    return read


def _annotated(field: Field) -> Any:
    return field.type | None if field.optional else field.type


def value_if_missing(field: Field) -> Any:
    """Return the value of a missing attribute: None, an empty set, or UNSET if the type allows neither."""
    if not field.required:
        return UNSET
    if field.optional or field.type in (Any, object):
        return None
    kind = get_origin(field.type) or field.type
    return kind() if kind in _SETS else UNSET


def _or_none(reader: ValueReader) -> ValueReader:
    return lambda value: None if "NULL" in value else reader(value)


def _literal(options: tuple[Any, ...]) -> ValueReader:
    known = {(type(option), option): option for option in options}

    def read(value: Value) -> Any:
        plain = plain_value(value)
        return known[type(plain), plain]

    return read


def _union(arguments: tuple[Any, ...], codecs: TypeCodecs) -> ValueReader:
    """Return the reader of a union, which tries the types in order; classes that lack a stored field come last."""
    _reject_same_fields(arguments)
    readers = [(reader_of(argument, codecs), _field_names(argument)) for argument in arguments]

    def read(value: Value) -> Any:
        members = value.get("M", {}).keys()
        for reader, _ in sorted(readers, key=lambda known: known[1] is not None and not members <= known[1]):
            try:
                return reader(value)
            except (KeyError, TypeError, ValueError, ArithmeticError):
                continue
        raise ValueError("the value matches no type of the union")

    return read


def _reject_same_fields(arguments: tuple[Any, ...]) -> None:
    """Reject two classes with the same fields: a reader cannot distinguish their stored values."""
    known: dict[Any, str] = {}
    for argument in arguments:
        if _field_names(argument) is None:
            continue
        shape = repr(sorted((name, repr(_annotated(field))) for name, field in fields_of(strip(argument)[0]).items()))
        if shape in known:
            raise ItemRefused(
                f"{known[shape]} and {name_of(argument)} have the same fields, so a read cannot distinguish them; add "
                'a field to each that names its kind, such as kind: Literal["debit"] = "debit"'
            )
        known[shape] = name_of(argument)


def _field_names(annotation: Any) -> frozenset[str] | None:
    """Return the field names of a class that is stored as a map, or None for other types."""
    try:
        return frozenset(fields_of(strip(annotation)[0]))
    except (NotAnEntityClass, AttributeError):
        return None


def _enumeration(declared: type[enum.Enum]) -> ValueReader:
    members = {_enum_key(member.value): member for member in declared}

    def read(value: Value) -> Any:
        return members[_enum_key(plain_value(value))]

    return read


def _enum_key(value: Any) -> Any:
    return (isinstance(value, bool), value)


def _container(kind: Any, arguments: tuple[Any, ...], codecs: TypeCodecs) -> ValueReader:
    if kind is dict:
        key = _key_of(arguments[0] if arguments else str, codecs)
        inner = reader_of(arguments[1], codecs) if arguments else plain_value
        return lambda value: {key(name): inner(member) for name, member in value["M"].items()}
    if kind in _SETS:
        element = reader_of(arguments[0], codecs) if arguments else plain_value
        return lambda value: kind(element(member) for member in _members(value))
    if kind is tuple and arguments and arguments[-1] is not ...:
        readers = [reader_of(argument, codecs) for argument in arguments]
        return lambda value: tuple(read(each) for read, each in zip(readers, value["L"], strict=True))
    inner = reader_of(arguments[0], codecs) if arguments else plain_value
    return lambda value: kind([inner(member) for member in value["L"]])


def _key_of(declared: Any, codecs: TypeCodecs) -> Callable[[str], Any]:
    if (codec := codecs.of_type(declared)) is not None:
        read, of = _key_of(codec.stored, codecs), codec.of
        return lambda name: of(read(name))
    if isinstance(declared, type) and issubclass(declared, enum.Enum):
        members = {str(member.value): member for member in declared}
        return members.__getitem__
    readers: dict[Any, Callable[[str], Any]] = {int: int, Decimal: Decimal, UUID: UUID, date: date.fromisoformat}
    return readers.get(declared, str)


def _members(value: Value) -> list[Value]:
    for kind in ("SS", "NS", "BS"):
        if kind in value:
            return [{kind[0]: member} for member in value[kind]]
    if value == {"L": []}:  # represents an empty set, which DynamoDB does not support
        return []
    raise KeyError("SS")


def plain_value(value: Value) -> Any:
    """Return a value as the closest Python type. A whole number becomes an int, any other number a Decimal."""
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
    """Parse a datetime with msgspec, as the fast path does; if msgspec rejects the string, use `fromisoformat`."""
    try:
        return msgspec.convert(text, datetime)
    except msgspec.ValidationError:
        return datetime.fromisoformat(text)


PLAIN_READERS: dict[Any, ValueReader] = {
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


_REMEDY = (
    "A field can be str, int, float, Decimal, bool, bytes, datetime, date, time, timedelta, UUID, an Enum, a Literal,\n"
    "  a class with such fields, or a list, tuple, set or dict of these. For another type, declare a codec:\n"
    "  @entity(codecs=[codec(HttpUrl, to=str, of=HttpUrl)])."
)


def reject_unreadable_types(design: Design) -> None:
    """Raise DesignError if a field has a type that the client cannot read back."""
    problems = [
        Problem(f"{entity.label}.{name}: {message}", entity.declaration.location, remedy)
        for entity in design.entities
        for name, field in entity.fields.items()
        if name != entity.declaration.ttl
        for message, remedy in _unreadable(field.type, entity.declaration.codecs, set())
    ]
    if problems:
        raise DesignError(problems)


def _unreadable(annotation: Any, codecs: TypeCodecs, seen: set[Any]) -> Iterator[tuple[str, str | None]]:
    """Yield the problems with a type and its nested types, each with a remedy unless the message includes one."""
    declared, _ = strip(annotation)
    if get_origin(declared) is Literal or declared in seen:
        return
    seen.add(declared)
    try:
        reader_of(declared, codecs)
    except ItemRefused as problem:
        is_union = get_origin(declared) in (Union, types.UnionType)
        yield str(problem), None if is_union else _REMEDY
        return
    if codecs.of_type(declared) is not None:
        return
    for inner in get_args(declared):
        if inner is not ...:
            yield from _unreadable(inner, codecs, seen)
    try:
        fields = fields_of(declared)
    except (NotAnEntityClass, AttributeError):  # not a class
        return
    for field in fields.values():
        yield from _unreadable(field.type, codecs, seen)
