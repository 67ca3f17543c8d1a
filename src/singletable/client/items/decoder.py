"""Decoders: an item of DynamoDB JSON into an object of the user's class, by code that is made once for each entity.

As with dataclasses, the code is text that is made out of the declaration and compiled. Nothing in it comes from data:
names of attributes are quoted, and what is read is only ever an argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from singletable.client.items.value_reader import INLINE, Value, expiry_reader, reader_of
from singletable.errors import ItemRefused, KeyRefused
from singletable.model.entity import Entity
from singletable.model.fields import Field, fields_of
from singletable.model.keys import KeyValue
from singletable.values.binary import binary_bytes

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


class Guard(NamedTuple):
    """What an item must say to be read as it is: a mark in an attribute; another is taken through `upgraded`."""

    attribute: str
    mark: Value
    upgraded: Callable[[Item], Item]


class Decoder:
    """Reads the items of one entity, whole or as a view."""

    def __init__(self, made: Made, guard: Guard | None = None) -> None:
        self._made_of = made
        self._guard = guard
        self._readers = {name: _reader(made, field) for name, field in made.fields.items()}
        self._quick = _compiled(made, self._readers, guard, self._read_older)

    def read(self, item: Item) -> Any:
        """The object; raises ItemRefused for an item that is not one of the entity's."""
        try:
            return self._quick(item)
        except ItemRefused:
            raise
        except _WRONG:
            return self._read_with_care(item)
        except Exception as problem:  # of the user's own class, which may validate
            raise self._refused(item, f"{type(problem).__name__}: {problem}") from problem

    @cached_property
    def _unguarded(self) -> Decoder:
        return Decoder(self._made_of)

    def _read_older(self, item: Item) -> Any:
        assert self._guard is not None, "only a guard finds older items"
        return self._unguarded.read(self._guard.upgraded(item))

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
            elif field.optional and field.required:
                values[name] = None
            elif _is_set(field):
                values[name] = field.type() if field.type in (set, frozenset) else frozenset()
            elif field.required:
                raise self._refused(item, f"it has no {made.attributes[name]!r}")
        return self._made(item, values)

    def _value(self, item: Item, name: str, stored: Value) -> Any:
        try:
            return self._readers[name](stored)
        except _WRONG as problem:
            declared = self._made_of.fields[name].type_name
            attribute = self._made_of.attributes[name]
            raise self._refused(item, f"{attribute} is {stored!r}, which is no {declared}") from problem

    def _made(self, item: Item, values: dict[str, Any]) -> Any:
        try:
            return make(self._made_of, values)
        except Exception as problem:
            raise self._refused(item, f"{type(problem).__name__}: {problem}") from problem

    def _refused(self, item: Item, why: str) -> ItemRefused:
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


def argument_name(cls: type, name: str) -> str:
    """What the class calls a field when it is given a value: pydantic's alias, attrs' name without underscores."""
    info = getattr(cls, "model_fields", {}).get(name) if hasattr(cls, "model_validate") else None
    if info is not None:
        settings = getattr(cls, "model_config", {})
        if settings.get("populate_by_name") or settings.get("validate_by_name"):
            return name
        alias = info.validation_alias or info.alias
        return alias if isinstance(alias, str) else name
    for attribute in getattr(cls, "__attrs_attrs__", ()):
        if attribute.name == name:
            return str(getattr(attribute, "alias", None) or name.lstrip("_"))
    return name


def _is_set(field: Field) -> bool:
    return field.type in (set, frozenset) or getattr(field.type, "__origin__", None) in (set, frozenset)


def _reader(made: Made, field: Field) -> Callable[[Value], Any]:
    if field.name == made.expiry:
        return expiry_reader(field.type)
    return reader_of(field.type)


def _compiled(
    made: Made,
    readers: Mapping[str, Callable[[Value], Any]],
    guard: Guard | None,
    read_older: Callable[[Item], Any],
) -> Callable[[Item], Any]:
    known: dict[str, Any] = {"cls": made.cls, "Decimal": Decimal}
    first: list[str] = []
    if guard is not None:
        known |= {"mark": guard.mark, "read_older": read_older}
        first.append(f"    if item.get({guard.attribute!r}) != mark: return read_older(item)")
    given, later, after = [], [], []
    for place, (name, field) in enumerate(made.fields.items()):
        stored = repr(made.attributes[name])
        value = f"item[{stored}]"
        inline = INLINE.get(field.type) if name != made.expiry else None
        if inline is None:
            known[f"read{place}"] = readers[name]
            inline = f"read{place}({{}})"
        expression = inline.format(value)
        argument = repr(argument_name(made.cls, name))
        if not field.initialised:
            after.append(f"    if {stored} in item: set_field(result, {name!r}, {expression})")
        elif field.required and not field.optional:
            given.append(f"{argument}: {expression}")
        elif field.required:
            given.append(f"{argument}: {expression} if {stored} in item else None")
        else:
            later.append(f"    if {stored} in item: given[{argument}] = {expression}")
    known["set_field"] = object.__setattr__
    taken = [f"    given = {{{', '.join(given)}}}", *later]
    source = "\n".join(["def decode(item):", *first, *taken, "    result = cls(**given)", *after, "    return result"])
    exec(compile(source, f"<decoder of {made.label}>", "exec"), known)  # noqa: S102  # our own text: see above
    decode: Callable[[Item], Any] = known["decode"]
    return decode


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
