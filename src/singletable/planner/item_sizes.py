"""How large the items of a design are, and their index entries: declared, sampled, or put together from field types."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin
from uuid import UUID

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.fields import NotAnEntityClass, fields_of, strip
from singletable.model.index import TABLE, Index
from singletable.model.keys import Placement, TemplatePart
from singletable.model.unique import MARKER
from singletable.values.item_size import texts_size

_TYPICAL_TEXT_BYTES = 16
_TYPICAL_MEMBERS = 3
_CONTAINER_BYTES = 3  # of a list or a map, beside what is in it
_MEMBER_BYTES = 1  # of each element of a list and each member of a map, beside its name and value
_SECONDS_BYTES = 6  # a moment of these years in seconds, ten digits
_TYPICAL_BYTES: dict[Any, int] = {
    int: 4,
    float: 9,
    Decimal: 6,
    bool: 1,
    datetime: 27,
    date: 10,
    UUID: 36,
    bytes: 64,
}


@dataclass(frozen=True)
class SampledSize:
    """What items of an entity were seen to have: how many were looked at, and their bytes on average."""

    items: int
    item_bytes: int
    entry_bytes: Mapping[str, int]
    """The bytes of an entry in each index, by its alias; an index that none of them is in is missing."""
    presence: Mapping[str, float] = field(default_factory=dict)
    """Which part of the items is in each index, from 0 to 1."""
    per_partition: Mapping[str, int] = field(default_factory=dict)
    """How many lie in one partition of the table and of each index, where all items were seen."""


@dataclass(frozen=True)
class Sizes:
    """The sizes of a design's items; what was sampled goes before what was declared, and that before the types."""

    design: Design
    sampled: Mapping[str, SampledSize] = field(default_factory=dict)
    """What was seen, by the labels of entities."""
    left_out: frozenset[tuple[str, str]] = frozenset()
    """Indexes that an entity's items are supposed not to be in, by its label and their alias."""

    def item(self, entity: Entity) -> int:
        """The bytes of an item."""
        seen = self.sampled.get(entity.label)
        return item_bytes(self.design, entity)[0] if seen is None else seen.item_bytes

    def entry(self, entity: Entity, alias: str) -> int:
        """The bytes of an item's entry in an index, or of the item itself."""
        seen = self.sampled.get(entity.label)
        if alias == TABLE:
            return self.item(entity)
        if seen is not None:
            return seen.entry_bytes.get(alias, 0)
        return index_entry_bytes(self.design, entity, entity.placements[alias])

    def share(self, entity: Entity, alias: str) -> float:
        """Which part of an entity's items is in an index, by its placement and by what was seen."""
        if alias not in entity.placements or (entity.label, alias) in self.left_out:
            return 0.0
        seen = self.sampled.get(entity.label)
        return 1.0 if seen is None or alias == TABLE else seen.presence.get(alias, 0.0)

    def guessed_share(self, entity: Entity, alias: str) -> tuple[str, ...]:
        """What nobody has seen of how many items are in an index: where a key may be missing, all are taken to be."""
        if alias == TABLE or entity.label in self.sampled or not self.share(entity, alias):
            return ()
        placement = entity.placements[alias]
        may_miss = any(entity.fields[name].may_be_none for name in placement.fields)
        return (f"all items of {entity.label} in {placement.index.label}",) if may_miss else ()

    def expected_in(self, entity: Entity, index: Index) -> int | None:
        """How many items lie in one partition of the table or an index: seen, or declared."""
        seen = self.sampled.get(entity.label)
        alias = TABLE if index.kind == "LSI" else index.alias
        return entity.expected_in(index) if seen is None else seen.per_partition.get(alias, entity.expected_in(index))

    def guessed(self, entity: Entity) -> tuple[str, ...]:
        """What nobody declared and nobody has seen."""
        return () if entity.label in self.sampled else item_bytes(self.design, entity)[1]

    def guessed_entry(self, entity: Entity, alias: str) -> tuple[str, ...]:
        """What nobody declared and nobody has seen of an entry in an index, or of the item itself."""
        guessed = self.guessed(entity)
        if guessed or entity.label in self.sampled or alias == TABLE:
            return guessed
        index = entity.placements[alias].index
        return () if index.projection.kind == "ALL" else (f"the size of {entity.label} in {index.label}",)

    def marker(self, marker: Placement, entity: Entity) -> int:
        """The bytes of the item that keeps a value unique."""
        key = sum(texts_size((part.attribute,)) + _part_bytes(part) for part in marker.parts)
        owner = sum(texts_size((part.attribute,)) + _part_bytes(part) + 1 for part in entity.base.parts)
        named = self.design.settings.type_attribute
        return key + len("owner") + 3 + owner + (texts_size((named, MARKER)) if named else 0)


