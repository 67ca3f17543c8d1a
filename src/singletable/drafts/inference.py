"""A draft of a table that exists, told from its description and some of its items."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from singletable.drafts.closed_sets import closed_set_notes, closed_sets
from singletable.drafts.clusters import Cluster, clusters_of
from singletable.drafts.draft import (
    DraftEntity,
    DraftField,
    DraftIndex,
    DraftKeys,
    DraftTable,
    FieldType,
    NativeKey,
    Position,
)
from singletable.drafts.identifiers import class_identifier, field_identifier
from singletable.drafts.item_fields import Fields
from singletable.drafts.keys_alone import table_of_keys
from singletable.drafts.literals import DELIMITER, is_key_name
from singletable.drafts.overlaps import accepted_overlaps
from singletable.drafts.proposals import fields_in, identity_of, proposed_patterns
from singletable.drafts.seen_items import SeenIndex, SeenTable
from singletable.drafts.templates import declared_template, template_of
from singletable.drafts.value_types import type_of
from singletable.model.table_schema import TABLE

SCHEMA_VERSION = "schema_v"
"""The attribute in which our own writes keep the version of an item's schema."""
RAW_REASON = "the keys were written by others, with their text as it is"


def inferred_table(table: SeenTable) -> DraftTable:
    """Entities by their type or their keys, templates by what varies in them, types by the values that were seen."""
    aliases = index_aliases(table.indexes)
    indexes = tuple(seen_index(index, alias) for index, alias in aliases.items())
    if not table.items:
        return proposed_patterns(table_of_keys(table, indexes))
    attribute, clusters = clusters_of(table)
    entities: list[DraftEntity] = []
    notes: list[str] = []
    for cluster in clusters:
        entities.append(_entity(table, cluster, attribute, aliases, [entity.class_name for entity in entities]))
    entities = accepted_overlaps(entities)
    names = [entity.class_name for entity in entities]
    used = tuple(index for index in indexes if any(index.alias in entity.keys for entity in entities))
    notes += [
        f"{index.name} is in the table, and none of the items that were seen is in it."
        for index in indexes
        if index not in used
    ]
    notes += [
        f"{entity.class_name}.{SCHEMA_VERSION} is a field, for want of the functions that upgrade older items: "
        "declare them with @upgrade, and schema_version= in its place."
        for entity in entities
        if any((field.attribute or field.name) == SCHEMA_VERSION for field in entity.fields)
    ]
    notes += closed_set_notes(entities, [len(cluster.items) for cluster in clusters])
    draft = DraftTable(
        class_identifier(table.name, names),
        table.name,
        tuple(entities),
        table.keys,
        used,
        (),
        attribute,
        table.ttl_attribute if not any(entity.ttl for entity in entities) else None,
        doc=f"{table.name}, as {len(table.items)} of its items show it.",
        notes=tuple(notes),
    )
    return proposed_patterns(draft)


def index_aliases(indexes: tuple[SeenIndex, ...]) -> dict[SeenIndex, str]:
    """A keyword for each index: `gsi1` for GSI1, else its name as Python writes names."""
    taken: list[str] = [TABLE, "name", "attributes", "ttl", "accept", "derived", "identity"]
    found: dict[SeenIndex, str] = {}
    for index in indexes:
        alias = field_identifier(index.name.replace("-", "_"), taken)
        plain = index.name.lower()
        found[index] = plain if plain.isidentifier() and plain.upper() == index.name and plain not in taken else alias
        taken.append(found[index])
    return found


def seen_index(index: SeenIndex, alias: str) -> DraftIndex:
    """An index of a draft, as it was seen."""
    return DraftIndex(alias, index.name, index.kind, index.partition, index.sort, index.projection, index.included)


