"""Strategies for documents of NoSQL Workbench, schema.json files and OneTable schemas with every kind of part."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

WORDS = ("order", "user", "status", "city", "Total", "createdAt", "item_count", "sku", "type", "data")
ENTITIES = ("Order", "User", "line item", "Städte", "GSI", "Table", "audit-log", "order")
VALUES = st.sampled_from(["u1", "u2", "SEA", "PAID", "2026-05-01", "a b", "User:7", "x#y", "Ada"])
PROJECTIONS = st.sampled_from(["ALL", "KEYS_ONLY", "INCLUDE"])


def names(of: tuple[str, ...], least: int, most: int) -> st.SearchStrategy[list[str]]:
    """Return some of the names in any order, without repetition."""
    return st.lists(st.sampled_from(of), min_size=least, max_size=most, unique=True)


@st.composite
def workbench_documents(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a document: tables with indexes, and rows in the table, in facets, or none."""
    tables = [draw(_workbench_tables(name)) for name in draw(names(("Shop", "audit", "T-1"), 1, 2))]
    return {"ModelName": "M", "ModelMetadata": {"Version": "3.0"}, "DataModel": tables}


@st.composite
def _workbench_tables(draw: st.DrawFn, name: str) -> dict[str, Any]:
    has_sort = draw(st.booleans())
    keys = draw(st.sampled_from([("PK", "SK"), ("owner", "date"), ("pk", "sk")]))[: 2 if has_sort else 1]
    attributes = draw(names(WORDS, 1, 6))
    indexes = [
        {
            "IndexName": f"GSI-{number}",
            "KeyAttributes": _workbench_keys((f"GSI{number}PK", draw(st.sampled_from(attributes)))),
            "Projection": {"ProjectionType": kind, **({"NonKeyAttributes": attributes} if kind == "INCLUDE" else {})},
        }
        for number in range(draw(st.integers(0, 2)))
        for kind in [draw(PROJECTIONS)]
    ]
    in_index = [f"GSI{number}PK" for number in range(len(indexes))]
    table: dict[str, Any] = {
        "TableName": name,
        "KeyAttributes": _workbench_keys(keys),
        "NonKeyAttributes": [{"AttributeName": each, "AttributeType": "S"} for each in (*attributes, "unusedOne")],
        "GlobalSecondaryIndexes": indexes,
    }
    prefix = draw(st.sampled_from(["", "USER#", "Room:"]))
    rows = draw(st.lists(_rows(keys, (*attributes, *in_index), prefix), max_size=6))
    match draw(st.sampled_from(["table", "facets", "schema"])):
        case "table":
            table["TableData"] = rows
        case "facets":
            table["TableFacets"] = [
                {"FacetName": facet, "NonKeyAttributes": attributes, "TableData": rows[place::2]}
                for place, facet in enumerate(draw(names(ENTITIES[:4], 2, 2)))
            ]
        case _:
            models = {
                model: {"type": {"type": "String"}, keys[0]: {"value": "M#${id}"}, "id": {"type": "String"}}
                for model in draw(names(ENTITIES[:4], 1, 3))
            }
            table |= {"TableData": rows, "ModelSchema": {"models": models, "queries": {"find all": {}}}}
            table["SavedQuery"] = {"recent ones": {"PK": "u1"}}
    return table


def _workbench_keys(attributes: tuple[str, ...]) -> dict[str, Any]:
    kinds = ("PartitionKey", "SortKey")
    return {kind: {"AttributeName": name, "AttributeType": "S"} for kind, name in zip(kinds, attributes, strict=False)}


@st.composite
def _rows(draw: st.DrawFn, keys: tuple[str, ...], attributes: tuple[str, ...], prefix: str) -> dict[str, Any]:
    row = {name: {"S": prefix + draw(VALUES)} for name in keys}
    for name in draw(names(attributes, 0, len(attributes))):
        row[name] = {"S": draw(VALUES)}
    return row


