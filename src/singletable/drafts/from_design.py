"""A design as a draft: the same model as plain values, with a note for what values cannot say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, cast

from singletable.drafts.conditions import refuse_unsaid_count
from singletable.drafts.declared_patterns import body_of, shape_names, subject_of
from singletable.drafts.design_patterns import Unsaid, draft_pattern, with_draft_constants
from singletable.drafts.design_types import DesignTypes, doc_of
from singletable.drafts.docstrings import plain_text
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
    DraftUpgrade,
    NativeKey,
    Position,
)
from singletable.drafts.drafted_classes import words_of
from singletable.drafts.naming import is_free, name_of_class
from singletable.errors import DesignError
from singletable.model.derived.bucket import Bucket
from singletable.model.derived.derived_function import DerivedFunction
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.derived.first_letter import FirstLetter
from singletable.model.derived.geohash_cell import GeohashCell
from singletable.model.derived.shard import Shard
from singletable.model.derived.tree_path import Depth, Parent
from singletable.model.derived_data import Count
from singletable.model.design import Design
from singletable.model.entity import Cardinality, Entity
from singletable.model.table_schema import Index, Native, Sparse


def draft_of(design: Design, class_name: str, doc: str = "") -> DraftTable:
    """The draft of a table's design; `notes` says what it leaves out."""
    notes: list[str] = []
    names = _names(design, class_name)
    types = DesignTypes(names, {class_name, *names.values()}, notes)
    entities = tuple(_entity(entity, types, notes) for entity in design.entities)
    patterns: list[DraftPattern] = []
    for pattern in design.patterns:
        made = draft_pattern(pattern, types)
        if isinstance(made, str):
            notes.append(f"{pattern.name} is left out: {made}.")
        else:
            patterns.append(made)
    settings = design.settings
    table = DraftTable(
        class_name,
        settings.name,
        entities,
        design.table.key_attributes,
        tuple(_index(index) for index in design.indexes.values() if not index.is_table),
        tuple(patterns),
        settings.type_attribute,
        settings.ttl_attribute,
        settings.delimiter,
        plain_text(doc),
        tuple(notes),
        dict(settings.accept),
        settings.schema_version_attribute,
        tuple(types.enums),
        tuple(types.classes),
    )
    return _without_hidden_words(table)


def _names(design: Design, class_name: str) -> dict[type, str]:
    """The classes' names; one that a model is written with, or that two classes have, is another in a draft."""
    names: dict[type, str] = {}
    for entity in design.entities:
        taken = {class_name, *names.values()}
        names[entity.cls] = entity.label if is_free(entity.label, taken) else name_of_class(entity.label, taken)
    return names


def _without_hidden_words(table: DraftTable) -> DraftTable:
    """The table without patterns whose parameters are called as what their bodies would have to say."""
    shapes = shape_names(table)
    kept, notes = [], list(table.notes)
    for pattern in table.patterns:
        words = words_of(body_of(pattern, subject_of(pattern, shapes), table))
        hidden = words & {each.name for each in pattern.parameters}
        if hidden:
            notes.append(f"{pattern.name} is left out: its parameter {min(hidden)} hides a word of its body.")
        else:
            kept.append(pattern)
    return replace(table, patterns=tuple(kept), notes=tuple(notes))


def _entity(entity: Entity, types: DesignTypes, notes: list[str]) -> DraftEntity:
    declared = entity.declaration
    label = types.name_of(entity.cls)
    derived = {name: _derived(each, types) for name, each in declared.derived.items()}
    unnamed = [name for name, each in derived.items() if each is None]
    if unnamed:
        notes.append(f"{label}: {', '.join(unnamed)} is a plain field here: no model can import what computes it.")
    upgrades = [DraftUpgrade(version, each.function.__name__) for version, each in sorted(entity.upgrades.items())]
    is_upgraded = all(types.function(each.function) is not None for each in entity.upgrades.values())
    if not is_upgraded:
        notes.append(f"{label}: schema version {declared.schema_version} is left out: functions without names upgrade.")
    stored = {name: attribute for name, attribute in entity.attributes.items() if attribute != name}
    fields = types.fields(entity.cls, entity.fields.values(), stored)
    fields += [DraftField(name, "str", choices=_values(declared.derived[name])) for name in unnamed]
    return DraftEntity(
        label,
        tuple(fields),
        {alias: _keys(keys) for alias, keys in declared.keys.items()},
        entity.name if entity.name != label else None,
        doc_of(entity.cls),
        declared.ttl,
        dict(declared.accept),
        {name: each for name, each in derived.items() if each is not None},
        declared.identity,
        declared.schema_version if is_upgraded else None,
        types.name_of(declared.mirror_of) if declared.mirror_of is not None else None,
        declared.version,
        declared.unique,
        tuple(
            DraftLink(types.name_of(each.source), each.by, each.fields, None, each.in_parts) for each in declared.copies
        ),
        tuple(_counted(label, declared.counted, types, notes)),
        declared.expected_bytes,
        dict(declared.expected_per_partition),
        declared.expected_items,
        {name: _cardinality(each) for name, each in declared.cardinality.items()},
        declared.access,
        tuple(upgrades) if is_upgraded else (),
    )


def _counted(label: str, counts: Iterable[Count], types: DesignTypes, notes: list[str]) -> Iterator[DraftLink]:
    for each in counts:
        owner = types.name_of(each.owner)
        try:
            link = DraftLink(owner, each.by, {}, each.field, where=with_draft_constants(each.condition, types))
            refuse_unsaid_count(link)
        except Unsaid as problem:
            notes.append(f"{label}: {owner}.{each.field} does not count it here: {problem}.")
        except DesignError as problem:
            notes.append(f"{label}: {owner}.{each.field} does not count it here: {problem.problems[0].message}.")
        else:
            yield link


def _cardinality(each: Cardinality) -> DraftCardinality:
    return DraftCardinality(each.values, None if each.hottest == 1 / each.values else each.hottest)


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


def _derived(derived: DerivedValue, types: DesignTypes) -> DraftDerived | None:
    match derived:
        case Shard():
            return DraftDerived("shard", derived.fields, derived.of)
        case Bucket():
            return DraftDerived("bucket", derived.fields, derived.span)
        case GeohashCell():
            return DraftDerived("geohash", derived.fields, derived.precision)
        case FirstLetter():
            return DraftDerived("first_letter", derived.fields)
        case Depth():
            return DraftDerived("depth", derived.fields)
        case Parent():
            return DraftDerived("parent", derived.fields)
        case DerivedFunction() if types.function(derived.function) is not None:
            return DraftDerived("derive", derived.fields, None, derived.function.__name__, derived.values)
        case _:
            return None


def _values(derived: DerivedValue) -> tuple[str, ...]:
    """Every text that a function can make, when it says them."""
    return tuple(derived.values or ()) if isinstance(derived, DerivedFunction) else ()


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