def item_bytes(design: Design, entity: Entity) -> tuple[int, tuple[str, ...]]:
    """The size of an item as DynamoDB counts it: declared, or put together from the types of its fields."""
    if entity.declaration.expected_bytes is not None:
        return entity.declaration.expected_bytes, ()
    size = sum(texts_size((entity.attributes[name],)) + _field_bytes(entity, name) for name in entity.fields)
    attributes = {part.attribute: part for p in entity.placements.values() for part in p.parts}
    written = {name: part for name, part in attributes.items() if isinstance(part, TemplatePart)}
    size += sum(texts_size((name,)) + _part_bytes(part) for name, part in written.items())
    if design.settings.type_attribute:
        size += texts_size((design.settings.type_attribute, entity.name))
    if entity.declaration.schema_version is not None:
        size += texts_size((design.settings.schema_version_attribute,)) + 2
    return size, (f"the size of {entity.label}",)


def index_entry_bytes(design: Design, entity: Entity, placement: Placement) -> int:
    """The size of an item's entry in an index: all of it, or its keys and what is projected."""
    projection = placement.index.projection
    if projection.kind == "ALL":
        return item_bytes(design, entity)[0]
    parts = {part.attribute: part for part in (*entity.base.parts, *placement.parts)}
    size = sum(texts_size((name,)) + _part_bytes(part) for name, part in parts.items())
    stored = {attribute: name for name, attribute in entity.attributes.items() if attribute not in parts}
    for attribute in projection.attributes:
        if attribute in stored:
            size += texts_size((attribute,)) + _field_bytes(entity, stored[attribute])
        elif attribute == design.settings.type_attribute:
            size += texts_size((attribute, entity.name))
    return size


def _field_bytes(entity: Entity, name: str) -> int:
    return _SECONDS_BYTES if name == entity.declaration.ttl else _value_bytes(entity.fields[name].type)


def _part_bytes(part: Any) -> int:
    """The bytes of a key attribute: of a template its text and its slots, otherwise of the field that it is."""
    if not isinstance(part, TemplatePart):
        return _value_bytes(part.field.type)
    literals = texts_size((part.template.text,)) - sum(texts_size((str(slot),)) for slot in part.template.slots)
    return literals + sum(slot.width or _TYPICAL_TEXT_BYTES for slot in part.template.slots)


def _value_bytes(annotation: Any, inside: tuple[Any, ...] = ()) -> int:
    """The bytes of a value of a type; one that is inside a value of its own kind is taken for empty."""
    annotation, _ = strip(annotation)
    origin, of = get_origin(annotation) or annotation, get_args(annotation)
    if origin is Literal:
        return max(texts_size((str(value),)) for value in of)
    if origin in (Union, UnionType):
        return max(_value_bytes(each, inside) for each in of)
    if origin in (set, frozenset):  # DynamoDB holds a set as its members, without any overhead
        return _TYPICAL_MEMBERS * _value_bytes(of[0] if of else str, inside)
    if origin in (list, tuple, Sequence):
        of = of or (str, ...)
        elements = of if origin is tuple and of[-1] is not Ellipsis else _TYPICAL_MEMBERS * of[:1]
        return _CONTAINER_BYTES + sum(_MEMBER_BYTES + _value_bytes(each, inside) for each in elements)
    if origin in (dict, Mapping):
        member = _MEMBER_BYTES + _TYPICAL_TEXT_BYTES + _value_bytes(of[1] if len(of) > 1 else str, inside)
        return _CONTAINER_BYTES + _TYPICAL_MEMBERS * member
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return max((texts_size((str(member.value),)) for member in annotation), default=8)
    if annotation not in _TYPICAL_BYTES and (members := _members(annotation)) is not None:
        kinds = () if annotation in inside else members.items()
        within = (*inside, annotation)
        return _CONTAINER_BYTES + sum(_MEMBER_BYTES + texts_size((n,)) + _value_bytes(t, within) for n, t in kinds)
    return _TYPICAL_BYTES.get(annotation, _TYPICAL_TEXT_BYTES)


def _members(annotation: Any) -> dict[str, Any] | None:
    """The types of a class's fields, which it is stored by as a map; None of any other type."""
    if not isinstance(annotation, type):
        return None
    try:
        return {name: each.type for name, each in fields_of(annotation).items()}
    except (NotAnEntityClass, NameError):  # a name that is there for type checkers only says nothing of bytes
        return None
