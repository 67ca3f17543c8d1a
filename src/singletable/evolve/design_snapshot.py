"""Snapshot of a design: the records of its table, indexes and entities, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from singletable.errors import SingletableError
from singletable.evolve.field_types import type_document
from singletable.evolve.snapshot_records import (
    FORMAT,
    CopySnapshot,
    CountSnapshot,
    DerivedSnapshot,
    EntitySnapshot,
    FieldSnapshot,
    IndexSnapshot,
    KeyAttributeSnapshot,
    KeysSnapshot,
    PositionSnapshot,
    Snapshot,
)
from singletable.expressions.tree import Constant
from singletable.model.derived.bucket import Bucket
from singletable.model.derived.derived_function import DerivedFunction
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.derived.first_letter import FirstLetter
from singletable.model.derived.geohash_cell import GeohashCell
from singletable.model.derived.shard import Shard
from singletable.model.derived.tree_path import Depth, Parent
from singletable.model.derived_data import Copy, Count
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.fields import DefaultFactory, Field
from singletable.model.keys import Placement, TemplatePart
from singletable.model.table_schema import Index, KeyAttribute, Native, Sparse
from singletable.model.type_codecs import TypeCodecs
from singletable.planner.stored_items import stored_value

COMPUTED = "computed"
_REPEATABLE_FACTORIES = (list, dict, set, frozenset, tuple)
DERIVED_KINDS: Mapping[str, tuple[type[DerivedValue], tuple[str, ...]]] = {
    "shard": (Shard, ("of",)),
    "bucket": (Bucket, ("span",)),
    "first_letter": (FirstLetter, ()),
    "geohash": (GeohashCell, ("precision",)),
    "parent": (Parent, ()),
    "depth": (Depth, ()),
}
"""The derived values that a snapshot can restore, each with its class and the attributes of its options."""
FUNCTION = "derive"


def snapshot_of(design: Design) -> Snapshot:
    """Return the snapshot of a design in which all entities have keys. Otherwise raise DesignError."""
    design.require_keys("a snapshot")
    settings = design.settings
    return Snapshot(
        format=FORMAT,
        name=settings.name,
        indexes={alias: _index(index) for alias, index in sorted(design.indexes.items())},
        entities={each.name: _entity(each) for each in sorted(design.entities, key=lambda entity: entity.name)},
        type_attribute=settings.type_attribute,
        schema_version_attribute=settings.schema_version_attribute,
        ttl_attribute=design.ttl_attribute,
        delimiter=settings.delimiter,
        control_table=settings.control_table,
    )


def _index(index: Index) -> IndexSnapshot:
    # The name of the table is not the name of an index: `open(name=...)` overrides it.
    return IndexSnapshot(
        alias=index.alias,
        name="" if index.is_table else index.name,
        kind=index.kind,
        partition=_attributes(index.partition),
        sort=_attributes(index.sort),
        projection=index.projection.kind,
        included=tuple(sorted(index.projection.attributes)),
        is_inverse=index.is_inverse,
    )


def _attributes(attributes: Iterable[KeyAttribute]) -> tuple[KeyAttributeSnapshot, ...]:
    return tuple(KeyAttributeSnapshot(name=each.name, type=each.type) for each in attributes)


def _entity(entity: Entity) -> EntitySnapshot:
    declaration = entity.declaration
    placed = {alias: each for alias, each in sorted(entity.placements.items()) if alias in declaration.keys}
    return EntitySnapshot(
        name=entity.name,
        label=entity.label,
        fields=tuple(_field(entity, entity.fields[name]) for name in sorted(entity.fields)),
        keys={alias: _keys(entity, alias, placement) for alias, placement in placed.items()},
        identity=declaration.identity,
        schema_version=declaration.schema_version,
        version=declaration.version,
        ttl=declaration.ttl,
        unique=tuple(sorted(declaration.unique)),
        copies=tuple(sorted(map(copy_snapshot, declaration.copies), key=repr)),
        counted=tuple(sorted((count_snapshot(each, declaration.codecs) for each in declaration.counted), key=repr)),
        mirror_of=None if declaration.mirror_of is None else _entity_name(declaration.mirror_of),
        renamed_from=dict(sorted(declaration.renamed_from.items())),
        split_from=_sorted_names(declaration.split_from),
        merged_from=_sorted_names(declaration.merged_from),
        expected_items=declaration.expected_items,
        expected_bytes=declaration.expected_bytes,
    )


def _field(entity: Entity, field: Field) -> FieldSnapshot:
    return FieldSnapshot(
        name=field.name,
        attribute=entity.attributes[field.name],
        type=type_document(field.type, entity.declaration.codecs),
        optional=field.optional,
        required=field.required,
        default=None if field.required else _default(entity, field),
    )


def _default(entity: Entity, field: Field) -> Any:
    value = field.default
    if isinstance(value, DefaultFactory):
        # a function such as uuid4, or the current time, has no constant result
        if value.make not in _REPEATABLE_FACTORIES:
            return COMPUTED
        value = value.make()
    if isinstance(value, set | frozenset) and not value:
        return {"L": []}
    try:
        return stored_value(value, entity.declaration.codecs)
    except SingletableError:
        return COMPUTED


def _keys(entity: Entity, alias: str, placement: Placement) -> KeysSnapshot:
    given = entity.declaration.keys[alias]
    sparse = isinstance(given, Sparse)
    given = given.keys if isinstance(given, Sparse) else given
    positions = given if isinstance(given, tuple) else (given,)
    if placement.index.kind == "LSI":
        positions = ((), positions[0])
    partition, sort = (*(_positions(each) for each in positions), ())[:2]
    names = {
        slot.name
        for part in placement.parts
        if isinstance(part, TemplatePart)
        for slot in part.template.slots
        if slot.name in entity.declaration.derived
    }
    derived = {name: derived_snapshot(entity.declaration.derived[name]) for name in sorted(names)}
    return KeysSnapshot(partition=partition, sort=sort, sparse=sparse, derived=derived)


def _positions(given: Any) -> tuple[PositionSnapshot, ...]:
    if isinstance(given, Native):
        return (PositionSnapshot(native=given.field, format=given.format),)
    if isinstance(given, str):
        return (PositionSnapshot(template=given),)
    return tuple(each for position in given for each in _positions(position))


def derived_snapshot(value: DerivedValue) -> DerivedSnapshot:
    """Return the record of a derived value."""
    if isinstance(value, DerivedFunction):
        options: dict[str, Any] = {"function": getattr(value.function, "__qualname__", repr(value.function))}
        options |= {} if value.values is None else {"values": list(value.values)}
        return DerivedSnapshot(kind=FUNCTION, fields=value.fields, options=options)
    found = next((each for each in DERIVED_KINDS.items() if type(value) is each[1][0]), None)
    if found is None:  # the value is of a subclass that the user has defined
        return DerivedSnapshot(kind=FUNCTION, fields=value.fields, options={"function": value.label})
    kind, (_, names) = found
    return DerivedSnapshot(kind=kind, fields=value.fields, options={name: getattr(value, name) for name in names})


def copy_snapshot(copy: Copy) -> CopySnapshot:
    """Return the record of a copy."""
    pairs = {"by": dict(sorted(copy.by.items())), "fields": dict(sorted(copy.fields.items()))}
    return CopySnapshot(source=_entity_name(copy.source), **pairs)


def count_snapshot(count: Count, codecs: TypeCodecs) -> CountSnapshot:
    """Return the record of a counter."""
    by, condition = dict(sorted(count.by.items())), count.condition
    shown = None if condition is None else condition_document(condition, codecs)
    return CountSnapshot(owner=_entity_name(count.owner), by=by, field=count.field, condition=shown)


def _entity_name(cls: type) -> str:
    from singletable.model.entity import declaration_of

    declared = declaration_of(cls)
    return cls.__name__ if declared is None else declared.name


def condition_document(node: Any, codecs: TypeCodecs) -> Any:
    """Return a condition as JSON: each node with its class, each constant in DynamoDB JSON."""
    if isinstance(node, Constant):
        return {"Constant": stored_value(node.value, codecs)}
    if isinstance(node, tuple):
        return [condition_document(each, codecs) for each in node]
    if is_dataclass(node):
        members = {each.name: condition_document(getattr(node, each.name), codecs) for each in fields(node)}
        return {type(node).__name__: members}
    return node


def _sorted_names(entities: Mapping[str, Mapping[str, str]]) -> Mapping[str, Mapping[str, str]]:
    return {name: dict(sorted(fields.items())) for name, fields in sorted(entities.items())}
