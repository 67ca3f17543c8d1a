"""Arrow types: the column type of each field type, and the conversion of its stored values."""

from __future__ import annotations

import base64
import enum
import json
from collections.abc import Callable, Iterable
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, NamedTuple, get_args, get_origin
from uuid import UUID

import pyarrow as pa  # type: ignore[import-untyped]  # pyarrow has no type information

from singletable.client.items.value_reader import PLAIN_READERS, Value, expiry_reader, plain_value
from singletable.model.entity import Entity
from singletable.model.fields import (
    DefaultFactory,
    Field,
    NotAnEntityClass,
    container_of,
    fields_of,
    name_of,
    strip,
)
from singletable.model.type_codecs import TypeCodecs
from singletable.planner.stored_items import stored_value

DIGITS_MAX = 38
AS_TEXT = "text, because no digits and decimal places are declared"
AS_JSON = "JSON text, because values can have several types"
EMPTY_SET: Value = {"L": []}
FromStored = Callable[[Value], Any]


class ArrowType(NamedTuple):
    """A column type, the conversion of stored values to Python values that pyarrow accepts, and a note for readers."""

    type: pa.DataType
    read: FromStored
    note: str = ""


class ArrowColumn(NamedTuple):
    """The column of one field of an entity."""

    name: str
    attribute: str
    arrow: ArrowType
    if_missing: tuple[Any, ...]
    """A tuple with the value of a missing attribute. It is empty if only the decoder of the entity knows the value."""


def columns_of_entity(entity: Entity) -> list[ArrowColumn]:
    """Return the columns of an entity, in the order of its fields."""
    columns = []
    digits = _declared_digits(entity.cls)
    for name, field in entity.fields.items():
        if name == entity.declaration.ttl:
            kind = pa.timestamp("us", "UTC") if field.type is datetime else pa.int64()
            arrow = ArrowType(kind, expiry_reader(field.type))
        else:
            arrow = arrow_type(field.type, entity.declaration.codecs, digits.get(name))
        in_key = any(name in placement.exact_fields for placement in entity.placements.values())
        columns.append(ArrowColumn(name, entity.attributes[name], arrow, () if in_key else _if_missing(field, arrow)))
    return columns


def _if_missing(field: Field, arrow: ArrowType) -> tuple[Any, ...]:
    if field.is_none_unless_stored:
        return (None,)
    return (arrow.read(EMPTY_SET),) if field.is_empty_unless_stored else ()


def arrow_type(
    declared: Any, codecs: TypeCodecs, digits: tuple[int, int] | None = None, inside: tuple[Any, ...] = ()
) -> ArrowType:
    """Return the column type of a declared type. `digits` are the declared digits and decimal places of a Decimal."""
    declared, optional = strip(declared)
    found = _arrow_type(declared, codecs, digits, inside)
    if not optional:
        return found
    read = found.read
    return found._replace(read=lambda value: None if "NULL" in value else read(value))


_SCALARS: dict[Any, ArrowType] = {
    str: ArrowType(pa.string(), lambda value: value["S"]),
    int: ArrowType(pa.int64(), PLAIN_READERS[int]),
    float: ArrowType(pa.float64(), PLAIN_READERS[float]),
    bool: ArrowType(pa.bool_(), PLAIN_READERS[bool]),
    bytes: ArrowType(pa.binary(), PLAIN_READERS[bytes]),
    datetime: ArrowType(pa.timestamp("us", "UTC"), PLAIN_READERS[datetime]),
    date: ArrowType(pa.date32(), PLAIN_READERS[date]),
    UUID: ArrowType(pa.string(), lambda value: value["S"]),
}


def _arrow_type(
    declared: Any, codecs: TypeCodecs, digits: tuple[int, int] | None, inside: tuple[Any, ...]
) -> ArrowType:
    codec = codecs.of_type(declared)
    if codec is not None:
        found = arrow_type(codec.stored, codecs, digits, inside)
        return found._replace(note=found.note or f"the stored form of {name_of(declared)}")
    if declared in _SCALARS:
        return _SCALARS[declared]
    if declared is Decimal:
        return _decimal(digits)
    if get_origin(declared) is Literal:
        return _of_values(get_args(declared))
    if (kind := container_of(declared)) is not None:
        return _container(declared, kind, codecs, inside)
    if isinstance(declared, type):
        if issubclass(declared, enum.Enum):
            return _of_values(each.value for each in declared)
        if declared not in inside:
            try:
                return _struct(declared, codecs, (*inside, declared))
            except NotAnEntityClass:
                base = next((each for each in (str, int, Decimal, float, bytes) if issubclass(declared, each)), None)
                if base is not None:
                    return _arrow_type(base, codecs, digits, inside)
    return _json()


def _json() -> ArrowType:
    return ArrowType(pa.string(), lambda value: json_text(plain_value(value)), AS_JSON)