def _entity(
    table: SeenTable, cluster: Cluster, attribute: str | None, aliases: Mapping[SeenIndex, str], taken: list[str]
) -> DraftEntity:
    name = class_identifier(cluster.name, taken)
    key_names = {*table.keys, *(each for index in table.indexes for each in (*index.partition, *index.sort))}
    version = _schema_version(cluster)
    marks = {attribute} if attribute else set()
    fields = _fields(cluster, marks | ({SCHEMA_VERSION} if version is not None else set()), key_names)
    keys = {TABLE: _keys(table, fields, cluster)}
    for index, alias in aliases.items():
        placed = _placed(table, fields, cluster, index)
        if placed is not None:
            keys[alias] = placed
    keys = closed_sets(table, cluster.name, fields, keys, aliases)
    expires = [each for each in fields.by_name.values() if (each.attribute or each.name) == table.ttl_attribute]
    ttl = expires[0].name if expires else None
    return DraftEntity(
        name,
        tuple(fields.by_name.values()),
        keys,
        cluster.name if attribute is not None else None,
        f"{name}, as {len(cluster.items)} items show it.",
        ttl if ttl is not None and fields.by_name[ttl].type == "int" else None,
        {"ST107": RAW_REASON} if fields.raw else {},
        dict(fields.derived),
        identity=identity_of(name, fields.by_name, keys[TABLE]),
        schema_version=version,
    )


def _schema_version(cluster: Cluster) -> int | None:
    """The first version, if every item says it has it; a later one needs functions that no items can tell."""
    return 1 if all(item.get(SCHEMA_VERSION) == {"N": "1"} for item in cluster.items) else None


def _fields(cluster: Cluster, left_out: set[str], key_names: set[str]) -> Fields:
    """The attributes that are no key, as fields; a key that is no text, or no template, is one too."""
    attributes = dict.fromkeys(name for item in cluster.items for name in item)
    by_name: dict[str, DraftField] = {}
    values: dict[str, list[Any]] = {}
    for attribute in attributes:
        if attribute in left_out or (attribute in key_names and _is_composed(cluster, attribute)):
            continue
        seen = [item[attribute] for item in cluster.items if attribute in item]
        kind = type_of(seen)
        optional = len(seen) < len(cluster.items) or any("NULL" in value for value in seen)
        name = field_identifier(attribute, by_name)
        by_name[name] = DraftField(name, kind, optional, None if name == attribute else attribute)
        values[name] = [_python(kind, item.get(attribute)) for item in cluster.items]
    return Fields(by_name, values, attributes=frozenset((*attributes, *left_out, *key_names)))


def _is_composed(cluster: Cluster, attribute: str) -> bool:
    """Whether a key attribute is text made of parts, or of what other attributes hold."""
    texts = [item[attribute].get("S") for item in cluster.items if attribute in item]
    if any(text is None for text in texts):
        return False
    return is_key_name(attribute) or any(DELIMITER in str(text) for text in texts)


def _python(kind: FieldType, value: Mapping[str, Any] | None) -> Any:
    """A value as Python has it, as far as templates can be made of it."""
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


def _keys(table: SeenTable, fields: Fields, cluster: Cluster) -> DraftKeys:
    indices = list(range(len(cluster.items)))
    positions = tuple(_position(table, fields, cluster, name, indices) for name in table.keys)
    return DraftKeys(positions[:1], positions[1:])


def _placed(table: SeenTable, fields: Fields, cluster: Cluster, index: SeenIndex) -> DraftKeys | None:
    """The keys of an index that some of the items are in; sparse when others are not."""
    names = (*index.partition, *index.sort) if index.kind == "GSI" else index.sort
    inside = [place for place, item in enumerate(cluster.items) if all(name in item for name in names)]
    if not inside:
        return _never_inside(fields, index)
    is_sparse = len(inside) < len(cluster.items)
    positions = _told(table, fields, cluster, index, inside) if is_sparse else None
    if positions is None:
        if is_sparse:
            _add_natives(fields, cluster, names)
        positions = {name: _position(table, fields, cluster, name, inside) for name in (*index.partition, *index.sort)}
        if is_sparse and not _keeps_out(fields, tuple(positions.values()), inside, len(cluster.items)):
            return None
    partition = tuple(positions[name] for name in index.partition)
    sort = tuple(positions[name] for name in index.sort)
    if index.kind == "LSI":
        return DraftKeys(sort, (), is_sparse)
    return DraftKeys(partition, sort, is_sparse)


