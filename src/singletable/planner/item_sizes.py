"""Sizes of items and index entries: measured, declared, or estimated from field types."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin
from uuid import UUID

from singletable.lazy_dataclass import dataclass
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.fields import NotAnEntityClass, fields_of, strip
from singletable.model.keys import Placement, TemplatePart
from singletable.model.table_schema import TABLE, Index
from singletable.model.unique_markers import MARKER

_TYPICAL_TEXT_BYTES = 16
_TYPICAL_MEMBERS = 3
_CONTAINER_BYTES = 3  # the bytes that DynamoDB adds for a list or map
_MEMBER_BYTES = 1  # the bytes that DynamoDB adds for each element or member
_SECONDS_BYTES = 6  # a current time in seconds has ten digits
_TYPICAL_BYTES: dict[Any, int] = {
    int: 4,
    float: 9,
    Decimal: 6,
    bool: 1,
    datetime: 27,
    date: 10,
    UUID: 36,
    time: 15,
    timedelta: 6,
    bytes: 64,
}


@dataclass(frozen=True)
class SampledSize:
    """Measured sizes of one entity: the number of sampled items and their average bytes."""

    items: int
    item_bytes: int
    entry_bytes: Mapping[str, int]
    """The bytes of an index entry, by index alias. Indexes without entries are missing."""
    presence: Mapping[str, float] = field(default_factory=dict)
    """The share of items in each index, from 0 to 1."""
    per_partition: Mapping[str, int] = field(default_factory=dict)
    """The number of items per partition of the table and each index. It is known only if all items were sampled."""


@dataclass(frozen=True)
class ItemSizes:
    """The sizes of a design's items: measured if items were sampled, else declared, else estimated from the types."""

    design: Design
    sampled: Mapping[str, SampledSize] = field(default_factory=dict)
    """Measured sizes by entity label."""
    left_out: frozenset[tuple[str, str]] = frozenset()
    """Pairs of an entity label and an index alias. `share` returns 0 for them, as if the index had no such items."""

    def item(self, entity: Entity) -> int:
        """Return the bytes of an item."""
        sampled_size = self.sampled.get(entity.label)
        return item_bytes(self.design, entity)[0] if sampled_size is None else sampled_size.item_bytes

    def entry(self, entity: Entity, alias: str) -> int:
        """Return the size in bytes of an item's entry in an index, or of the item itself for the table."""
        sampled_size = self.sampled.get(entity.label)
        if alias == TABLE:
            return self.item(entity)
        if sampled_size is not None:
            return sampled_size.entry_bytes.get(alias, 0)
        return index_entry_bytes(self.design, entity, entity.placements[alias])

    def share(self, entity: Entity, alias: str) -> float:
        """Return the fraction of an entity's items that have an entry in an index."""
        if alias not in entity.placements or (entity.label, alias) in self.left_out:
            return 0.0
        sampled_size = self.sampled.get(entity.label)
        return 1.0 if sampled_size is None or alias == TABLE else sampled_size.presence.get(alias, 0.0)

    def guessed_share(self, entity: Entity, alias: str) -> tuple[str, ...]:
        """Return the guess that a sparse index contains all items. Return no guess if items were sampled."""
        if alias == TABLE or entity.label in self.sampled or not self.share(entity, alias):
            return ()
        placement = entity.placements[alias]
        may_miss = any(entity.fields[name].may_be_none for name in placement.fields)
        return (f"all items of {entity.label} in {placement.index.label}",) if may_miss else ()

    def expected_in(self, entity: Entity, index: Index) -> int | None:
        """Return the measured or declared number of items per partition of the table or an index."""
        sampled_size = self.sampled.get(entity.label)
        alias = TABLE if index.kind == "LSI" else index.alias
        return (
            entity.expected_in(index)
            if sampled_size is None
            else sampled_size.per_partition.get(alias, entity.expected_in(index))
        )

    def guessed(self, entity: Entity) -> tuple[str, ...]:
        """Return the guesses on which the size of an item depends."""
        return () if entity.label in self.sampled else item_bytes(self.design, entity)[1]

    def guessed_entry(self, entity: Entity, alias: str) -> tuple[str, ...]:
        """Return the guesses on which the size of an index entry, or of the item in the table, depends."""
        guessed = self.guessed(entity)
        if guessed or entity.label in self.sampled or alias == TABLE:
            return guessed
        index = entity.placements[alias].index
        return () if index.projection.kind == "ALL" else (f"the size of {entity.label} in {index.label}",)

    def marker(self, marker: Placement, entity: Entity) -> int:
        """Return the bytes of a unique marker."""
        key = sum(_texts_bytes((part.attribute,)) + _part_bytes(part) for part in marker.parts)
        owner = sum(_texts_bytes((part.attribute,)) + _part_bytes(part) + 1 for part in entity.base.parts)
        named = self.design.settings.type_attribute
        return key + len("owner") + 3 + owner + (_texts_bytes((named, MARKER)) if named else 0)


