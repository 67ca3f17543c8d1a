"""Validation of whole objects: an object is valid if the entity's reader accepts its stored item."""

from __future__ import annotations

import dataclasses
import enum
import sys
import types
from collections.abc import Hashable, Mapping
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec

from singletable.client.items.decoder import Decoder
from singletable.client.items.row_columns import FastObjects
from singletable.client.items.value_reader import PLAIN_READERS
from singletable.client.responses import not_utf8
from singletable.client.write.item_encoder import Encoder
from singletable.errors import ArgumentRefused, InvalidValue, ItemRefused, KeyRefused
from singletable.model.entity import Entity
from singletable.model.fields import NotAnEntityClass, fields_of, strip
from singletable.model.type_codecs import TypeCodecs
from singletable.model.validation.class_rules import rules_of
from singletable.planner.stored_items import Item
from singletable.values.fast_path import FastPath, NotOnFastPath

FAST_VALIDATION = FastPath("validated objects")
"""Encodes an object and reads it back in one step. An object that validation changes counts as a miss."""
FAST_VALIDATION_READS = FastPath("validated items")
"""Reads back an item that was encoded from field values."""

_encode = msgspec.json.Encoder().encode
_READ_ERRORS = (KeyError, TypeError, ValueError, ArithmeticError)


class ValidObject(NamedTuple):
    """A valid object: its item, its fields, and the object that a read returns."""

    item: Item
    values: Mapping[str, Any]
    result: Any


class Validator:
    """Validates the objects of one entity before they are written."""

    def __init__(self, entity: Entity, encoder: Encoder, decoder: Decoder) -> None:
        self._entity, self._encoder, self._decoder = entity, encoder, decoder
        self.fast: FastObjects | None = decoder.fast_objects(())
        # If `==` compares every field of every nested object, equal fields have equal stored forms.
        self._compares_all = all(
            _compares_all_fields(field.type, entity.declaration.codecs, ()) for field in entity.fields.values()
        )

    def valid_object(self, value: Any) -> tuple[bytes, Hashable, Any]:
        """Return the JSON of an object's item, its key, and the object that a read returns.

        Raise InvalidValue if the object cannot be read back. The returned key is None if the slow path encoded the
        item.
        """
        encode, fast, view = self._encoder.fast, self.fast, self._encoder.view
        if encode is not None and fast is not None and self._compares_all:
            values = view(value)
            try:
                json, key = encode(values)
                (made,) = fast.create(fast.reader.rows(json))
            except NotOnFastPath:
                pass
            else:
                if view(made) == values:
                    FAST_VALIDATION.hits += 1
                    return json, key, value
            FAST_VALIDATION.misses += 1
        return self._valid_object_slowly(value)

    def _valid_object_slowly(self, value: Any) -> tuple[bytes, Hashable, Any]:
        valid = self.valid(self._encoder.values(value), value)
        return _encode(valid.item), None, valid.result

    def valid(self, values: Mapping[str, Any], value: Any = None) -> ValidObject:
        """Return the item and the validated object for some values. Raise InvalidValue if the item cannot be read back.

        `value` is the object with these values. It is returned unchanged, unless validation changes a value.
        """
        item = self.item(values)
        made = self.read(item, values)
        found = self._encoder.values(made)
        if found == values and self._compares_all:
            return ValidObject(item, values, made if value is None else value)
        stored = self.item(found)
        # the values are stored in the same form, such as a tuple for a field that is declared as a list
        if stored == item:
            return ValidObject(item, found, made if value is None or found != values else value)
        again = self.item(self._encoder.values(self.read(stored, found)))
        if again != stored:
            raise self._changes_each_time(found, stored, again)
        return ValidObject(stored, found, made)

    def changed_by_reading(self, values: Mapping[str, Any]) -> Any:
        """Return the object that a read of these values returns if it differs from them.

        Return None if equal or invalid.
        """
        try:
            made = self.read(self.item(values), values)
        except (InvalidValue, KeyRefused):  # the write itself raises a more complete error
            return None
        return None if self._encoder.values(made) == values else made

    def item(self, values: Mapping[str, Any]) -> Item:
        """Return the item of some values without validation. Raise InvalidValue if DynamoDB cannot store a value."""
        try:
            return self._encoder.item(values)
        except InvalidValue:
            raise
        except ArgumentRefused as problem:
            raise self._not_stored(values, problem) from problem
        except KeyRefused as problem:
            invalid = self._invalid_field(values)
            if invalid is None:
                raise  # the value is valid, but a key cannot contain it
            raise invalid from problem

    def read(self, item: Item, values: Mapping[str, Any]) -> Any:
        """Return the object that a read of an item returns. Raise InvalidValue if the reader rejects the item."""
        try:
            json = _encode(item)
        except UnicodeEncodeError as problem:
            raise self._not_stored(values, not_utf8(problem)) from None
        if self.fast is not None:
            try:
                (made,) = self.fast.of(json)
            except NotOnFastPath:
                FAST_VALIDATION_READS.misses += 1
            else:
                FAST_VALIDATION_READS.hits += 1
                return made
        return self.read_slowly(item, values)

    def read_slowly(self, item: Item, values: Mapping[str, Any] | None = None) -> Any:
        """Read an item without the fast path. Without `values`, error messages show the values in the item."""
        try:
            return self._decoder.read(item)
        except ItemRefused as problem:
            known = self.values_in(item) if values is None else values
            raise self._invalid(known, problem) from problem

    def _not_stored(self, values: Mapping[str, Any], problem: ArgumentRefused) -> InvalidValue:
        """Return the error for the first field that DynamoDB cannot store."""
        return self._invalid_field(values) or InvalidValue(self._entity.label, None, values, str(problem))

    def _invalid(self, values: Mapping[str, Any], problem: ItemRefused) -> InvalidValue:
        """Return the error for an item that the reader rejects, with the field, the value and the rule."""
        invalid = self._invalid_field(values)
        if invalid is not None:
            return invalid
        label, cause = self._entity.label, problem.__cause__
        if cause is not None and (found := first_pydantic_error(cause)) is not None:
            return InvalidValue(label, *found)
        return InvalidValue(label, None, values, str(problem) if cause is None else rule_of(cause))

    def values_in(self, item: Item) -> dict[str, Any]:
        """Return the fields of an item, which are read one by one. An unreadable field has its stored form."""
        values: dict[str, Any] = {}
        for name, read in self._decoder.readers.items():
            stored = item.get(self._entity.attributes[name])
            if stored is not None and stored != {"NULL": True}:
                try:
                    values[name] = read(stored)
                except Exception:  # the code of a user's class can raise any exception
                    values[name] = stored
        return values

    def _invalid_field(self, values: Mapping[str, Any]) -> InvalidValue | None:
        """Return the error for the first invalid field. Return None if each field is valid by itself."""
        for name, value in values.items():
            try:
                rule = self._broken_rule(name, value)
            except ArgumentRefused as problem:
                rule = str(problem)
            if rule is not None:
                return InvalidValue(self._entity.label, name, value, rule)
        return None

    def _broken_rule(self, name: str, value: Any) -> str | None:
        """Return the rule that a field's value breaks. Raise ArgumentRefused if DynamoDB cannot store the value."""
        stored, read, rules = self._encoder.field(name, value), value, rules_of(self._entity.cls, (name,))
        if stored is not None and stored != {"NULL": True}:
            try:
                _encode(stored)
                read = self._decoder.readers[name](stored)
            except UnicodeEncodeError as problem:
                return str(not_utf8(problem))
            except Exception as problem:  # the code of a user's nested class can raise any exception
                return rule_in(problem, self._entity.fields[name].type_name)
        if rules.validate is None or rules.whole is not None:  # a rule that reads other fields fails without them
            return None
        try:
            rules.validate(read)
        except Exception as problem:  # libraries and user-defined validators can raise any exception
            return rule_of(problem)
        return None

    def _changes_each_time(self, found: Mapping[str, Any], stored: Item, again: Item) -> InvalidValue:
        names = (n for n, attribute in self._entity.attributes.items() if stored.get(attribute) != again.get(attribute))
        name = next(names, None)
        return InvalidValue(
            self._entity.label,
            name,
            None if name is None else found.get(name),
            "each validation changes the value again; a validator must leave a valid value unchanged",
        )


