"""Renamed fields: rename a field in the snapshot of an entity, and find fields that may have been renamed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from singletable.evolve.snapshot_records import (
    CopySnapshot,
    CountSnapshot,
    DerivedSnapshot,
    EntitySnapshot,
    FieldSnapshot,
    KeysSnapshot,
    PositionSnapshot,
)


def possible_renames(old: EntitySnapshot, new: EntitySnapshot) -> Iterator[tuple[str, str]]:
    """Yield the old and the new name of each pair of a removed and an added field of the same type.

    A field that could have several partners is in no pair.
    """
    known = {each.name for each in old.fields}
    gone = [each for each in old.fields if new.field(each.name) is None and each.name not in new.renamed_from.values()]
    added = [each for each in new.fields if each.name not in known and each.name not in new.renamed_from]
    for field in gone:
        same_type = [each for each in added if (each.type, each.optional) == (field.type, field.optional)]
        others = [each for each in gone if (each.type, each.optional) == (field.type, field.optional)]
        if len(same_type) == len(others) == 1:
            yield field.name, same_type[0].name


def with_renamed_field(entity: EntitySnapshot, before: str, after: FieldSnapshot) -> EntitySnapshot:
    """Return an entity in which a field has another name. `after` is the renamed field.

    Unique constraints keep the old name, because the keys of their markers contain it.
    """
    new = after.name

    def name(each: str) -> str:
        return new if each == before else each

    fields = [after if each.name == before else each for each in entity.fields]
    return msgspec.structs.replace(
        entity,
        fields=tuple(sorted(fields, key=lambda each: each.name)),
        keys={alias: _keys(keys, before, new) for alias, keys in entity.keys.items()},
        identity=None if entity.identity is None else tuple(map(name, entity.identity)),
        version=None if entity.version is None else name(entity.version),
        ttl=None if entity.ttl is None else name(entity.ttl),
        copies=tuple(_copy(each, before, new) for each in entity.copies),
        counted=tuple(_count(each, before, new) for each in entity.counted),
    )


def with_renamed_derived(keys: KeysSnapshot, names: Mapping[str, str]) -> KeysSnapshot:
    """Return keys in which derived values have other names."""
    for before, after in names.items():
        derived = {after if name == before else name: each for name, each in keys.derived.items()}
        keys = msgspec.structs.replace(_keys(keys, before, after), derived=derived)
    return keys


def _keys(keys: KeysSnapshot, before: str, after: str) -> KeysSnapshot:
    def position(each: PositionSnapshot) -> PositionSnapshot:
        template = each.template and re.sub(rf"\{{{re.escape(before)}(?=[:}}])", f"{{{after}", each.template)
        return msgspec.structs.replace(each, template=template, native=after if each.native == before else each.native)

    return msgspec.structs.replace(
        keys,
        partition=tuple(map(position, keys.partition)),
        sort=tuple(map(position, keys.sort)),
        derived={name: _derived(each, before, after) for name, each in keys.derived.items()},
    )


def _derived(derived: DerivedSnapshot, before: str, after: str) -> DerivedSnapshot:
    return msgspec.structs.replace(derived, fields=tuple(after if name == before else name for name in derived.fields))


def _values(mapping: Mapping[str, str], before: str, after: str) -> dict[str, str]:
    return {name: after if value == before else value for name, value in mapping.items()}


def _copy(copy: CopySnapshot, before: str, after: str) -> CopySnapshot:
    by, fields = _values(copy.by, before, after), _values(copy.fields, before, after)
    return msgspec.structs.replace(copy, by=by, fields=fields)


def _count(count: CountSnapshot, before: str, after: str) -> CountSnapshot:
    condition = None if count.condition is None else _condition(count.condition, before, after)
    return msgspec.structs.replace(count, by=_values(count.by, before, after), condition=condition)


def _condition(document: Any, before: str, after: str) -> Any:
    """Return a condition document with another field name at the start of its paths."""
    if isinstance(document, list):
        return [_condition(each, before, after) for each in document]
    if not isinstance(document, dict):
        return document
    if "Path" in document and isinstance(document["Path"], dict):
        steps = document["Path"]["steps"]
        return {"Path": {"steps": [after if steps[0] == before else steps[0], *steps[1:]]}}
    return {name: each if name == "Constant" else _condition(each, before, after) for name, each in document.items()}
