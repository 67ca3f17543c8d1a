"""Draft of a model: tables, entities, keys and patterns as plain values. The Python file is written from the draft."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from singletable.expressions.tree import And, Change, Condition, Function, Parameter, Path

FieldType = Literal[
    "str",
    "int",
    "Decimal",
    "float",
    "bool",
    "bytes",
    "datetime",
    "date",
    "list[Any]",
    "list[str]",
    "dict[str, Any]",
    "set[str]",
    "set[Decimal]",
    "set[bytes]",
    "tuple[str, ...]",
    "UUID",
    "Any",
]
"""The types that importers infer. `DraftField.type` can be any annotation that `restricted_tree` allows."""
RangeKind = Literal["Between", "Since", "Until", "Prefix", "Subtree", "Children", "Radius", "Box", "Nearest"]
PatternKind = Literal["get", "query", "collection", "within", "ancestors", "put", "create", "update", "delete"]
DerivedKind = Literal["shard", "bucket", "first_letter", "depth", "parent", "geohash", "derive"]
ProjectionKind = Literal["ALL", "KEYS_ONLY", "INCLUDE"]


@dataclass(frozen=True)
class PythonCode:
    """A value as Python source text, such as `Colour.RED`, if the importer does not have the value itself."""

    text: str
    is_mutable: bool = False


@dataclass(frozen=True)
class DraftField:
    """A field of an entity, with its attribute if the attribute has another name."""

    name: str
    type: str
    """The annotation without None: `str`, `list[Line]`."""
    optional: bool = False
    """Whether the field can be None. None is then its default."""
    attribute: str | None = None
    choices: tuple[str, ...] = ()
    """The only texts that the field can contain, if they are known."""
    must_be_given: bool = False
    """Whether an optional field has no default."""
    has_default: bool = False
    default: Any = None
    default_function: str | None = None
    """The name of the function that returns the default."""

    @property
    def can_be_left_out(self) -> bool:
        """Whether the field has a default."""
        return self.has_default or self.default_function is not None or (self.optional and not self.must_be_given)

    @property
    def stored_as(self) -> str:
        """The name of the attribute that stores the field."""
        return self.attribute or self.name


@dataclass(frozen=True)
class DraftClass:
    """A class that is not an entity: the type of a nested value, a view, or the shape of a collection."""

    class_name: str
    fields: tuple[DraftField, ...]
    doc: str | None = None
    """The docstring. None means that it is unknown; the class name is then used."""


@dataclass(frozen=True)
class DraftEnum:
    """An enumeration. `base` is the base class in its class statement."""

    class_name: str
    members: Mapping[str, str | int]
    base: str = "Enum"
    doc: str | None = None


@dataclass(frozen=True)
class NativeKey:
    """A key attribute that stores the value of a field."""

    field: str
    format: str = ""


Position = str | NativeKey
"""A template such as `ORDER#{id}`, or the attribute of a field."""


@dataclass(frozen=True)
class DraftKeys:
    """The key of an entity in the table or in an index. Several positions form a multi-attribute key."""

    partition: tuple[Position, ...]
    sort: tuple[Position, ...] = ()
    sparse: bool = False


@dataclass(frozen=True)
class DraftDerived:
    """A value in keys that is computed from fields: `shard("id", of=8)`, `bucket("at", "day")`."""

    kind: DerivedKind
    fields: tuple[str, ...]
    argument: int | str | None = None
    """The number of shards, the span of a bucket, or the precision of a geohash cell."""
    function: str | None = None
    values: tuple[str, ...] | None = None
    """Every text that the function can return, if declared."""


@dataclass(frozen=True)
class DraftEntity:
    """An entity: its class, its fields, and its keys by the alias of the index (`key` is the table)."""

    class_name: str
    fields: tuple[DraftField, ...]
    keys: Mapping[str, DraftKeys]
    stored_name: str | None = None
    """The value of the type attribute, if it differs from the class name."""
    doc: str | None = None
    ttl: str | None = None
    accept: Mapping[str, str] = field(default_factory=dict)
    derived: Mapping[str, DraftDerived] = field(default_factory=dict)
    identity: tuple[str, ...] | None = None
    """The fields that identify an item, unless it is a field named `id` or named after the class."""
    schema_version: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    """Other keyword arguments of `@entity`. A value can be `PythonCode`."""
    upgrades: Mapping[int, str] = field(default_factory=dict)
    """The functions that upgrade items, by the version of the items that they upgrade."""


@dataclass(frozen=True)
class DraftIndex:
    """An index, with the attributes of its keys."""

    alias: str
    name: str
    kind: Literal["GSI", "LSI"]
    partition: tuple[str, ...]
    sort: tuple[str, ...] = ()
    projection: ProjectionKind = "ALL"
    included: tuple[str, ...] = ()
    is_inverse: bool = False
    """Whether the index swaps the keys of the table, so that entities declare no keys for it."""


@dataclass(frozen=True)
class DraftParameter:
    """A parameter of a pattern. It binds to the field of the same name, or a condition uses it."""

    name: str
    type: str
    range: RangeKind | None = None
    choices: tuple[str, ...] = ()
    optional: bool = False
    by_name: bool = False
    """Whether it is keyword-only."""
    has_default: bool = False
    default: Any = None


def paging(default: int = 20) -> tuple[DraftParameter, DraftParameter]:
    """Return the parameters that a pattern needs to return pages."""
    limit = DraftParameter("limit", "int", by_name=True, has_default=True, default=default)
    return limit, DraftParameter("cursor", "str", optional=True, by_name=True, has_default=True)


@dataclass(frozen=True)
class DraftPattern:
    """An access pattern of one entity, or of a collection of several."""

    name: str
    title: str
    kind: PatternKind
    entities: tuple[str, ...]
    """The class names. A collection has several, and the first one is its head."""
    parameters: tuple[DraftParameter, ...] = ()
    """Empty for a put or a create that takes the whole item."""
    newest_first: bool = False
    descending: bool = False
    changes: tuple[Change, ...] = ()
    where: Condition | None = None
    filter: Condition | None = None
    order_by: Path | None = None
    limit: int | str | None = None
    """The number of items, or the name of the parameter for it if the name differs from `limit`."""
    view: str | None = None
    """The class of the returned objects. For a collection, the name of its shape."""
    members: tuple[DraftField, ...] = ()
    """The fields of a collection. If empty, these are the first entity, and a list of each other entity."""
    hydrate: bool = False
    consistent: bool = False
    entry: str | None = None
    frequency: str | float | None = None
    rate: float | None = None
    budget_ms: float | None = None
    fanout: int | None = None
    accept: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    """Other keyword arguments of `@pattern`. A value can be `PythonCode`."""
    is_proposed: bool = False
    """Whether an importer proposed the pattern because of the keys, and the source does not contain it."""


@dataclass(frozen=True)
class DraftTable:
    """A table. `notes` become comments: omitted parts of the source and assumptions of the importer, with reasons."""

    class_name: str
    name: str
    entities: tuple[DraftEntity, ...]
    keys: tuple[str, ...] = ("PK", "SK")
    indexes: tuple[DraftIndex, ...] = ()
    patterns: tuple[DraftPattern, ...] = ()
    type_attribute: str | None = "entity_type"
    ttl_attribute: str | None = None
    delimiter: str = "#"
    doc: str | None = None
    notes: tuple[str, ...] = ()
    accept: Mapping[str, str] = field(default_factory=dict)
    schema_version_attribute: str = "schema_v"
    enums: tuple[DraftEnum, ...] = ()
    classes: tuple[DraftClass, ...] = ()


@dataclass(frozen=True)
class Draft:
    """A model from another source."""

    title: str
    tables: tuple[DraftTable, ...]
    doc: str | None = None
    """The docstring of the file, if it is not the title."""
    notes: tuple[str, ...] = ()
    """Notes on the source as a whole, such as tables that are not in the model."""


def exists(name: str) -> Condition:
    """Return the condition that a field is stored."""
    return Function("attribute_exists", (Path((name,)),))


def all_of(conditions: Collection[Condition]) -> Condition | None:
    """Return the conjunction of the conditions, or None if there are none."""
    return And(tuple(conditions)) if len(conditions) > 1 else next(iter(conditions), None)


def set_to_parameter(name: str) -> Change:
    """Return the change that sets a field to the parameter with the same name."""
    return Change("SET", Path((name,)), Parameter(name))


def fields_in(positions: tuple[Position, ...]) -> list[str]:
    """Return the fields that a key contains, in order and without duplicates."""
    names: dict[str, None] = {}
    for each in positions:
        found = [each.field] if isinstance(each, NativeKey) else re.findall(r"\{([^{}:]+)[^{}]*\}", each)
        names |= dict.fromkeys(found)
    return list(names)


def key_form(positions: tuple[Position, ...]) -> tuple[str, ...]:
    """Return the positions of a key without the names in its slots, to compare keys of different entities."""
    return tuple("native" if isinstance(each, NativeKey) else re.sub(r"\{[^{}]*\}", "{}", each) for each in positions)


def snake_case(name: str) -> str:
    """Return a class name in the form that the model uses before `_id`."""
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in name).lstrip("_")


def identity_of(name: str, fields: Collection[str], keys: DraftKeys) -> tuple[str, ...] | None:
    """Return the identifying fields if the usual field (`id`, `order_id`) is not part of the key.

    Otherwise return None.
    """
    in_key = tuple(each for each in fields_in((*keys.partition, *keys.sort)) if each in fields)
    usual = next((each for each in ("id", f"{snake_case(name)}_id") if each in fields), None)
    return None if usual in in_key or (usual is None and in_key) else in_key


def left_out_index(index: DraftIndex, reason: str) -> str:
    """Return the note for an index that is not in the model, with its attributes."""
    included = f"; includes {', '.join(index.included)}" if index.included else ""
    attributes = ", ".join((*index.partition, *index.sort)) + included
    return f"The index {index.name} ({attributes}) was left out, because {reason}."


def identity_note(name: str, identity: tuple[str, ...]) -> str:
    """Return the note for an identity that the importer added."""
    usual = f"id or {snake_case(name)}_id"
    shown = ", ".join(identity) or "no field"
    return f"{name}: identity=({shown}) was added, because the field {usual} is not part of the key."
