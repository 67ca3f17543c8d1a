"""Decoders: an item of DynamoDB JSON into an object of the user's class, by code that is made once for each entity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from singletable.client.items.columns import QuickObjects, columns_of, compiled, compiled_quickly
from singletable.client.items.construction import argument_name, struct_checks
from singletable.client.items.quick_rows import QuickColumn
from singletable.client.items.rows import Column, Row, row_type
from singletable.client.items.value_reader import Value, expiry_reader, nothing_in, reader_of
from singletable.errors import ItemRefused, KeyRefused
from singletable.model.entity import Entity
from singletable.model.fields import Field, fields_of
from singletable.model.keys import KeyValue
from singletable.values.binary import binary_bytes
from singletable.wire.decoders import decoder_of

Item = dict[str, Value]
_WRONG = (KeyError, TypeError, ValueError, ArithmeticError)


class Made(NamedTuple):
    """What a decoder makes: objects of a class with these fields, stored under these names."""

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
        """The field that is stored as seconds since 1970."""
        return self.entity.declaration.ttl


def made_of(entity: Entity, view: type | None = None) -> Made:
    """The entity's own class, or a view of some of its fields."""
    if view is None:
        return Made(entity.cls, entity.fields, entity.attributes, entity)
    return Made(view, fields_of(view), entity.attributes, entity)


class Decoder:
    """Reads the items of one entity, whole or as a view."""

    def __init__(self, made: Made) -> None:
        self._made_of = made
        self.readers = {name: _reader(made, field) for name, field in made.fields.items()}
        """Reads the stored value of each field."""
        self._columns = columns_of(made)
        self._row = row_type(made.label, self._columns.values())
        if self._row is not None:
            decoder_of(self._row)  # so that many threads may convert to it
        self.objects = compiled(made, self._columns)
        """Makes the objects of rows; what it raises says nothing of the item, and `read` does."""

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes that the fields are stored under."""
        return frozenset(column.attribute for column in self._columns.values())

    def row_type(self, others: Iterable[Column]) -> type[Row] | None:
        """Rows that have these columns too, unless a field has the attribute; None where there can be none."""
        added = [column for column in others if column.attribute not in self.attributes]
        return row_type(self._made_of.label, (*added, *self._columns.values()), self._made_of.entity)

    def quick_objects(self, constants: Iterable[QuickColumn]) -> QuickObjects | None:
        """What makes objects of the bytes of items that have these constants; None where it was not built."""
        others = [constant for constant in constants if constant.name not in self.attributes]
        return compiled_quickly(self._made_of, self._columns, others)

    def read(self, item: Item | Row) -> Any:
        """The object; raises ItemRefused for an item that is not one of the entity's."""
        if self._row is None:
            return self._read_with_care(item.item() if isinstance(item, Row) else item)
        try:
            row = item if isinstance(item, Row) else msgspec.convert(item, self._row)
            (made,) = self.objects((row,))
        except ItemRefused:
            raise
        except _WRONG:
            return self._read_with_care(item.item() if isinstance(item, Row) else item)
        except Exception as problem:  # of the user's own class, which may validate
            raise self._refused(item, f"{type(problem).__name__}: {problem}") from problem
        return made

    def read_all(self, items: Sequence[Item | Row]) -> list[Any]:
        """The objects of items, in order."""
        try:
            return self.objects(items)
        except Exception:  # of one of them, which is found when they are read one by one
            return [self.read(item) for item in items]

    def _read_with_care(self, item: Item) -> Any:
        """The same where an attribute is missing, null, or only in the keys; says which one is wrong."""
        from_keys: Mapping[str, Any] | None = None
        values: dict[str, Any] = {}
        made = self._made_of
        for name, field in made.fields.items():
            stored = item.get(made.attributes[name])
            if stored is not None and "NULL" not in stored:
                values[name] = self._value(item, name, stored)
                continue
            if from_keys is None:
                from_keys = decoded_keys(made.entity, item)
            if name in from_keys:
                values[name] = from_keys[name]
            elif stored is not None and field.may_be_none:
                values[name] = None
            elif (nothing := nothing_in(field)) is not UNSET:
                values[name] = nothing
            elif field.required:
                raise self._refused(item, f"it has no {made.attributes[name]!r}")
        return self._made(item, values)

    def _value(self, item: Item, name: str, stored: Value) -> Any:
        try:
            return self.readers[name](stored)
        except _WRONG as problem:
            declared = self._made_of.fields[name].type_name
            attribute = self._made_of.attributes[name]
            raise self._refused(item, f"{attribute} is {stored!r}, which is no {declared}") from problem

    def _made(self, item: Item, values: dict[str, Any]) -> Any:
        try:
            for name, check in struct_checks(self._made_of.cls).items():
                if name in values:
                    check(values[name])
            return make(self._made_of, values)
        except Exception as problem:
            raise self._refused(item, f"{type(problem).__name__}: {problem}") from problem

    def _refused(self, item: Item | Row, why: str) -> ItemRefused:
        keys = {name: item.get(name) for name in self._made_of.entity.base.index.key_attributes}
        return ItemRefused(f"the item {keys} cannot be read as {self._made_of.label}: {why}")


def make(of: Made, values: Mapping[str, Any]) -> Any:
    """An object out of the values of its fields."""
    given = {argument_name(of.cls, name): value for name, value in values.items() if of.fields[name].initialised}
    made = of.cls(**given)
    for name, field in of.fields.items():
        if not field.initialised and name in values:
            object.__setattr__(made, name, values[name])
    return made


def _reader(made: Made, field: Field) -> Callable[[Value], Any]:
    if field.name == made.expiry:
        return expiry_reader(field.type)
    return reader_of(field.type)


def decoded_keys(entity: Entity, item: Item, *, base_only: bool = False) -> dict[str, Any]:
    """The fields that the keys of an item give back, in the table and in every index that it is in."""
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
    """A key attribute as the templates take it."""
    ((kind, content),) = value.items()
    return Decimal(content) if kind == "N" else binary_bytes(content) if kind == "B" else str(content)