def _never_inside(fields: Fields, index: SeenIndex) -> DraftKeys | None:
    """The keys of an index of which every attribute is a field of some items, and all of them are of none.

    An item with all of them would be in the index, so that an entity that can have them is declared to be.
    """
    stored = {each.attribute or each.name: each.name for each in fields.by_name.values()}
    if index.kind == "LSI" or not all(name in stored for name in (*index.partition, *index.sort)):
        return None
    partition = tuple(NativeKey(stored[name]) for name in index.partition)
    return DraftKeys(partition, tuple(NativeKey(stored[name]) for name in index.sort), sparse=True)


def _told(
    table: SeenTable, fields: Fields, cluster: Cluster, index: SeenIndex, inside: list[int]
) -> dict[str, Position] | None:
    """The keys of a sparse index, if attributes say which items are in it; else None, and the fields as they were."""
    own = [name for name in (*index.partition, *index.sort) if name not in table.keys]
    is_partly_in = any(name in item for place, item in enumerate(cluster.items) if place not in inside for name in own)
    before = fields.kept()
    fields.favoured = _only_inside(fields, inside)
    names = (*index.partition, *index.sort)
    positions = {name: _position(table, fields, cluster, name, inside) for name in names}
    fields.favoured = frozenset()
    held = {name for name in fields_in(tuple(positions.values())) if name not in before.by_name}
    # A field that only these keys hold would be lost when an item is read and written again.
    if (
        is_partly_in
        or held & fields.key_only
        or not _keeps_out(fields, tuple(positions.values()), inside, len(cluster.items))
    ):
        fields.restore(before)
        return None
    return positions


def _add_natives(fields: Fields, cluster: Cluster, names: tuple[str, ...]) -> None:
    """Key attributes that nothing else explains are fields themselves."""
    stored = {each.attribute or each.name for each in fields.by_name.values()}
    for attribute in names:
        if attribute not in fields.templates and attribute not in stored:
            seen = [item.get(attribute) for item in cluster.items]
            name = field_identifier(attribute, (*fields.by_name, *fields.derived))
            fields.by_name[name] = DraftField(name, "str", None in seen, None if name == attribute else attribute)
            fields.values[name] = [None if value is None else value["S"] for value in seen]


def _only_inside(fields: Fields, inside: list[int]) -> frozenset[str]:
    """The fields that the items of an index have, and none of the others."""
    return frozenset(
        name
        for name, values in fields.values.items()
        if all((value is not None) == (place in inside) for place, value in enumerate(values))
    )


def _keeps_out(fields: Fields, positions: tuple[Position, ...], inside: list[int], count: int) -> bool:
    """Whether every item that is not in the index lacks a field that its keys are made of."""
    names = [name for name in fields_in(positions) if name in fields.values]
    return all(
        any(len(fields.values[name]) <= place or fields.values[name][place] is None for name in names)
        for place in range(count)
        if place not in inside
    )


def _position(table: SeenTable, fields: Fields, cluster: Cluster, attribute: str, indices: list[int]) -> Position:
    for known in fields.by_name.values():
        if (known.attribute or known.name) == attribute:
            return NativeKey(known.name)
    if attribute not in fields.templates:
        texts = [str(cluster.items[place][attribute]["S"]) for place in indices]
        declared = table.templates.get(cluster.name, {}).get(attribute)
        found = None if declared is None else declared_template(fields, declared, texts, indices)
        fields.templates[attribute] = found or template_of(fields, attribute, texts, indices)
    return fields.templates[attribute]
