"""A table in the words of DescribeTable."""

from __future__ import annotations

from typing import Any

from singletable.engine.definition import (
    IndexDefinition,
    KeyAttribute,
    OnDemandCeiling,
    Restored,
    TableDefinition,
    TableStatus,
    Throughput,
    WarmUnits,
)
from singletable.engine.throughput_changes import decreases_today
from singletable.engine.warm_throughput import warm_units


def table_description(
    definition: TableDefinition, arn: str, status: str, sizes: dict[str, tuple[int, int]], now: float
) -> dict[str, Any]:
    """The description; `sizes` has items and bytes of the table (under "") and of each index (under its name).

    It is asked for `now` because what happened today is another day's business tomorrow.
    """
    items, size_bytes = sizes.get("", (0, 0))
    document: dict[str, Any] = {
        "AttributeDefinitions": attribute_definitions(definition),
        "TableName": definition.name,
        "KeySchema": key_schema((definition.partition,), (definition.sort,) if definition.sort else ()),
        "TableStatus": status,
        "CreationDateTime": definition.created_at,
        "ProvisionedThroughput": _throughput(definition.throughput, now),
        "TableSizeBytes": size_bytes,
        "ItemCount": items,
        "TableArn": arn,
        "TableId": definition.identifier,
        "DeletionProtectionEnabled": definition.is_protected,
    }
    if definition.billing_chosen_at is not None:
        summary: dict[str, Any] = {"BillingMode": definition.billing_mode}
        # It stays when the table has bought units again; only the answer to CreateTable is without it (captured).
        if status != "CREATING":
            summary["LastUpdateToPayPerRequestDateTime"] = definition.billing_chosen_at
        document["BillingModeSummary"] = summary
    if definition.on_demand is not None:
        document["OnDemandThroughput"] = ceiling_told(definition.on_demand)
    warm = warm_units(definition.warm, definition.billing_mode, definition.throughput)
    document.update(_warm(warm, is_told=status != "CREATING" or definition.warm != WarmUnits()))
    _add_settings(document, definition)
    local, global_ = ([each for each in definition.indexes if each.is_local is is_local] for is_local in (True, False))
    if local:
        document["LocalSecondaryIndexes"] = [_index(index, arn, sizes.get(index.name, (0, 0))) for index in local]
    if global_:
        document["GlobalSecondaryIndexes"] = [
            _index(index, arn, sizes.get(index.name, (0, 0))) | _global(index, definition, status, now)
            for index in global_
        ]
    return document


def attribute_definitions(definition: TableDefinition) -> list[dict[str, str]]:
    """The types of the attributes that are keys of the table or of one of its indexes."""
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in sorted(definition.attribute_kinds.items())]


def _add_settings(document: dict[str, Any], definition: TableDefinition) -> None:
    if definition.table_class is not None:
        summary: dict[str, Any] = {"TableClass": definition.table_class}
        if definition.table_class_changed_at is not None:
            summary["LastUpdateDateTime"] = definition.table_class_changed_at
        document["TableClassSummary"] = summary
    if definition.sse_type is not None:
        document["SSEDescription"] = {"Status": "ENABLED", "SSEType": definition.sse_type}
        if definition.kms_key_arn is not None:
            document["SSEDescription"]["KMSMasterKeyArn"] = definition.kms_key_arn
    if definition.stream is not None:
        document["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": definition.stream.view}
    if definition.latest_stream is not None:
        document["LatestStreamLabel"] = definition.latest_stream
        document["LatestStreamArn"] = f"{document['TableArn']}/stream/{definition.latest_stream}"
    if definition.restored is not None:
        document["RestoreSummary"] = _restore_summary(definition.restored, definition.status)


def _restore_summary(restored: Restored, status: TableStatus) -> dict[str, Any]:
    summary: dict[str, Any] = {"SourceTableArn": restored.table, "RestoreDateTime": restored.at}
    if restored.backup is not None:
        summary["SourceBackupArn"] = restored.backup
    return {**summary, "RestoreInProgress": status == "CREATING"}


def _index(index: IndexDefinition, table_arn: str, size: tuple[int, int]) -> dict[str, Any]:
    """What local and global indexes have in common."""
    return {
        "IndexName": index.name,
        "KeySchema": key_schema(index.partition, index.sort),
        "Projection": projection_of(index),
        "IndexSizeBytes": size[1],
        "ItemCount": size[0],
        "IndexArn": f"{table_arn}/index/{index.name}",
    }


def _global(index: IndexDefinition, table: TableDefinition, table_status: str, now: float) -> dict[str, Any]:
    document: dict[str, Any] = {
        "IndexStatus": "CREATING" if table_status == "CREATING" else index.status,
        "ProvisionedThroughput": _throughput(index.throughput, now),
    }
    if index.status == "CREATING":
        document["Backfilling"] = True
    if index.on_demand is not None:
        document["OnDemandThroughput"] = ceiling_told(index.on_demand)
    warm = warm_units(index.warm, table.billing_mode, index.throughput)
    return document | _warm(warm, is_told=document["IndexStatus"] != "CREATING" or index.warm != WarmUnits())


def _warm(warm: WarmUnits, *, is_told: bool) -> dict[str, Any]:
    """The answer that makes a table or an index has it only when the request had it (captured)."""
    if not is_told:
        return {}
    units = {"ReadUnitsPerSecond": warm.read_units, "WriteUnitsPerSecond": warm.write_units}
    return {"WarmThroughput": {**units, "Status": "ACTIVE"}}


def projection_of(index: IndexDefinition) -> dict[str, Any]:
    """What an index holds, as it is declared."""
    projection: dict[str, Any] = {"ProjectionType": index.projection}
    if index.included:
        projection["NonKeyAttributes"] = list(index.included)
    return projection


def key_schema(partition: tuple[KeyAttribute, ...], sort: tuple[KeyAttribute, ...]) -> list[dict[str, str]]:
    """A key as it is declared."""
    return [
        {"AttributeName": attribute.name, "KeyType": key_type}
        for key_type, attributes in (("HASH", partition), ("RANGE", sort))
        for attribute in attributes
    ]


def _throughput(throughput: Throughput | None, now: float) -> dict[str, Any]:
    bought = throughput or Throughput(0, 0)
    document: dict[str, Any] = {
        "NumberOfDecreasesToday": decreases_today(bought, now),
        "ReadCapacityUnits": bought.read_units,
        "WriteCapacityUnits": bought.write_units,
    }
    if bought.increased_at is not None:
        document["LastIncreaseDateTime"] = bought.increased_at
    if bought.decreased_at is not None:
        document["LastDecreaseDateTime"] = bought.decreased_at
    return document


def ceiling_told(ceiling: OnDemandCeiling) -> dict[str, int]:
    """A ceiling as it is declared."""
    members = (
        ("MaxReadRequestUnits", ceiling.read_units_max),
        ("MaxWriteRequestUnits", ceiling.write_units_max),
    )
    return {member: units for member, units in members if units is not None}
