"""Validation of whole objects: an object is valid when the entity's reader accepts the item as it will be stored."""

from __future__ import annotations

import dataclasses
import enum
import sys
import types
from collections.abc import Hashable, Mapping
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec

from singletable.client.items.columns import QuickObjects
from singletable.client.items.decoder import Decoder
from singletable.client.items.value_reader import PLAIN_READERS
from singletable.client.refusals import not_utf8
from singletable.client.write.encode import Encoder
from singletable.errors import ArgumentRefused, InvalidValue, ItemRefused, KeyRefused
from singletable.model.entity import Entity
from singletable.model.fields import NotAnEntityClass, fields_of, strip
from singletable.model.rules.class_rules import rules_of
from singletable.planner.items import Item

_encode = msgspec.json.Encoder().encode
_READ_ERRORS = (KeyError, TypeError, ValueError, ArithmeticError)


class Valid(NamedTuple):
    """An object that can be read back: its item, its fields, and the object itself as a read returns it."""

    item: Item
    values: Mapping[str, Any]
    result: Any


class Validator:
    """Validates the objects of one entity before they are written."""

    def __init__(self, entity: Entity, encoder: Encoder, decoder: Decoder) -> None:
        self._entity, self._encoder, self._decoder = entity, encoder, decoder
        self.fast: QuickObjects | None = decoder.quick_objects(())
        # Where `==` compares every field of every nested object, equal fields are stored alike.
        self._compares_all = all(_compares_all_fields(field.type, ()) for field in entity.fields.values())

    def valid_object(self, value: Any) -> tuple[bytes, Hashable, Any]:
        """An object's item as JSON as it will be stored, its key, and the object as it will be read.

        Raises InvalidValue for an object that could not be read back. The key is None where it is not at hand.
        """
        encode, fast, view = self._encoder.fast, self.fast, self._encoder.view
        if encode is not None and fast is not None and self._compares_all:
            values = view(value)
            try:
                json, key = encode(values)
                (made,) = fast.made(fast.reader.rows(json))
            except Exception:  # of any kind, from the user's own class too; the slow path says what it is
                return self._valid_slowly(value)
            if view(made) == values:
                return json, key, value
        return self._valid_slowly(value)

    def _valid_slowly(self, value: Any) -> tuple[bytes, Hashable, Any]:
        valid = self.valid(self._encoder.values(value), value)
        return _encode(valid.item), None, valid.result

    def valid(self, values: Mapping[str, Any], value: Any = None) -> Valid:
        """The item of some values, as it will be stored; raises InvalidValue when it could not be read back.

        `value` is the object that has these values, which is returned unless validation changed one of them.
        """
        item = self.item(values)
        made = self.read(item, values)
        found = self._encoder.values(made)
        if found == values and self._compares_all:
            return Valid(item, values, made if value is None else value)
        stored = self.item(found)
        if stored == item:  # such as a tuple where the class declares a list
            return Valid(item, found, made if value is None or found != values else value)
        again = self.item(self._encoder.values(self.read(stored, found)))
        if again != stored:
            raise self._changes_each_time(found, stored, again)
        return Valid(stored, found, made)

    def changed_by_reading(self, values: Mapping[str, Any]) -> Any:
        """The object that a read makes of some values, if it has others; None for the same or invalid values."""
        try:
            made = self.read(self.item(values), values)
        except (InvalidValue, KeyRefused):  # which the write itself explains, with its copies and its version
            return None
        return None if self._encoder.values(made) == values else made

    def item(self, values: Mapping[str, Any]) -> Item:
        """The item of some values, without validation; raises InvalidValue for a value that DynamoDB cannot hold."""
        try:
            return self._encoder.item(values)
        except InvalidValue:
            raise
        except ArgumentRefused as problem:
            raise self._not_stored(values, problem) from problem
        except KeyRefused as problem:
            invalid = self._invalid_field(values)
            if invalid is None:
                raise  # a valid value that its key cannot hold
            raise invalid from problem

    def read(self, item: Item, values: Mapping[str, Any]) -> Any:
        """The object that a read would make of an item; raises InvalidValue when the reader rejects it."""
        try:
            json = _encode(item)
        except UnicodeEncodeError as problem:
            raise self._not_stored(values, not_utf8(problem)) from None
        if self.fast is not None:
            try:
                (made,) = self.fast.of(json)
            except Exception:  # of any kind, from the user's own class too; the slow path says what it is
                return self.read_slowly(item, values)
            return made
        return self.read_slowly(item, values)

    def read_slowly(self, item: Item, values: Mapping[str, Any] | None = None) -> Any:
        """The same without the fast path; the values are those of the item where they are not given."""
        try:
            return self._decoder.read(item)
        except ItemRefused as problem:
            known = self.values_in(item) if values is None else values
            raise self._invalid(known, problem) from problem

    def _not_stored(self, values: Mapping[str, Any], problem: ArgumentRefused) -> InvalidValue:
        """The error for a value that has no form in DynamoDB, by the first field that has none."""
        return self._invalid_field(values) or InvalidValue(self._entity.label, None, values, str(problem))

    def _invalid(self, values: Mapping[str, Any], problem: ItemRefused) -> InvalidValue:
        """What the reader rejects, by field, value and rule."""
        invalid = self._invalid_field(values)
        if invalid is not None:
            return invalid
        label, cause = self._entity.label, problem.__cause__
        if cause is not None and (reported := reported_by_pydantic(cause)) is not None:
            return InvalidValue(label, *reported)
        return InvalidValue(label, None, values, str(problem) if cause is None else rule_of(cause))

    def values_in(self, item: Item) -> dict[str, Any]:
        """The fields of an item that can be read one by one; a field that cannot be has its stored form."""
        values: dict[str, Any] = {}
        for name, read in self._decoder.readers.items():
            stored = item.get(self._entity.attributes[name])
            if stored is not None and stored != {"NULL": True}:
                try:
                    values[name] = read(stored)
                except Exception:  # of any kind, from the user's own classes too
                    values[name] = stored
        return values

    def _invalid_field(self, values: Mapping[str, Any]) -> InvalidValue | None:
        """The error of the first field that breaks a rule of its own; None where each is valid by itself."""
        for name, value in values.items():
            try:
                rule = self._broken_rule(name, value)
            except ArgumentRefused as problem:
                rule = str(problem)
            if rule is not None:
                return InvalidValue(self._entity.label, name, value, rule)
        return None

    def _broken_rule(self, name: str, value: Any) -> str | None:
        """The rule that a field's value breaks; raises ArgumentRefused for a value that DynamoDB cannot hold."""
        stored, read, rules = self._encoder.field(name, value), value, rules_of(self._entity.cls, (name,))
        if stored is not None and stored != {"NULL": True}:
            try:
                _encode(stored)
                read = self._decoder.readers[name](stored)
            except UnicodeEncodeError as problem:
                return str(not_utf8(problem))
            except Exception as problem:  # of a nested class of the user's own, too
                return rule_in(problem, self._entity.fields[name].type_name)
        if rules.validate is None or rules.whole is not None:  # a rule that looks at other fields fails without them
            return None
        try:
            rules.validate(read)
        except Exception as problem:  # of any library, and of the user's own functions
            return rule_of(problem)
        return None

    def _changes_each_time(self, found: Mapping[str, Any], stored: Item, again: Item) -> InvalidValue:
        names = (n for n, attribute in self._entity.attributes.items() if stored.get(attribute) != again.get(attribute))
        name = next(names, None)
        return InvalidValue(
            self._entity.label,
            name,
            None if name is None else found.get(name),
            "validation changes it again each time it is read; let the validator return a valid value unchanged",
        )


