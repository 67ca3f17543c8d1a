"""The keys of an entity in the table and in each index: templates and native attributes, written and read back."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from singletable.errors import KeyRefused, Location
from singletable.model.codecs.codec import Codec, Order
from singletable.model.fields import Field
from singletable.model.index import AttributeType, Index
from singletable.model.template import Template
from singletable.values.attribute_value import fits
from singletable.values.limits import PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX

KeyValue = str | bytes | Decimal
"""A key attribute's value: S as text, N as a Decimal, B as bytes."""


@dataclass(frozen=True)
class TemplatePart:
    """A key attribute that a template writes."""

    attribute: str
    template: Template

    type: AttributeType = "S"

    @property
    def fields(self) -> frozenset[str]:
        """The fields that the attribute depends on."""
        return self.template.fields

    @property
    def exact_fields(self) -> frozenset[str]:
        """The fields that the attribute gives back."""
        return self.template.exact_fields

    def encode(self, values: Mapping[str, Any]) -> KeyValue | None:
        """The attribute's value for an item, or None when a field is missing."""
        return self.template.encode(values)

    def decode(self, value: KeyValue) -> dict[str, Any]:
        """The fields that the attribute gives back."""
        if not isinstance(value, str):
            raise KeyRefused(f"{self.attribute} is {value!r}, and {self.template.text!r} makes text")
        return self.template.decode(value)

    def __str__(self) -> str:
        return self.template.text


@dataclass(frozen=True)
class NativePart:
    """A key attribute that is a field's own stored attribute."""

    attribute: str
    field: Field
    type: AttributeType
    codec: Codec | None

    @property
    def fields(self) -> frozenset[str]:
        """The one field that the attribute is."""
        return frozenset((self.field.name,))

    @property
    def exact_fields(self) -> frozenset[str]:
        """The one field that the attribute is."""
        return self.fields

    @property
    def order(self) -> Order:
        """How the attribute sorts beside the field: numbers by value, text and bytes by bytes."""
        return self.codec.order if self.codec is not None else Order.ASCENDING

    @property
    def domain(self) -> tuple[Any, ...] | None:
        """Every value there is, when they are few and known."""
        if _is_enum(self.field.type):
            return tuple(self.field.type)
        return get_args(self.field.type) if get_origin(self.field.type) is Literal else None

    def encode(self, values: Mapping[str, Any]) -> KeyValue | None:
        """The attribute's value for an item, or None when the field is missing."""
        value = values.get(self.field.name)
        return None if value is None else self.encode_value(value)

    def encode_value(self, value: Any) -> KeyValue:
        """The attribute's value for a value of the field."""
        if self.codec is not None:
            return self.codec.encode(value)
        plain = self._plain(value)
        if self.type == "N":
            return _number(plain)
        if isinstance(plain, str | bytes) and isinstance(plain, bytes) == (self.type == "B"):
            return plain
        raise KeyRefused(f"{value!r} is not a value of the {self.type} key attribute {self.attribute}")

    def decode(self, value: KeyValue) -> dict[str, Any]:
        """The field that the attribute is."""
        if self.codec is not None:
            if not isinstance(value, str):
                raise KeyRefused(f"{self.attribute} is {value!r}, not text")
            return {self.field.name: self.codec.decode(value)}
        try:
            read = self._read(value)
            if self.encode_value(read) == value:
                return {self.field.name: read}
        except (ValueError, TypeError, ArithmeticError):  # KeyRefused is a ValueError
            pass
        raise KeyRefused(f"{self.attribute} is {value!r}, which is no {self.field.type_name}")

    def _plain(self, value: Any) -> Any:
        """The value that is stored for a member of an enumeration or of a Literal."""
        if _is_enum(self.field.type):
            if not isinstance(value, self.field.type):
                raise KeyRefused(f"{value!r} is not a member of {self.field.type_name}")
            return value.value
        if get_origin(self.field.type) is Literal and value not in get_args(self.field.type):
            raise KeyRefused(f"{value!r} is not one of {', '.join(map(repr, get_args(self.field.type)))}")
        return value

    def _read(self, value: KeyValue) -> Any:
        if _is_enum(self.field.type):
            return self.field.type(int(value) if self.type == "N" else value)
        if self.type == "N":
            return int(value) if get_origin(self.field.type) is Literal else self.field.type(value)
        return value

    def __str__(self) -> str:
        return f"{self.field.name} ({self.type})"