@st.composite
def onetable_schemas(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a schema: models with value templates, mapped properties, and indexes that not every model is in."""
    indexes: dict[str, Any] = {"primary": {"hash": "pk", "sort": "sk"}}
    for number in range(draw(st.integers(0, 2))):
        projected = draw(st.sampled_from(["all", "keys", ["pk", "sk", "status", "city"]]))
        indexes[f"gs{number}"] = {"hash": f"gs{number}pk", "sort": f"gs{number}sk", "project": projected}
    models: dict[str, Any] = {}
    for model in draw(names(ENTITIES[:4], 1, 3)):
        fields: dict[str, Any] = {
            "pk": {"type": "String", "value": draw(st.sampled_from(["${_type}#${id}", "user#${owner}", "all#"]))},
            "sk": {"type": "String", "value": draw(st.sampled_from(["${_type}#", "${_type}#${id}", "A#${a}${b}"]))},
            "id": {"type": "String", "generate": "ulid"},
        }
        for name in draw(names(WORDS, 0, 5)):
            fields[name] = {
                "type": draw(st.sampled_from(["String", "Number", "Date", "Boolean", "Object", "Array", "Set"])),
                **draw(st.sampled_from([{}, {"required": True}, {"map": f"x{name}"}, {"map": f"data.{name}"}])),
            }
        for index in indexes:
            for key in ("pk", "sk") if index != "primary" else ():
                if draw(st.integers(0, 2)):
                    value = draw(st.sampled_from(["${_type}#${id}", "all#", "${a}${b}"]))
                    fields[f"{index}{key}"] = {"type": "String", "value": value}
        models[model] = fields
    return {"format": "onetable:1.1.0", "version": "0.0.1", "indexes": indexes, "models": models}


@st.composite
def schema_json_documents(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a document of one table: entities with patterns of every operation, also such that no request serves."""
    indexes: list[dict[str, Any]] = [
        {
            "name": f"Index{number}",
            "partition_key": f"i{number}pk",
            "sort_key": f"i{number}sk",
            "projection": kind,
            **({"included_attributes": ["status"]} if kind == "INCLUDE" else {}),
        }
        for number in range(draw(st.integers(0, 2)))
        for kind in [draw(PROJECTIONS)]
    ]
    entities: dict[str, Any] = {}
    for entity in draw(names(("Order", "User", "Invoice"), 1, 3)):
        fields = ["id", "owner", "status", *draw(names(("city", "total", "createdAt"), 0, 3))]
        mapped = draw(names(tuple(index["name"] for index in indexes), 0, 2)) if indexes else []
        entities[entity] = {
            "entity_type": entity.upper(),
            "pk_template": draw(st.sampled_from(["OWNER#{owner}", f"{entity}#{{id}}"])),
            "sk_template": f"{entity}#{{id}}",
            "fields": [{"name": name, "type": "string", "required": draw(st.booleans())} for name in fields],
            "gsi_mappings": [
                {"name": name, "pk_template": "STATUS#{status}", "sk_template": "{id}"} for name in mapped
            ],
            "access_patterns": [],
        }
        entities[entity]["fields"][0]["required"] = entities[entity]["fields"][1]["required"] = True
    document: dict[str, Any] = {
        "tables": [
            {
                "table_config": {"table_name": "Shop", "partition_key": "pk", "sort_key": "sk"},
                "gsi_list": indexes,
                "entities": entities,
            }
        ]
    }
    number = 0
    for name, entity in entities.items():
        for operation in draw(st.lists(st.sampled_from(_OPERATIONS), max_size=4)):
            number += 1
            entity["access_patterns"].append(draw(_patterns(number, name, operation, entity)))
    return document


_OPERATIONS = ("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "Scan")


@st.composite
def _patterns(draw: st.DrawFn, number: int, entity: str, operation: str, document: dict[str, Any]) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = [
        {"name": name, "type": "string"} for name in draw(names(("id", "owner", "status", "limit"), 1, 4))
    ]
    if operation == "PutItem":
        parameters = [{"name": entity.lower(), "type": "entity", "entity_type": entity}]
    pattern: dict[str, Any] = {
        "pattern_id": number,
        "name": f"{operation.lower()}_{number}",
        "description": f"{operation} of {entity}",
        "operation": operation,
        "parameters": parameters,
        "return_type": "entity_list" if operation in ("Query", "Scan") else "single_entity",
    }
    for each in document["gsi_mappings"][:1] if operation == "Query" else ():
        pattern |= draw(st.sampled_from([{}, {"index_name": each["name"]}]))
    return pattern
