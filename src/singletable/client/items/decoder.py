"""Decoders: turn items in DynamoDB JSON into objects of the user's classes, with code generated once per entity."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec
from msgspec import UNSET

from singletable.client.items.object_construction import argument_name, struct_checks
from singletable.client.items.row_columns import FastObjects, columns_of, fast_objects, object_factory
from singletable.client.items.rows import FAST_ITEMS, FAST_OBJECTS, Column, FastColumn, Row, row_type
from singletable.client.items.value_reader import Value, expiry_reader, reader_of, value_if_missing
from singletable.errors import ItemRefused, KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.entity import Entity
from singletable.model.fields import Field, fields_of
from singletable.model.keys import KeyValue
from singletable.values.fast_path import NotOnFastPath
from singletable.values.scalars import binary_bytes
from singletable.wire.api_types import decoder_of

Item = dict[str, Value]
_WRONG = (KeyError, TypeError, ValueError, ArithmeticError)


@dataclass(frozen=True)
class DecodedClass:
    """The class of the decoded objects: an entity's own class or a view, with its fields and attribute names."""

    cls: type
    fields: Mapping[str, Field]
    attributes: Mapping[str, str]
    entity: Entity

    @property
    def label(self) -> str:
        """The name of the class."""
        return self.cls.__name__

    @property
    def expiry(self) -> str | None:
        """The time-to-live field, whose stored value is the number of seconds since 1970."""
        return self.entity.declaration.ttl


def decoded_class(entity: Entity, view: type | None = None) -> DecodedClass:
    """Return the entity's own class, or a view of some of its fields."""
    if view is None:
        return DecodedClass(entity.cls, entity.fields, entity.attributes, entity)
    return DecodedClass(view, fields_of(view), entity.attributes, entity)


class Decoder:
    """Decodes the items of one entity into whole objects or views."""

    def __init__(self, target: DecodedClass) -> None:
        self._target = target
        self.readers = {name: _reader(target, field) for name, field in target.fields.items()}
        """The value reader of each field."""
        self._columns = columns_of(target)
        self._row = row_type(target.label, self._columns.values())
        if self._row is not None:
            # prepares the type now, so that several threads can convert values to it at the same time
            decoder_of(self._row)
        self.objects = object_factory(target, self._columns)
        """Creates objects from rows.

        It raises NotOnFastPath for an invalid row; `read` then reports the exact error.
        """

    @property
    def attributes(self) -> frozenset[str]:
        """The attribute names of the fields."""
        return frozenset(column.attribute for column in self._columns.values())

    def row_type(self, others: Iterable[Column]) -> type[Row] | None:
        """Return the row type with additional columns for other attributes, or None if the entity has no row type."""
        added = [column for column in others if column.attribute not in self.attributes]
        return row_type(self._target.label, (*added, *self._columns.values()), self._target.entity)

    def fast_objects(self, constants: Iterable[FastColumn]) -> FastObjects | None:
        """Return the fast path for items that also have these columns, each with one constant value.

        Return None if the C extension is not compiled.
        """
        others = [constant for constant in constants if constant.name not in self.attributes]
        return fast_objects(self._target, self._columns, others)

    def read(self, item: Item | Row) -> Any:
        """Decode an item into an object; raise ItemRefused if the item does not match the entity."""
        if self._row is not None:
            try:
                (made,) = self.objects((item if isinstance(item, Row) else _row_of(item, self._row),))
            except NotOnFastPath:
                FAST_ITEMS.misses += 1
            else:
                FAST_ITEMS.hits += 1
                return made
        return self._read_field_by_field(item.item() if isinstance(item, Row) else item)

    def field(self, item: Item | Row, name: str) -> Any:
        """Return one field of an item, or None if its attribute is missing. Raise ItemRefused for an invalid value."""
        stored = item.get(self._target.attributes[name])
        if stored is None or "NULL" in stored:
            return None
        return self._value(item.item() if isinstance(item, Row) else item, name, stored)

    def read_all(self, items: Sequence[Item | Row]) -> list[Any]:
        """Decode items into objects, in order."""
        if items and isinstance(items[0], Row):
            try:
                objects = self.objects(items)
            except NotOnFastPath:
                FAST_OBJECTS.misses += 1
            else:
                FAST_OBJECTS.hits += 1
                return objects
        return [self.read(item) for item in items]

    def _read_field_by_field(self, item: Item) -> Any:
        """Decode an item whose attributes may be missing, NULL, or stored only in keys.

        Raise ItemRefused if an attribute is invalid, or if a required one is missing.
        """
        from_keys: Mapping[str, Any] | None = None
        values: dict[str, Any] = {}
        target = self._target
        for name, field in target.fields.items():
            stored = item.get(target.attributes[name])
            if stored is not None and "NULL" not in stored:
                values[name] = self._value(item, name, stored)
                continue
            if from_keys is None:
                from_keys = decoded_keys(target.entity, item)
            if name in from_keys:
                values[name] = from_keys[name]
            elif stored is not None and field.may_be_none:
                values[name] = None
            elif (nothing := value_if_missing(field)) is not UNSET:
                values[name] = nothing
            elif field.required:
                raise self._error(item, f"attribute {target.attributes[name]!r} is missing")
        return self._made(item, values)

    def _value(self, item: Item, name: str, stored: Value) -> Any:
        try:
            return self.readers[name](stored)
        except ItemRefused:
            raise
        except _WRONG as problem:
            declared = self._target.fields[name].type_name
            attribute = self._target.attributes[name]
            raise self._error(item, f"{attribute} must be {declared}, got {stored!r}") from problem
        except Exception as problem:  # the code of a user's nested class can raise any exception
            raise self._error(item, f"{type(problem).__name__}: {problem}") from problem

    def _made(self, item: Item, values: dict[str, Any]) -> Any:
        try:
            for name, check in struct_checks(self._target.cls).items():
                if name in values:
                    check(values[name])
            return make(self._target, values)
        except Exception as problem:
            raise self._error(item, f"{type(problem).__name__}: {problem}") from problem

    def _error(self, item: Item | Row, why: str) -> ItemRefused:
        keys = {name: item.get(name) for name in self._target.entity.base.index.key_attributes}
        return ItemRefused(f"the item {keys} cannot be read as {self._target.label}: {why}")