def _decimal(digits: tuple[int, int] | None) -> ArrowType:
    if digits is None or not 0 < digits[0] <= DIGITS_MAX:
        return ArrowType(pa.string(), lambda value: value["N"], AS_TEXT)
    return ArrowType(pa.decimal128(*digits), PLAIN_READERS[Decimal])


def _of_values(values: Iterable[Any]) -> ArrowType:
    """Return the column type of an enumeration or a Literal, by the type of its values."""
    kinds = {type(each) for each in values}
    if len(kinds) == 1 and (kind := kinds.pop()) in (str, int, bool):
        return _SCALARS[kind]
    return _json()


def _container(declared: Any, kind: type, codecs: TypeCodecs, inside: tuple[Any, ...]) -> ArrowType:
    arguments = get_args(declared)
    if not arguments or (kind is tuple and arguments[-1] is not ...):
        return _json()
    element = arrow_type(arguments[1] if kind is dict else arguments[0], codecs, None, inside)
    read = element.read
    if kind is dict:
        kept = pa.map_(pa.string(), element.type)
        return ArrowType(kept, lambda value: [(name, read(each)) for name, each in value["M"].items()], element.note)
    if kind in (set, frozenset):
        return ArrowType(pa.list_(element.type), lambda value: [read(each) for each in _members(value)], element.note)
    return ArrowType(pa.list_(element.type), lambda value: [read(each) for each in value["L"]], element.note)


def _members(value: Value) -> list[Value]:
    ((kind, content),) = value.items()
    return list(content) if kind == "L" else [{kind[0]: each} for each in content]


def _struct(declared: type, codecs: TypeCodecs, inside: tuple[Any, ...]) -> ArrowType:
    fields, digits = fields_of(declared), _declared_digits(declared)
    if not fields:
        return _json()
    columns: dict[str, tuple[ArrowType, Field]] = {}
    for name, field in fields.items():
        annotated = field.type | None if field.optional else field.type
        columns[name] = (arrow_type(annotated, codecs, digits.get(name), inside), field)

    def read(value: Value) -> dict[str, Any]:
        members = value["M"]
        return {name: _member(members.get(name), arrow, field) for name, (arrow, field) in columns.items()}

    def _member(stored: Value | None, arrow: ArrowType, field: Field) -> Any:
        if stored is not None:
            return arrow.read(stored)
        if (known := _if_missing(field, arrow)) or field.required:
            return known[0] if known else None
        default = field.default
        if isinstance(default, DefaultFactory):
            default = None if default.make is None else default.make()
        return None if default is None else arrow.read(stored_value(default, codecs))

    kept = pa.struct([pa.field(name, arrow.type) for name, (arrow, _) in columns.items()])
    notes = [f"{name}: {arrow.note}" for name, (arrow, _) in columns.items() if arrow.note]
    return ArrowType(kept, read, "; ".join(notes))


def without_zone(kind: Any) -> Any:
    """Return a column type whose times have no zone; they are in UTC.

    DuckDB cannot compute with times that have a zone unless it downloads an extension.
    """
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us")
    if pa.types.is_map(kind):
        return pa.map_(kind.key_type, without_zone(kind.item_type))
    if pa.types.is_list(kind):
        return pa.list_(without_zone(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(each.name, without_zone(each.type)) for each in kind])
    return kind


def json_text(value: Any) -> str:
    """Return a value as JSON text: sets as sorted lists, bytes in base64, decimal numbers as they are."""
    return json.dumps(_plain_json(value), ensure_ascii=False, default=_json_default)


def _plain_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _plain_json(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_json(each) for each in value]
    if isinstance(value, set | frozenset):
        return sorted((_plain_json(each) for each in value), key=str)
    return value


def _json_default(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value)


def _declared_digits(cls: type) -> dict[str, tuple[int, int]]:
    """Return the declared digits and decimal places of the fields of a class, from the constraints of pydantic."""
    found: dict[str, tuple[int, int]] = {}
    infos: Any = getattr(cls, "model_fields", None) or getattr(cls, "__pydantic_fields__", {})
    metadata = {name: tuple(getattr(info, "metadata", ())) for name, info in dict(infos).items()}
    for name, annotation in getattr(cls, "__annotations__", {}).items():
        if not isinstance(annotation, str):
            metadata[name] = (*metadata.get(name, ()), *getattr(annotation, "__metadata__", ()))
    for name, constraints in metadata.items():
        every = [each for one in constraints for each in (one, *getattr(one, "metadata", ()))]
        whole = [value for each in every if isinstance(value := getattr(each, "max_digits", None), int)]
        places = [value for each in every if isinstance(value := getattr(each, "decimal_places", None), int)]
        if whole and places:
            found[name] = (min(whole), min(places))
    return found