def first_pydantic_error(problem: BaseException) -> tuple[str | None, Any, str] | None:
    """Return the field, value and rule of the first error of a pydantic exception. Return None for other exceptions."""
    errors: Any = getattr(problem, "errors", None)
    listed: Any = errors() if callable(errors) else None
    if not isinstance(listed, list) or not listed:
        return None
    first: Any = listed[0]
    place = ".".join(str(step) for step in first.get("loc", ()))
    return place or None, first.get("input"), str(first.get("msg", problem))


def rule_of(problem: BaseException) -> str:
    """Return the message of an exception about a value, as one line."""
    found = first_pydantic_error(problem)
    if found is not None:
        place, _, message = found
        return f"{place}: {message}" if place else message
    text = str(problem.args[0]) if problem.args else str(problem)
    return text or type(problem).__name__


def rule_in(problem: Exception, type_name: str) -> str:
    """Return the rule that a value breaks, given its type and the exception of its read."""
    is_reader_error = isinstance(problem, _READ_ERRORS) and first_pydantic_error(problem) is None
    return f"not {type_name}" if is_reader_error else rule_of(problem)


def _compares_all_fields(annotation: Any, codecs: TypeCodecs, outer: tuple[type, ...]) -> bool:
    """Return whether `==` on values of a type compares all their stored data."""
    declared, _ = strip(annotation)
    if declared in PLAIN_READERS or declared in outer or get_origin(declared) is Literal:
        return True
    if (codec := codecs.of_type(declared)) is not None:
        return codec not in codecs.declared
    arguments = [each for each in get_args(declared) if each is not ...]
    if get_origin(declared) in (list, tuple, set, frozenset, dict, Union, types.UnionType):
        return all(_compares_all_fields(each, codecs, outer) for each in arguments)
    if not isinstance(declared, type):
        return False
    if issubclass(declared, enum.Enum):
        return True
    try:
        fields = fields_of(declared)
    except NotAnEntityClass:
        return False
    return _has_generated_equality(declared) and all(
        _compares_all_fields(field.type, codecs, (*outer, declared)) for field in fields.values()
    )


def _has_generated_equality(cls: Any) -> bool:
    """Return whether the `==` of a class is generated by its library and compares all fields."""
    pydantic = sys.modules.get("pydantic")
    if pydantic is not None and issubclass(cls, pydantic.BaseModel):
        return bool(cls.__eq__ is pydantic.BaseModel.__eq__)
    if issubclass(cls, msgspec.Struct):
        return cls.__eq__ is msgspec.Struct.__eq__ and bool(cls.__struct_config__.eq)
    code = getattr(cls.__eq__, "__code__", None)
    if code is None or not code.co_filename.startswith("<"):  # user-defined
        return False
    if dataclasses.is_dataclass(cls):
        return all(each.compare for each in dataclasses.fields(cls))
    return all(each.eq and each.eq_key is None for each in getattr(cls, "__attrs_attrs__", ()))
