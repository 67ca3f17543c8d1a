"""The request that makes a table: CreateTable, out of its design."""

from __future__ import annotations

from typing import Any

from singletable.model.design import Design
from singletable.model.index import Index, Projection


def create_table_request(design: Design, name: str) -> dict[str, Any]:
    """What CreateTable is sent: on demand, with the keys and indexes that the design declares."""
    keys = [attribute for index in design.indexes.values() for attribute in (*index.partition, *index.sort)]
    kinds = {attribute.name: attribute.type for attribute in keys}
    request: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _key_schema(design.table),
        "AttributeDefinitions": [{"AttributeName": each, "AttributeType": kinds[each]} for each in sorted(kinds)],
    }
    for kind, member in (("GSI", "GlobalSecondaryIndexes"), ("LSI", "LocalSecondaryIndexes")):
        indexes = [index for index in design.indexes.values() if index.kind == kind]
        if indexes:
            request[member] = [
                {"IndexName": index.name, "KeySchema": _key_schema(index), "Projection": _projection(index.projection)}
                for index in indexes
            ]
    return request


def _key_schema(index: Index) -> list[dict[str, str]]:
    partition = [{"AttributeName": attribute.name, "KeyType": "HASH"} for attribute in index.partition]
    return partition + [{"AttributeName": attribute.name, "KeyType": "RANGE"} for attribute in index.sort]


def _projection(projection: Projection) -> dict[str, Any]:
    document: dict[str, Any] = {"ProjectionType": projection.kind}
    if projection.attributes:
        document["NonKeyAttributes"] = list(projection.attributes)
    return document


def no_keys(table_name: str) -> str:
    """Why nothing can be made of a table whose design has no entity yet."""
    return (
        f"{table_name} has no entity, so that nothing says what its keys are.\n"
        "  Give it one, or pick another table as MODEL:Table."
    )