def _row_of(item: Item, row: type[Row]) -> Row:
    """Convert an item to a row. Raise NotOnFastPath if the item has other attributes or types than the row."""
    try:
        return msgspec.convert(item, row)
    except msgspec.ValidationError as problem:
        raise NotOnFastPath from problem


def make(of: DecodedClass, values: Mapping[str, Any]) -> Any:
    """Create an object of the decoded class from its field values."""
    given = {argument_name(of.cls, name): value for name, value in values.items() if of.fields[name].initialised}
    made = of.cls(**given)
    for name, field in of.fields.items():
        if not field.initialised and name in values:
            object.__setattr__(made, name, values[name])
    return made


def _reader(target: DecodedClass, field: Field) -> Callable[[Value], Any]:
    if field.name == target.expiry:
        return expiry_reader(field.type)
    return reader_of(field.type, target.entity.declaration.codecs)


def decoded_keys(entity: Entity, item: Item, *, base_only: bool = False) -> dict[str, Any]:
    """Return the field values that an item's keys contain: its key in the table, and its key in every index."""
    values: dict[str, Any] = {}
    for placement in (entity.base,) if base_only else entity.placements.values():
        keys = {part.attribute: item.get(part.attribute) for part in placement.parts}
        if any(value is None for value in keys.values()):
            continue
        try:
            values = placement.decode({name: key_value(value) for name, value in keys.items() if value}) | values
        except KeyRefused:
            continue
    return values


def key_value(value: Value) -> KeyValue:
    """Return the value of a key attribute as the Python type that key templates expect."""
    ((kind, content),) = value.items()
    return Decimal(content) if kind == "N" else binary_bytes(content) if kind == "B" else str(content)


def key_identity(item: Mapping[str, Any] | Row, names: Sequence[str]) -> Hashable:
    """Return the key of an item as a hashable value; numbers such as 1 and 1.0 produce equal keys."""
    return tuple(key_value(item[name]) for name in names)
