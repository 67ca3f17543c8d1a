"""Keys of an entity in the table or an index: encoding and decoding of templates and native attributes."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from singletable.errors import KeyRefused, Location
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import Codec, SortOrder
from singletable.model.fields import Field
from singletable.model.key_template import Template
from singletable.model.regular_language import ANYTHING, Language, any_of
from singletable.model.table_schema import AttributeType, Index
from singletable.values.attribute_value import fits
from singletable.values.limits import PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX

KeyValue = str | bytes | Decimal
"""The value of a key attribute: str for S, Decimal for N, bytes for B."""


@dataclass(frozen=True)
class TemplatePart:
    """A key attribute whose value a template produces."""

    attribute: str
    template: Template

    type: AttributeType = "S"

    @property
    def fields(self) -> frozenset[str]:
        """The fields that the attribute depends on."""
        return self.template.fields

    @property
    def exact_fields(self) -> frozenset[str]:
        """The fields that can be decoded from the attribute."""
        return self.template.exact_fields

    @property
    def comparable_fields(self) -> frozenset[str]:
        """The fields that a key condition can compare."""
        return self.template.comparable_fields

    @property
    def language(self) -> Language:
        """Every possible text of the attribute."""
        return self.template.language

    def encode(self, values: Mapping[str, Any]) -> KeyValue | None:
        """Return the value of the attribute for an item, or None if a field is missing."""
        return self.template.encode(values)

    def decode(self, value: KeyValue) -> dict[str, Any]:
        """Return the fields decoded from the attribute."""
        if not isinstance(value, str):
            raise KeyRefused(f"{self.attribute} is {value!r}, but {self.template.text!r} is a text key")
        return self.template.decode(value)

    def __str__(self) -> str:
        return self.template.text


@dataclass(frozen=True)
class NativePart:
    """A key attribute that stores a field directly."""

    attribute: str
    field: Field
    type: AttributeType
    codec: Codec | None

    @property
    def fields(self) -> frozenset[str]:
        """The field that the attribute stores."""
        return frozenset((self.field.name,))

    @property
    def exact_fields(self) -> frozenset[str]:
        """The field that the attribute stores."""
        return self.fields

    @property
    def comparable_fields(self) -> frozenset[str]:
        """The field that the attribute stores."""
        return self.fields

    @property
    def order(self) -> SortOrder:
        """The sort order of the attribute: numbers by value, text and bytes in byte order."""
        return self.codec.order if self.codec is not None else SortOrder.ASCENDING

    @property
    def domain(self) -> tuple[Any, ...] | None:
        """All possible values if the set is small and known, otherwise None."""
        if _is_enum(self.field.type):
            return tuple(self.field.type)
        return get_args(self.field.type) if get_origin(self.field.type) is Literal else None

    @cached_property
    def language(self) -> Language:
        """Every possible text of the attribute. For numbers and bytes, the result is the language of all texts."""
        if self.codec is None and self.type == "S" and self.domain is not None:
            return any_of(str(self.encode_value(value)) for value in self.domain)
        return self.codec.language if self.codec is not None else ANYTHING

    def encode(self, values: Mapping[str, Any]) -> KeyValue | None:
        """Return the value of the attribute for an item, or None if the field is missing."""
        value = values.get(self.field.name)
        return None if value is None else self.encode_value(value)

    def encode_value(self, value: Any) -> KeyValue:
        """Return the value of the attribute for a value of the field."""
        if self.codec is not None:
            return self.codec.encode(value)
        stored = self._stored_value(value)
        if self.type == "N":
            return _number(stored)
        if isinstance(stored, str | bytes) and isinstance(stored, bytes) == (self.type == "B"):
            return stored
        raise KeyRefused(f"{value!r} is not valid for the key attribute {self.attribute} of type {self.type}")

    def decode(self, value: KeyValue) -> dict[str, Any]:
        """Return the field decoded from the attribute."""
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
        raise KeyRefused(f"{self.attribute} is {value!r}, which is not a valid {self.field.type_name}")

    def _stored_value(self, value: Any) -> Any:
        """Return the stored value of an enum member or a Literal."""
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
        raise KeyRefused(f"{value!r} is out of range for DynamoDB numbers: 38 digits, from 1E-130 to 9.99E+125")
    return number


def _is_enum(field_type: Any) -> bool:
    return isinstance(field_type, type) and issubclass(field_type, enum.Enum)


def native_type(field_type: Any) -> AttributeType | None:
    """Return the DynamoDB type of a key attribute for a Python type, or None if the type is not supported."""
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
    """The keys of an entity in the table or an index."""

    index: Index
    partition: tuple[KeyPart, ...]
    sort: tuple[KeyPart, ...]
    sparse: bool
    location: Location

    @cached_property
    def parts(self) -> tuple[KeyPart, ...]:
        """All key attributes, with the partition key first."""
        return (*self.partition, *self.sort)

    @cached_property
    def fields(self) -> frozenset[str]:
        """The fields on which the keys depend."""
        return frozenset().union(*(part.fields for part in self.parts))

    @cached_property
    def partition_fields(self) -> frozenset[str]:
        """The fields on which the partition key depends."""
        return frozenset().union(*(part.fields for part in self.partition))

    @cached_property
    def exact_fields(self) -> frozenset[str]:
        """The fields that can be decoded from the keys."""
        return frozenset().union(*(part.exact_fields for part in self.parts))

    @cached_property
    def truncated_fields(self) -> frozenset[str]:
        """The times that the keys contain in truncated form. They can be compared but not decoded."""
        comparable = frozenset[str]().union(*(part.comparable_fields for part in self.parts))
        return comparable - self.exact_fields

    def encode(self, values: Mapping[str, Any], parts: Iterable[KeyPart] | None = None) -> dict[str, KeyValue] | None:
        """Return the key attributes of an item.

        Return None if a field is missing, because the item is then not in this index.
        """
        keys: dict[str, KeyValue] = {}
        for part in self.parts if parts is None else parts:
            value = part.encode(values)
            if value is None:
                return None
            check_bytes(part.attribute, value, sort=part in self.sort)
            keys[part.attribute] = value
        return keys

    def decode(self, attributes: Mapping[str, KeyValue]) -> dict[str, Any]:
        """Return the fields decoded from the key attributes. Raise KeyRefused if they belong to another entity."""
        values: dict[str, Any] = {}
        for name, value in self._decoded(attributes):
            if name in values and values[name] != value:
                raise KeyRefused(f"the keys contain two different values for {name}")
            values[name] = value
        return values

    def _decoded(self, attributes: Mapping[str, KeyValue]) -> Iterator[tuple[str, Any]]:
        for part in self.parts:
            if part.attribute not in attributes:
                raise KeyRefused(f"the attribute {part.attribute} is missing, so the item is not in {self.index.label}")
            yield from part.decode(attributes[part.attribute]).items()


def check_bytes(attribute: str, value: KeyValue, *, sort: bool) -> None:
    """Raise KeyRefused if a key value is empty or too long for DynamoDB."""
    if isinstance(value, Decimal):
        return
    try:
        size = len(value if isinstance(value, bytes) or value.isascii() else value.encode())
    except UnicodeEncodeError:
        raise KeyRefused(f"{attribute} contains a lone surrogate, which cannot be encoded as UTF-8") from None
    most = SORT_KEY_BYTES_MAX if sort else PARTITION_KEY_BYTES_MAX
    if size == 0:
        raise KeyRefused(f"{attribute} is empty, but DynamoDB does not allow empty keys")
    if size > most:
        raise KeyRefused(f"{attribute} has {size} bytes, but DynamoDB allows at most {most}")
