"""A model as a document of NoSQL Workbench, format 3.0: tables, indexes, templates, a facet of rows for each entity."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.drafts.draft import DraftEntity, DraftIndex, DraftTable, NativeKey, Position
from singletable.drafts.draft_values import to_values
from singletable.drafts.from_design import draft_of
from singletable.drafts.proposals import fields_in
from singletable.drafts.seen_items import Item
from singletable.drafts.workbench import OWN_SECTION
from singletable.errors import ExportRefused, KeyRefused
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


@dataclass(frozen=True)
class ExportedModel:
    """A table's design, with the class and the docstring it has in Python, and rows if they are not to be made up."""

    design: Design
    class_name: str
    doc: str = ""
    items: Sequence[Item] | None = None


def to_workbench(name: str, models: Iterable[ExportedModel], description: str = "") -> str:
    """The document; read again, it is the same model. Raises ExportRefused where a table has no keys yet.

    The description is what the model says of itself: the docstring of its module.
    """
    models = tuple(models)
    refused = [no_keys(model.design.name) for model in models if not model.design.entities]
    if refused:
        raise ExportRefused("\n".join(refused))
    document = {
        "ModelName": name,
        "ModelMetadata": {
            "Author": "",
            "Description": description,
            "AWSService": "Amazon DynamoDB",
            "Version": VERSION,
        },
        "DataModel": [_table(model) for model in models],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _table(model: ExportedModel) -> dict[str, Any]:
    design, draft = model.design, draft_of(model.design, model.class_name, model.doc)
    rows, others = _rows(model)
    types = _attribute_types([item for items in (*rows.values(), others) for item in items])
    facets = [
        _facet(design, entity, drafted, rows[entity.name])
        for entity, drafted in zip(design.entities, draft.entities, strict=True)
    ]
    table: dict[str, Any] = {
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
            table[member] = indexes
    if others:
        table["TableData"] = others
    return table | {
        "DataAccess": {"MySql": {}},
        "BillingMode": "PAY_PER_REQUEST",
        "ModelSchema": _schema(draft),
    }


def _rows(model: ExportedModel) -> tuple[dict[str, list[Item]], list[Item]]:
    """The rows of each entity, and those that are of none."""
    design = model.design
    if model.items is None:
        return {name: list(rows) for name, rows in sample_rows(design).items.items()}, []
    rows: dict[str, list[Item]] = {entity.name: [] for entity in design.entities}
    others: list[Item] = []
    for item in model.items:
        rows.get(_kind(design, item) or "", others).append(item)
    return rows, others


def _kind(design: Design, item: Item) -> str | None:
    """The entity that an item says it is, or whose keys it has."""
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
    """Workbench knows one attribute for each position; the others of a multi-attribute key are in ModelSchema."""
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
    """What a key holds, if it holds one field."""
    held = fields_in(positions)
    return held[0] if len(held) == 1 else attribute


def _schema(draft: DraftTable) -> dict[str, Any]:
    """Indexes and models with `${}` templates, as other tools write them, and the whole model for ours."""
    primary = {"hash": draft.keys[0]} | ({"sort": draft.keys[1]} if len(draft.keys) > 1 else {})
    indexes: dict[str, Any] = {"primary": primary}
    indexes |= {index.name: _declared_index(index) for index in draft.indexes}
    return {
        "indexes": indexes,
        "models": {entity.stored_name or entity.class_name: _model(draft, entity) for entity in draft.entities},
        "queries": {},
        OWN_SECTION: to_values(draft),
    }


def _declared_index(index: DraftIndex) -> dict[str, Any]:
    declared: dict[str, Any] = {"hash": index.partition[0] if len(index.partition) == 1 else list(index.partition)}
    if index.sort:
        declared["sort"] = index.sort[0] if len(index.sort) == 1 else list(index.sort)
    return declared | {"projection": list(index.included) if index.projection == "INCLUDE" else index.projection}


def _model(draft: DraftTable, entity: DraftEntity) -> dict[str, Any]:
    model: dict[str, Any] = {}
    by_alias = {index.alias: index for index in draft.indexes}
    for alias, keys in entity.keys.items():
        index = by_alias.get(alias)
        if index is None:
            names: tuple[str, ...] = draft.keys
        else:
            names = index.sort if index.kind == "LSI" else (*index.partition, *index.sort)
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