def item_bytes(design: Design, entity: Entity) -> tuple[int, tuple[str, ...]]:
    """Return the declared size of an item.

    If there is none, return the size estimated from its field types, with the guess.
    """
    if entity.declaration.expected_bytes is not None:
        return entity.declaration.expected_bytes, ()
    size = sum(_texts_bytes((entity.attributes[name],)) + field_bytes(entity, name) for name in entity.fields)
    attributes = {part.attribute: part for p in entity.placements.values() for part in p.parts}
    written = {name: part for name, part in attributes.items() if isinstance(part, TemplatePart)}
    size += sum(_texts_bytes((name,)) + _part_bytes(part) for name, part in written.items())
    if design.settings.type_attribute:
        size += _texts_bytes((design.settings.type_attribute, entity.name))
    if entity.declaration.schema_version is not None:
        size += _texts_bytes((design.settings.schema_version_attribute,)) + 2
    return size, (f"the size of {entity.label}",)


def index_entry_bytes(design: Design, entity: Entity, placement: Placement) -> int:
    """Return the size of an item's index entry: the whole item, or the keys and the projected attributes."""
    projection = placement.index.projection
    if projection.kind == "ALL":
        return item_bytes(design, entity)[0]
    parts = {part.attribute: part for part in (*entity.base.parts, *placement.parts)}
    size = sum(_texts_bytes((name,)) + _part_bytes(part) for name, part in parts.items())
    stored = {attribute: name for name, attribute in entity.attributes.items() if attribute not in parts}
    for attribute in projection.attributes:
        if attribute in stored:
            size += _texts_bytes((attribute,)) + field_bytes(entity, stored[attribute])
        elif attribute == design.settings.type_attribute:
            size += _texts_bytes((attribute, entity.name))
    return size


def _texts_bytes(texts: Sequence[str]) -> int:
    """Return the size of strings in UTF-8. Names in a design can contain lone surrogates, although no item can."""
    return sum(len(text.encode(errors="surrogatepass")) for text in texts)


def field_bytes(entity: Entity, name: str) -> int:
    """Return the typical size in bytes of a field."""
    return _SECONDS_BYTES if name == entity.declaration.ttl else _value_bytes(entity.fields[name].type)


def _part_bytes(part: Any) -> int:
    """Return the bytes of a key attribute, which is a template with slots or a native field."""
    if not isinstance(part, TemplatePart):
        return _value_bytes(part.field.type)
    literals = _texts_bytes((part.template.text,)) - sum(_texts_bytes((str(slot),)) for slot in part.template.slots)
    return literals + sum(slot.width or _TYPICAL_TEXT_BYTES for slot in part.template.slots)


def _value_bytes(annotation: Any, inside: tuple[Any, ...] = ()) -> int:
    """Return the typical size in bytes of a value of this type. A type that contains itself counts as empty."""
    annotation, _ = strip(annotation)
    origin, of = get_origin(annotation) or annotation, get_args(annotation)
    if origin is Literal:
        return max(_texts_bytes((str(value),)) for value in of)
    if origin in (Union, UnionType):
        return max(_value_bytes(each, inside) for each in of)
    if origin in (set, frozenset):  # DynamoDB adds no bytes for a set
        return _TYPICAL_MEMBERS * _value_bytes(of[0] if of else str, inside)
    if origin in (list, tuple, Sequence):
        of = of or (str, ...)
        elements = of if origin is tuple and of[-1] is not Ellipsis else _TYPICAL_MEMBERS * of[:1]
        return _CONTAINER_BYTES + sum(_MEMBER_BYTES + _value_bytes(each, inside) for each in elements)
    if origin in (dict, Mapping):
        member = _MEMBER_BYTES + _TYPICAL_TEXT_BYTES + _value_bytes(of[1] if len(of) > 1 else str, inside)
        return _CONTAINER_BYTES + _TYPICAL_MEMBERS * member
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return max((_texts_bytes((str(member.value),)) for member in annotation), default=8)
    if annotation not in _TYPICAL_BYTES and (members := _members(annotation)) is not None:
        kinds = () if annotation in inside else members.items()
        within = (*inside, annotation)
        return _CONTAINER_BYTES + sum(_MEMBER_BYTES + _texts_bytes((n,)) + _value_bytes(t, within) for n, t in kinds)
    return _TYPICAL_BYTES.get(annotation, _TYPICAL_TEXT_BYTES)


def _members(annotation: Any) -> dict[str, Any] | None:
    """Return the field types of a class that is stored as a map; None for other types."""
    if not isinstance(annotation, type):
        return None
    try:
        return {name: each.type for name, each in fields_of(annotation).items()}
    except (NotAnEntityClass, NameError):  # names that are imported only for type checkers cannot be resolved
        return None
