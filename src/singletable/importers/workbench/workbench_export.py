"""NoSQL Workbench model, format 3.0: tables, indexes, templates, and a facet with rows for each entity."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from singletable.errors import ExportRefused, KeyRefused
from singletable.importers.draft import DraftEntity, DraftIndex, DraftTable, NativeKey, Position, fields_in
from singletable.importers.draft_tree import draft_tree
from singletable.importers.live.keys_only import index_attributes
from singletable.importers.live.sampled_table import Item
from singletable.importers.python_source import declarations_source
from singletable.importers.workbench.design_draft import DesignExport, design_draft
from singletable.importers.workbench.workbench_import import OWN_SECTION
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.table_schema import TABLE, Index, KeyAttribute, no_keys
from singletable.sample_rows.generate_rows import sample_rows

VERSION = "3.0"
_DECLARED: Mapping[str, str] = {
    "int": "Number",
    "Decimal": "Number",
    "float": "Number",
    "bool": "Boolean",
    "bytes": "Buffer",
    "list[Any]": "Array",
    "list[str]": "Array",
    "tuple[str, ...]": "Array",
    "dict[str, Any]": "Object",
    "set[str]": "Set",
    "set[Decimal]": "Set",
    "set[bytes]": "Set",
}


def to_workbench(name: str, tables: Iterable[DesignExport], description: str = "") -> str:
    """Return the document, which imports as the same model; raise ExportRefused if a table has no entities.

    The description is the docstring of the module.
    """
    tables = tuple(tables)
    empty = [no_keys(table.design.name) for table in tables if not table.design.entities]
    if empty:
        raise ExportRefused("\n".join(empty))
    draft = design_draft(tables)
    sections: list[dict[str, Any]] = [{"class": each.class_name, "notes": list(each.notes)} for each in draft.tables]
    sections[0]["model"] = declarations_source(draft_tree(replace(draft, doc="")))
    rows = zip(tables, draft.tables, sections, strict=True)
    document = {
        "ModelName": name,
        "ModelMetadata": {
            "Author": "",
            "Description": description,
            "AWSService": "Amazon DynamoDB",
            "Version": VERSION,
        },
        "DataModel": [_table(*each) for each in rows],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _table(table: DesignExport, draft: DraftTable, section: Mapping[str, Any]) -> dict[str, Any]:
    design = table.design
    rows, others = _rows(table)
    types = _attribute_types([item for items in (*rows.values(), others) for item in items])
    facets = [
        _facet(design, entity, drafted, rows[entity.name])
        for entity, drafted in zip(design.entities, draft.entities, strict=True)
    ]
    document: dict[str, Any] = {
        "TableName": design.name,
        "KeyAttributes": _key_attributes(design.table),
        "NonKeyAttributes": [
            {"AttributeName": name, "AttributeType": types.get(name, "S")}
            for name in dict.fromkeys(name for facet in facets for name in facet["NonKeyAttributes"])
        ],
        "TableFacets": facets,
    }
    for member, kind in (("GlobalSecondaryIndexes", "GSI"), ("LocalSecondaryIndexes", "LSI")):
        indexes = [_index(index) for index in design.indexes.values() if index.kind == kind]
        if indexes:
            document[member] = indexes
    if others:
        document["TableData"] = others
    return document | {
        "DataAccess": {"MySql": {}},
        "BillingMode": "PAY_PER_REQUEST",
        "ModelSchema": _schema(draft, section),
    }


def _rows(table: DesignExport) -> tuple[dict[str, list[Item]], list[Item]]:
    """Return the rows of each entity, and the rows without an entity."""
    design = table.design
    if table.items is None:
        return {name: list(rows) for name, rows in sample_rows(design).items.items()}, []
    rows: dict[str, list[Item]] = {entity.name: [] for entity in design.entities}
    others: list[Item] = []
    for item in table.items:
        rows.get(_kind(design, item) or "", others).append(item)
    return rows, others


def _kind(design: Design, item: Item) -> str | None:
    """Return the entity of an item, according to its type attribute or its keys."""
    attribute = design.settings.type_attribute
    if attribute is not None and attribute in item:
        return item[attribute].get("S")
    return next((entity.name for entity in design.entities if _fits(entity, item)), None)


def _fits(entity: Entity, item: Item) -> bool:
    keys = {part.attribute: item.get(part.attribute, {}).get("S") for part in entity.base.parts}
    try:
        entity.base.decode({name: text for name, text in keys.items() if text is not None})
    except (KeyRefused, ValueError, ArithmeticError):
        return False
    return True


def _attribute_types(items: Iterable[Item]) -> dict[str, str]:
    types: dict[str, str] = {}
    for item in items:
        for name, value in item.items():
            types.setdefault(name, next(iter(value)))
    return types


def _key_attributes(index: Index) -> dict[str, Any]:
    """Return the first attribute of each key position, because Workbench supports only one.

    ModelSchema contains the others.
    """
    keys = {"PartitionKey": _key_attribute(index.partition[0])}
    return keys | ({"SortKey": _key_attribute(index.sort[0])} if index.sort else {})


def _key_attribute(attribute: KeyAttribute) -> dict[str, str]:
    return {"AttributeName": attribute.name, "AttributeType": attribute.type}


def _index(index: Index) -> dict[str, Any]:
    projection: dict[str, Any] = {"ProjectionType": index.projection.kind}
    if index.projection.kind == "INCLUDE":
        projection["NonKeyAttributes"] = list(index.projection.attributes)
    return {"IndexName": index.name, "KeyAttributes": _key_attributes(index), "Projection": projection}


def _facet(design: Design, entity: Entity, drafted: DraftEntity, rows: Sequence[Item]) -> dict[str, Any]:
    keys = drafted.keys[TABLE]
    names = design.table.key_attributes
    alias = {"PartitionKeyAlias": _alias(keys.partition, names[0])}
    if keys.sort:
        alias["SortKeyAlias"] = _alias(keys.sort, names[-1])
    marks = [design.settings.type_attribute] if design.settings.type_attribute else []
    attributes = [
        *(part.attribute for placement in entity.placements.values() for part in placement.parts),
        *marks,
        *(name for row in rows for name in row),
        *entity.attributes.values(),
    ]
    return {
        "FacetName": entity.name,
        "KeyAttributeAlias": alias,
        "TableData": list(rows),
        "NonKeyAttributes": [name for name in dict.fromkeys(attributes) if name not in names],
        "DataAccess": {"MySql": {}},
    }


def _alias(positions: tuple[Position, ...], attribute: str) -> str:
    """Return the field in a key if the key contains only one field."""
    names = fields_in(positions)
    return names[0] if len(names) == 1 else attribute


def _schema(draft: DraftTable, section: Mapping[str, Any]) -> dict[str, Any]:
    """Return indexes and models with `${}` templates for other tools, and the section that our own importer reads."""
    primary = {"hash": draft.keys[0]} | ({"sort": draft.keys[1]} if len(draft.keys) > 1 else {})
    indexes: dict[str, Any] = {"primary": primary}
    indexes |= {index.name: _declared_index(index) for index in draft.indexes}
    return {
        "indexes": indexes,
        "models": {entity.stored_name or entity.class_name: _model(draft, entity) for entity in draft.entities},
        "queries": {},
        OWN_SECTION: dict(section),
    }


def _declared_index(index: DraftIndex) -> dict[str, Any]:
    kind: dict[str, Any] = {"type": "local"} if index.kind == "LSI" else {}
    declared: dict[str, Any] = kind | {
        "hash": index.partition[0] if len(index.partition) == 1 else list(index.partition)
    }
    if index.sort:
        declared["sort"] = index.sort[0] if len(index.sort) == 1 else list(index.sort)
    return declared | {"projection": list(index.included) if index.projection == "INCLUDE" else index.projection}


def _model(draft: DraftTable, entity: DraftEntity) -> dict[str, Any]:
    model: dict[str, Any] = {}
    by_alias = {index.alias: index for index in draft.indexes}
    for alias, keys in entity.keys.items():
        index = by_alias.get(alias)
        names = draft.keys if index is None else index_attributes(index)
        for name, position in zip(names, (*keys.partition, *keys.sort), strict=False):
            if not isinstance(position, NativeKey):
                model[name] = {"type": "String", "value": re.sub(r"\{", "${", position)}
    for each in entity.fields:
        declared: dict[str, Any] = {"type": _DECLARED.get(each.type, "String")}
        if not each.optional:
            declared["required"] = True
        if each.choices:
            declared["enum"] = list(each.choices)
        model.setdefault(each.attribute or each.name, declared)
    return model
