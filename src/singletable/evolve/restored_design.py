"""Restores a design from a snapshot, with generated classes. It can compute keys without the user's code."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import field, make_dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from singletable.errors import KeyRefused, Location, SnapshotRefused
from singletable.evolve.design_snapshot import COMPUTED, DERIVED_KINDS, FUNCTION
from singletable.evolve.field_types import type_of
from singletable.evolve.snapshot_records import (
    CopySnapshot,
    CountSnapshot,
    DerivedSnapshot,
    EntitySnapshot,
    FieldSnapshot,
    IndexSnapshot,
    KeysSnapshot,
    PositionSnapshot,
    Snapshot,
)
from singletable.expressions import tree
from singletable.model.derived.derived_function import DerivedFunction
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.derived_data import Copy, Count
from singletable.model.design import Design, compile_declarations
from singletable.model.entity import EntityDeclaration
from singletable.model.fields import DefaultFactory, Field
from singletable.model.schema_upgrades import MARK, Upgrade
from singletable.model.table_schema import GSI, LSI, TABLE, IndexProjection, Native, Sparse, TableSettings, sparse

PLACE = Location("snapshot", 1)
Functions = Mapping[str, Callable[..., str]]
"""The user's functions for `derive()`, by name. A snapshot stores only their names."""
Upgrades = Mapping[tuple[str, int], Callable[[Any], Mapping[str, Any]]]
"""The user's `@upgrade` functions, by entity and the version from which they start."""


def design_of(snapshot: Snapshot, functions: Functions | None = None, upgrades: Upgrades | None = None) -> Design:
    """Return the design of a snapshot, without patterns.

    If a key needs a user function that is not in `functions`, computing the key raises KeyRefused.
    """
    classes = {name: _class(entity, upgrades or {}) for name, entity in snapshot.entities.items()}
    declarations = [_declaration(each, classes, functions or {}) for each in snapshot.entities.values()]
    indexes = [index_of(each) for alias, each in snapshot.indexes.items() if alias != TABLE]
    settings = TableSettings(
        snapshot.name,
        PLACE,
        _key_names(snapshot.indexes[TABLE]),
        indexes,
        snapshot.type_attribute,
        snapshot.schema_version_attribute,
        snapshot.ttl_attribute,
        snapshot.delimiter,
        control_table=snapshot.control_table,
    )
    return compile_declarations(settings, declarations, [])


def _key_names(table: IndexSnapshot) -> Any:
    return tuple(side[0].name for side in (table.partition, table.sort) if side)


def index_of(record: IndexSnapshot) -> GSI | LSI:
    """Return an index as `indexes=` of a table takes it."""
    projection = IndexProjection(record.projection, record.included)
    if record.kind == "LSI":
        return LSI(record.alias, record.name, record.sort[0].name, projection)
    if record.is_inverse:
        return GSI(record.alias, record.name, None, projection, is_inverse=True)
    sides = [tuple(each.name for each in side) for side in (record.partition, record.sort) if side]
    keys: Any = tuple(side[0] if len(side) == 1 else side for side in sides)
    return GSI(record.alias, record.name, keys, projection)


def _class(entity: EntitySnapshot, upgrades: Upgrades) -> type:
    """Return a class with the fields of an entity. It has upgrade functions, because a schema version needs them."""
    members: list[Any] = []
    for each in entity.fields:
        found = _field(each)
        value = None if each.default == COMPUTED else found.default
        default = () if each.required else (field(default_factory=partial(_same, value)),)
        members.append((each.name, found.type | None if each.optional else found.type, *default))
    cls = make_dataclass(entity.label, members, kw_only=True)
    known = {
        version: Upgrade(upgrades.get((entity.name, version), _no_upgrade), version, PLACE)
        for version in range(1, entity.schema_version or 1)
    }
    setattr(cls, MARK, known)
    return cls


def _same(value: Any) -> Any:
    return value


def _no_upgrade(item: Any) -> Mapping[str, Any]:
    raise SnapshotRefused("a snapshot does not contain upgrade functions; use the model to read older items")


def _field(record: FieldSnapshot) -> Field:
    default: Any = None
    if not record.required:
        default = DefaultFactory() if record.default == COMPUTED else _default(record)
    return Field(record.name, type_of(record.type), record.optional, record.required, True, default)


