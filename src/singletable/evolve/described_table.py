"""The design of a live table, as far as DescribeTable shows it. The snapshot has the entities of the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from singletable.evolve.snapshot_records import EntitySnapshot, IndexSnapshot, KeyAttributeSnapshot, Snapshot
from singletable.model.table_schema import TABLE


def described_snapshot(model: Snapshot, description: Mapping[str, Any], ttl_attribute: str | None) -> Snapshot:
    """Return the model with the keys, indexes and TTL of a described table.

    DescribeTable shows no entities, so the fields and templates are those of the model. An entity has keys in an index
    of the model only if the table has that index.
    """
    types = {each["AttributeName"]: each["AttributeType"] for each in description.get("AttributeDefinitions", ())}
    aliases = {each.name: alias for alias, each in model.indexes.items()}
    indexes = {TABLE: _index(TABLE, "", "table", description, types)}
    for member, kind in (("GlobalSecondaryIndexes", "GSI"), ("LocalSecondaryIndexes", "LSI")):
        for each in description.get(member) or ():
            index_name: str = each["IndexName"]
            alias = aliases.get(index_name, index_name)
            indexes[alias] = _like_model(model, _index(alias, index_name, kind, each, types))
    entities = {name: _without_keys(each, indexes) for name, each in model.entities.items()}
    indexes = dict(sorted(indexes.items()))
    return msgspec.structs.replace(model, indexes=indexes, entities=entities, ttl_attribute=ttl_attribute)


def _index(alias: str, name: str, kind: Any, description: Mapping[str, Any], types: Mapping[str, Any]) -> IndexSnapshot:
    sides: dict[str, list[KeyAttributeSnapshot]] = {"HASH": [], "RANGE": []}
    for each in description["KeySchema"]:
        name_of = each["AttributeName"]
        sides[each["KeyType"]].append(KeyAttributeSnapshot(name=name_of, type=types.get(name_of, "S")))
    projection: Mapping[str, Any] = description.get("Projection") or {"ProjectionType": "ALL"}
    return IndexSnapshot(
        alias=alias,
        name=name,
        kind=kind,
        partition=tuple(sides["HASH"]),
        sort=tuple(sides["RANGE"]),
        projection=projection["ProjectionType"],
        included=tuple(sorted(projection.get("NonKeyAttributes") or ())),
    )


def _like_model(model: Snapshot, index: IndexSnapshot) -> IndexSnapshot:
    declared = model.indexes.get(index.alias)
    return declared if declared is not None and declared.stored_form == index.stored_form else index


def _without_keys(entity: EntitySnapshot, indexes: Mapping[str, IndexSnapshot]) -> EntitySnapshot:
    keys = {alias: each for alias, each in entity.keys.items() if alias in indexes}
    return msgspec.structs.replace(entity, keys=keys)
