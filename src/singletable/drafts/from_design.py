"""A design as a draft: the same model as plain values, with a note for what values cannot say."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast, get_args, get_origin

from singletable.drafts.design_patterns import draft_pattern
from singletable.drafts.draft import (
    DraftCardinality,
    DraftDerived,
    DraftEntity,
    DraftField,
    DraftIndex,
    DraftKeys,
    DraftLink,
    DraftPattern,
    DraftTable,
    FieldType,
    NativeKey,
    Position,
)
from singletable.drafts.vocabulary import TYPES
from singletable.model.cardinality import Cardinality
from singletable.model.derived.bucket import Bucket
from singletable.model.derived.derived import Derived
from singletable.model.derived.function import FunctionOf
from singletable.model.derived.geocell import GeoCell
from singletable.model.derived.letter import FirstLetter
from singletable.model.derived.shard import Shard
from singletable.model.derived.tree import Depth, Parent
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.index import Index
from singletable.model.positions import Native, Sparse

_PLAIN: Mapping[Any, FieldType] = {**{real: name for name, real in TYPES.items()}, frozenset[str]: "set[str]"}


def draft_of(design: Design, class_name: str, doc: str = "") -> DraftTable:
    """The draft of a table's design; `notes` says what it leaves out."""
    notes: list[str] = []
    entities = tuple(_entity(entity, notes) for entity in design.entities)
    patterns: list[DraftPattern] = []
    for pattern in design.patterns:
        made = draft_pattern(design, pattern, typed)
        if isinstance(made, str):
            notes.append(f"{pattern.name} is left out: {made}.")
        else:
            patterns.append(made)
    settings = design.settings
    return DraftTable(
        class_name,
        settings.name,
        entities,
        design.table.key_attributes,
        tuple(_index(index) for index in design.indexes.values() if not index.is_table),
        tuple(patterns),
        settings.type_attribute,
        settings.ttl_attribute,
        settings.delimiter,
        first_line(doc),
        tuple(notes),
        dict(settings.accept),
        settings.schema_version_attribute,
    )


def typed(annotation: Any) -> tuple[FieldType, tuple[str, ...]]:
    """A field's type as drafts name it, and the only texts that it can hold."""
    if get_origin(annotation) is Literal and all(type(each) is str for each in get_args(annotation)):
        return "str", get_args(annotation)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        values = tuple(each.value for each in annotation)
        if values and all(isinstance(each, str) for each in values):
            return "str", values
        return ("int", ()) if values and all(type(each) is int for each in values) else ("Any", ())
    if annotation in _PLAIN:
        return _PLAIN[annotation], ()
    origin = get_origin(annotation) or annotation
    if origin is list:
        return "list[Any]", ()
    if origin is dict or (isinstance(origin, type) and hasattr(origin, "__annotations__")):
        return "dict[str, Any]", ()
    return "Any", ()


def first_line(doc: str | None) -> str:
    """What a docstring says first."""
    return inspect.cleandoc(doc or "").partition("\n")[0].rstrip(".")


def _entity(entity: Entity, notes: list[str]) -> DraftEntity:
    declared = entity.declaration
    derived = {name: _derived(each) for name, each in declared.derived.items()}
    functions = [name for name, each in derived.items() if each is None]
    if functions:
        notes.append(f"{entity.label}: {', '.join(functions)} is computed by a function, and a plain field here.")
    if entity.upgrades:
        notes.append(
            f"{entity.label}: schema version {declared.schema_version} is left out: its upgrades are functions."
        )
    fields = [_field(entity, name) for name in entity.fields]
    fields += [DraftField(name, "str", choices=_values(declared.derived[name])) for name in functions]
    return DraftEntity(
        entity.label,
        tuple(fields),
        {alias: _keys(keys) for alias, keys in declared.keys.items()},
        entity.name if entity.name != entity.label else None,
        first_line(entity.cls.__doc__),
        declared.ttl,
        dict(declared.accept),
        {name: each for name, each in derived.items() if each is not None},
        declared.identity,
        declared.schema_version if not entity.upgrades else None,
        declared.mirror_of.__name__ if declared.mirror_of is not None else None,
        declared.version,
        declared.unique,
        tuple(DraftLink(each.source.__name__, each.by, each.fields, None, each.in_parts) for each in declared.copies),
        tuple(DraftLink(each.owner.__name__, each.by, {}, each.field) for each in declared.counted),
        declared.expected_bytes,
        dict(declared.expected_per_partition),
        declared.expected_items,
        {name: _cardinality(each) for name, each in declared.cardinality.items()},
        declared.access,
    )


def _cardinality(each: Cardinality) -> DraftCardinality:
    return DraftCardinality(each.values, None if each.hottest == 1 / each.values else each.hottest)


def _field(entity: Entity, name: str) -> DraftField:
    declared = entity.fields[name]
    kind, choices = typed(declared.type)
    stored = entity.attributes[name]
    optional = declared.optional or (kind == "Any" and not declared.required)
    return DraftField(name, kind, optional, stored if stored != name else None, choices)


def _keys(keys: Any) -> DraftKeys:
    """The keys as they were declared, in one form."""
    is_sparse = isinstance(keys, Sparse)
    given = keys.keys if isinstance(keys, Sparse) else keys
    positions = given if isinstance(given, tuple) else (given,)
    parts = [tuple(_parts(each)) for each in positions]
    return DraftKeys(parts[0], parts[1] if len(parts) > 1 else (), is_sparse)


def _parts(position: Any) -> Iterator[Position]:
    for each in position if isinstance(position, tuple) else (position,):
        yield NativeKey(each.field, each.format) if isinstance(each, Native) else cast(str, each)


def _derived(derived: Derived) -> DraftDerived | None:
    match derived:
        case Shard():
            return DraftDerived("shard", derived.fields, derived.of)
        case Bucket():
            return DraftDerived("bucket", derived.fields, derived.span)
        case GeoCell():
            return DraftDerived("geohash", derived.fields, derived.precision)
        case FirstLetter():
            return DraftDerived("first_letter", derived.fields)
        case Depth():
            return DraftDerived("depth", derived.fields)
        case Parent():
            return DraftDerived("parent", derived.fields)
        case _:
            return None


def _values(derived: Derived) -> tuple[str, ...]:
    """Every text that a function can make, when it says them."""
    return tuple(derived.values or ()) if isinstance(derived, FunctionOf) else ()


def _index(index: Index) -> DraftIndex:
    return DraftIndex(
        index.alias,
        index.name,
        "LSI" if index.kind == "LSI" else "GSI",
        tuple(each.name for each in index.partition),
        tuple(each.name for each in index.sort),
        index.projection.kind,
        index.projection.attributes,
        index.is_inverse,
    )