def _number(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise KeyRefused(f"{value!r} is not a number")
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not fits(number):
        raise KeyRefused(f"{value!r} is not a number that DynamoDB can hold: 38 digits, from 1E-130 to 9.99E+125")
    return number


def _is_enum(field_type: Any) -> bool:
    return isinstance(field_type, type) and issubclass(field_type, enum.Enum)


def native_type(field_type: Any) -> AttributeType | None:
    """The DynamoDB type in which a field of this Python type is a key attribute; None when it cannot be one."""
    if get_origin(field_type) is Literal:
        return _common_type(get_args(field_type))
    if _is_enum(field_type):
        return _common_type(member.value for member in field_type)
    if field_type is bytes:
        return "B"
    if field_type is bool or not isinstance(field_type, type):
        return None
    if issubclass(field_type, int | float | Decimal):
        return "N"
    return "S" if issubclass(field_type, str | datetime | date | UUID) else None


def _common_type(values: Iterable[Any]) -> AttributeType | None:
    kinds: set[AttributeType | None] = {
        native_type(type(value)) if isinstance(value, str | int) else None for value in values
    }
    return kinds.pop() if len(kinds) == 1 else None


KeyPart = TemplatePart | NativePart


@dataclass(frozen=True)
class Placement:
    """An entity's place in the table or in an index."""

    index: Index
    partition: tuple[KeyPart, ...]
    sort: tuple[KeyPart, ...]
    sparse: bool
    location: Location

    @cached_property
    def parts(self) -> tuple[KeyPart, ...]:
        """All key parts, the partition's first."""
        return (*self.partition, *self.sort)

    @cached_property
    def fields(self) -> frozenset[str]:
        """Every field that the keys depend on."""
        return frozenset().union(*(part.fields for part in self.parts))

    @cached_property
    def exact_fields(self) -> frozenset[str]:
        """Every field that the keys give back."""
        return frozenset().union(*(part.exact_fields for part in self.parts))

    def encode(self, values: Mapping[str, Any], parts: Iterable[KeyPart] | None = None) -> dict[str, KeyValue] | None:
        """The key attributes of an item, or some of them; None when it lacks a field, and so is not in this index."""
        keys: dict[str, KeyValue] = {}
        for part in self.parts if parts is None else parts:
            value = part.encode(values)
            if value is None:
                return None
            check_bytes(part.attribute, value, sort=part in self.sort)
            keys[part.attribute] = value
        return keys

    def decode(self, attributes: Mapping[str, KeyValue]) -> dict[str, Any]:
        """The fields that the key attributes give back; raises KeyRefused when they are not this entity's."""
        values: dict[str, Any] = {}
        for name, value in self._decoded(attributes):
            if name in values and values[name] != value:
                raise KeyRefused(f"the keys hold two different values for {name}")
            values[name] = value
        return values

    def _decoded(self, attributes: Mapping[str, KeyValue]) -> Iterator[tuple[str, Any]]:
        for part in self.parts:
            if part.attribute not in attributes:
                raise KeyRefused(f"there is no {part.attribute}, so the item is not in {self.index.label}")
            yield from part.decode(attributes[part.attribute]).items()


def check_bytes(attribute: str, value: KeyValue, *, sort: bool) -> None:
    """Refuse a key value that DynamoDB would refuse for its length."""
    if isinstance(value, Decimal):
        return
    try:
        size = len(value if isinstance(value, bytes) or value.isascii() else value.encode())
    except UnicodeEncodeError:
        raise KeyRefused(f"{attribute} would hold half of a surrogate pair, which has no UTF-8 form") from None
    most = SORT_KEY_BYTES_MAX if sort else PARTITION_KEY_BYTES_MAX
    if size == 0:
        raise KeyRefused(f"{attribute} would be empty, and DynamoDB refuses empty keys")
    if size > most:
        raise KeyRefused(f"{attribute} would have {size} bytes, and DynamoDB takes at most {most} in a key like it")