def reported_by_pydantic(problem: BaseException) -> tuple[str | None, Any, str] | None:
    """The field, the value and the rule of pydantic's first error; None for another exception."""
    errors: Any = getattr(problem, "errors", None)
    listed: Any = errors() if callable(errors) else None
    if not isinstance(listed, list) or not listed:
        return None
    first: Any = listed[0]
    place = ".".join(str(step) for step in first.get("loc", ()))
    return place or None, first.get("input"), str(first.get("msg", problem))


def rule_of(problem: BaseException) -> str:
    """What an exception says of a value, in one line."""
    reported = reported_by_pydantic(problem)
    if reported is not None:
        place, _, message = reported
        return f"{place}: {message}" if place else message
    text = str(problem.args[0]) if problem.args else str(problem)
    return text or type(problem).__name__


def rule_in(problem: Exception, type_name: str) -> str:
    """The rule that a value of some type breaks, by the exception that reading it raised."""
    is_of_reader = isinstance(problem, _READ_ERRORS) and reported_by_pydantic(problem) is None
    return f"not {type_name}" if is_of_reader else rule_of(problem)


def _compares_all_fields(annotation: Any, outer: tuple[type, ...]) -> bool:
    """Whether `==` on values of a type compares everything that is stored of them."""
    declared, _ = strip(annotation)
    if declared in PLAIN_READERS or declared in outer or get_origin(declared) is Literal:
        return True
    arguments = [each for each in get_args(declared) if each is not ...]
    if get_origin(declared) in (list, tuple, set, frozenset, dict, Union, types.UnionType):
        return all(_compares_all_fields(each, outer) for each in arguments)
    if not isinstance(declared, type):
        return False
    if issubclass(declared, enum.Enum):
        return True
    try:
        fields = fields_of(declared)
    except NotAnEntityClass:
        return False
    return _has_generated_equality(declared) and all(
        _compares_all_fields(field.type, (*outer, declared)) for field in fields.values()
    )


def _has_generated_equality(cls: Any) -> bool:
    """Whether a class compares all its fields, as its library made it to."""
    pydantic = sys.modules.get("pydantic")
    if pydantic is not None and issubclass(cls, pydantic.BaseModel):
        return bool(cls.__eq__ is pydantic.BaseModel.__eq__)
    if issubclass(cls, msgspec.Struct):
        return cls.__eq__ is msgspec.Struct.__eq__ and bool(cls.__struct_config__.eq)
    code = getattr(cls.__eq__, "__code__", None)
    if code is None or not code.co_filename.startswith("<"):  # written by a person
        return False
    if dataclasses.is_dataclass(cls):
        return all(each.compare for each in dataclasses.fields(cls))
    return all(each.eq and each.eq_key is None for each in getattr(cls, "__attrs_attrs__", ()))
