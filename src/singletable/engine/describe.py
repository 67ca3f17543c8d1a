"""A table in the words of DescribeTable."""

from __future__ import annotations

from typing import Any

from singletable.engine.definition import IndexDefinition, KeyAttribute, OnDemandCeiling, TableDefinition, Throughput


def table_description(
    definition: TableDefinition, arn: str, status: str, sizes: dict[str, tuple[int, int]]
) -> dict[str, Any]:
    """The description; `sizes` has items and bytes of the table (under "") and of each index (under its name)."""
    items, size_bytes = sizes.get("", (0, 0))
    document: dict[str, Any] = {
        "AttributeDefinitions": attribute_definitions(definition),
        "TableName": definition.name,
        "KeySchema": _key_schema((definition.partition,), (definition.sort,) if definition.sort else ()),
        "TableStatus": status,
        "CreationDateTime": definition.created_at,
        "ProvisionedThroughput": _throughput(definition.throughput),
        "TableSizeBytes": size_bytes,
        "ItemCount": items,
        "TableArn": arn,
        "TableId": definition.identifier,
        "DeletionProtectionEnabled": definition.is_protected,
    }
    if definition.billing_chosen_at is not None:
        summary: dict[str, Any] = {"BillingMode": definition.billing_mode}
        if definition.billing_mode == "PAY_PER_REQUEST":
            summary["LastUpdateToPayPerRequestDateTime"] = definition.billing_chosen_at
        document["BillingModeSummary"] = summary
    if definition.on_demand is not None:
        document["OnDemandThroughput"] = _ceiling(definition.on_demand)
    if definition.table_class is not None:
        document["TableClassSummary"] = {"TableClass": definition.table_class}
    if definition.sse_type is not None:
        document["SSEDescription"] = {"Status": "ENABLED", "SSEType": definition.sse_type}
    for kind, is_local in (("LocalSecondaryIndexes", True), ("GlobalSecondaryIndexes", False)):
        indexes = [index for index in definition.indexes if index.is_local is is_local]
        if indexes:
            document[kind] = [_index(index, arn, sizes.get(index.name, (0, 0)), status) for index in indexes]
    return document


def attribute_definitions(definition: TableDefinition) -> list[dict[str, str]]:
    """The types of the attributes that are keys of the table or of one of its indexes."""
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in sorted(definition.attribute_kinds.items())]


def _index(index: IndexDefinition, table_arn: str, size: tuple[int, int], table_status: str) -> dict[str, Any]:
    projection: dict[str, Any] = {"ProjectionType": index.projection}
    if index.included:
        projection["NonKeyAttributes"] = list(index.included)
    document = {
        "IndexName": index.name,
        "KeySchema": _key_schema(index.partition, index.sort),
        "Projection": projection,
        "IndexSizeBytes": size[1],
        "ItemCount": size[0],
        "IndexArn": f"{table_arn}/index/{index.name}",
    }
    if not index.is_local:
        document["IndexStatus"] = "CREATING" if table_status == "CREATING" else index.status
        document["ProvisionedThroughput"] = _throughput(index.throughput)
        if index.status == "CREATING":
            document["Backfilling"] = True
        if index.on_demand is not None:
            document["OnDemandThroughput"] = _ceiling(index.on_demand)
    return document


def _key_schema(partition: tuple[KeyAttribute, ...], sort: tuple[KeyAttribute, ...]) -> list[dict[str, str]]:
    return [
        {"AttributeName": attribute.name, "KeyType": key_type}
        for key_type, attributes in (("HASH", partition), ("RANGE", sort))
        for attribute in attributes
    ]


def _throughput(throughput: Throughput | None) -> dict[str, Any]:
    bought = throughput or Throughput(0, 0)
    document: dict[str, Any] = {
        "NumberOfDecreasesToday": bought.decreases_today,
        "ReadCapacityUnits": bought.read_units,
        "WriteCapacityUnits": bought.write_units,
    }
    if bought.increased_at is not None:
        document["LastIncreaseDateTime"] = bought.increased_at
    if bought.decreased_at is not None:
        document["LastDecreaseDateTime"] = bought.decreased_at
    return document


def _ceiling(ceiling: OnDemandCeiling) -> dict[str, int]:
    members = (
        ("MaxReadRequestUnits", ceiling.read_units_max),
        ("MaxWriteRequestUnits", ceiling.write_units_max),
    )
    return {member: units for member, units in members if units is not None}