def _default(record: FieldSnapshot) -> Any:
    kinds = {"set": set, "frozenset": frozenset}
    document = record.type if isinstance(record.type, str) else next(iter(record.type))
    if record.default == {"L": []} and document in kinds:
        return kinds[document]()
    return plain(record.default)


def _declaration(entity: EntitySnapshot, classes: Mapping[str, type], functions: Functions) -> EntityDeclaration:
    derived = {
        name: derived_of(each, functions) for keys in entity.keys.values() for name, each in keys.derived.items()
    }
    return EntityDeclaration(
        cls=classes[entity.name],
        name=entity.name,
        location=PLACE,
        fields={each.name: _field(each) for each in entity.fields},
        keys={alias: keys_of(alias, each) for alias, each in entity.keys.items()},
        attributes={each.name: each.attribute for each in entity.fields},
        derived=derived,
        identity=entity.identity,
        schema_version=entity.schema_version,
        version=entity.version,
        ttl=entity.ttl,
        copies=tuple(copy_of(each, classes) for each in entity.copies),
        counted=tuple(count_of(each, classes) for each in entity.counted),
        unique=entity.unique,
        mirror_of=None if entity.mirror_of is None else classes[entity.mirror_of],
        expected_bytes=entity.expected_bytes,
        expected_items=entity.expected_items,
        expected_per_partition={},
        cardinality={},
        access=None,
        accept={},
        renamed_from=entity.renamed_from,
        split_from=entity.split_from,
        merged_from=entity.merged_from,
    )


def keys_of(alias: str, record: KeysSnapshot) -> Any:
    """Return the keys of an entity in an index as `@entity` takes them."""
    sides = [tuple(_position(each) for each in side) for side in (record.partition, record.sort) if side]
    keys = tuple(side[0] if len(side) == 1 else side for side in sides)
    if record.sparse:
        return Sparse(keys) if len(keys) != 2 else sparse(*keys)
    return keys


def _position(record: PositionSnapshot) -> str | Native:
    return record.template if record.template is not None else Native(record.native or "", record.format)


def derived_of(record: DerivedSnapshot, functions: Functions) -> DerivedValue:
    """Return a derived value, with the user's function if it needs one."""
    if record.kind in DERIVED_KINDS:
        return DERIVED_KINDS[record.kind][0](record.fields, **record.options)
    name = record.options.get("function", "")

    def missing(*values: Any) -> str:
        raise KeyRefused(
            f"the key needs the function {name}, which the snapshot does not contain; use the model "
            "instead of the snapshot"
        )

    missing.__qualname__ = name
    values = record.options.get("values")
    function = functions.get(name, missing) if record.kind == FUNCTION else missing
    return DerivedFunction(record.fields, function, None if values is None else tuple(values))


def copy_of(record: CopySnapshot, classes: Mapping[str, type]) -> Copy:
    """Return a copy, given the classes of the entities by name."""
    return Copy(classes[record.source], record.by, record.fields)


def count_of(record: CountSnapshot, classes: Mapping[str, type]) -> Count:
    """Return a counter, given the classes of the entities by name."""
    condition = None if record.condition is None else _condition(record.condition)
    return Count(classes[record.owner], record.by, record.field, None, condition, "fields")


_NODES: Mapping[str, Any] = {
    each.__name__: each
    for each in (tree.Path, tree.Function, tree.Compare, tree.BetweenBounds, tree.In, tree.And, tree.Or, tree.Not)
}


def _condition(document: Any) -> Any:
    if isinstance(document, list):
        return tuple(_condition(each) for each in document)
    if not isinstance(document, dict):
        return document
    ((name, content),) = document.items()
    if name == "Constant":
        return tree.Constant(plain(content))
    if name not in _NODES:
        raise SnapshotRefused(
            f"the snapshot contains the unknown condition {name!r}; a newer release has written it; "
            "install that release"
        )
    return _NODES[name](**{member: _condition(each) for member, each in content.items()})


def plain(value: Mapping[str, Any]) -> Any:
    """Return a value in DynamoDB JSON as the closest Python value."""
    ((kind, content),) = value.items()
    match kind:
        case "NULL":
            return None
        case "N":
            return Decimal(content) if "." in content else int(content)
        case "B":
            return base64.b64decode(content)
        case "L":
            return [plain(each) for each in content]
        case "M":
            return {name: plain(each) for name, each in content.items()}
        case "SS" | "NS" | "BS":
            return {plain({kind[0]: each}) for each in content}
        case _:
            return content
