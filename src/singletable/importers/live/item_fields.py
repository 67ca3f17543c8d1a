"""The fields of one entity while its keys are inferred: names, types, and the values in every item."""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from singletable.importers.draft import DraftDerived, DraftField, FieldType
from singletable.importers.names import field_name

_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
ATTRIBUTE_TYPES: Mapping[str, FieldType] = {
    "S": "str",
    "N": "Decimal",
    "B": "bytes",
    "BOOL": "bool",
    "L": "list[Any]",
    "M": "dict[str, Any]",
    "SS": "set[str]",
    "NS": "set[Decimal]",
    "BS": "set[bytes]",
}
"""The types of fields, by the attribute types of DynamoDB."""
_SETS: Mapping[str, FieldType] = {"SS": "set[str]", "NS": "set[Decimal]", "BS": "set[bytes]"}


@dataclass
class ItemFields:
    """The fields of an entity: fields that attributes store, and fields that only keys contain."""

    by_name: dict[str, DraftField]
    values: dict[str, list[Any]]
    """The values of each field in every item. A value is None if an item does not have the field."""
    raw: set[str] = field(default_factory=set)
    """Fields whose text keys contain without escaping."""
    templates: dict[str, str] = field(default_factory=dict)
    """The templates of key attributes."""
    derived: dict[str, DraftDerived] = field(default_factory=dict)
    key_only: set[str] = field(default_factory=set)
    """Fields that no attribute stores."""
    attributes: frozenset[str] = frozenset()
    """Every attribute that an item has or can have."""
    preferred: frozenset[str] = frozenset()
    """Fields to try first, because only the items of a sparse index have them."""
    choices: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    """Segments that equal several fields: their place, the chosen field and the other fields."""
    differences: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    """Parts of keys that differ from the field with their name: the field, the number of differences and of items."""

    exceptions: dict[str, tuple[str, tuple[int, ...]]] = field(default_factory=dict)
    """Key attributes that contain a field in most items: its slot, and the items with another value."""

    def snapshot(self) -> ItemFields:
        """Return a copy to restore later."""
        return ItemFields(**{each.name: copy(getattr(self, each.name)) for each in fields(self)})

    def restore(self, before: ItemFields) -> None:
        """Restore a snapshot."""
        for each in fields(self):
            setattr(self, each.name, getattr(before, each.name))

    def free_name(self, text: str) -> str:
        """Return a name that no field, derived value or attribute has."""
        return field_name(text, (*self.by_name, *self.derived, *self.attributes))

    def add(self, name: str, values: list[str], others: Collection[str] = ()) -> str:
        """Add a string field that only keys contain, unless a field with the same values exists. Return its name.

        `others` are fields that have another meaning, although they have the same values.
        """
        for known, seen in self.values.items():
            if seen == values and self.by_name[known].type == "str" and known not in others:
                return known
        free = self.free_name(name)
        self.by_name[free] = DraftField(free, "str")
        self.key_only.add(free)
        self.values[free] = list(values)
        return free


def field_type(values: Iterable[Mapping[str, Any]]) -> FieldType:
    """Return the narrowest type that stores every value unchanged. NULL values are ignored."""
    seen = [next(iter(value.items())) for value in values]
    kinds = {kind for kind, _ in seen} - {"NULL"}
    if len(kinds) != 1:
        return "Any" if kinds else "str"
    (kind,) = kinds
    contents = [content for each, content in seen if each == kind]
    match kind:
        case "S":
            return _text_type(contents)
        case "N":
            return "int" if all(re.fullmatch(r"-?\d{1,38}", text) for text in contents) else "Decimal"
        case "BOOL":
            return "bool"
        case "B":
            return "bytes"
        case "L":
            return "list[str]" if all(set(each) == {"S"} for content in contents for each in content) else "list[Any]"
        case "M":
            return "dict[str, Any]"
        case _:
            return _SETS.get(kind, "Any")


def _text_type(contents: Sequence[str]) -> FieldType:
    """Return str, unless every text has the format in which the library stores dates and times."""
    if all(_TIMESTAMP.fullmatch(text) and _is_date(text) for text in contents):
        return "datetime"
    return "date" if all(_DAY.fullmatch(text) and _is_date(text) for text in contents) else "str"


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def python_value(kind: FieldType, value: Mapping[str, Any] | None) -> Any:
    """Return an attribute value as a Python value of a type that templates can contain."""
    if value is None or "NULL" in value:
        return None
    ((_, content),) = value.items()
    match kind:
        case "int":
            return int(content)
        case "Decimal":
            return Decimal(content)
        case "datetime":
            return datetime.fromisoformat(content)
        case "date":
            return date.fromisoformat(content)
        case "list[str]":
            return [each["S"] for each in content]
        case "bytes":
            return base64.b64decode(content)
        case _:
            return content
