"""Builds TableDescription, the response to DescribeTable, including the item counts."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from singletable.engine.storage.store import Store
from singletable.engine.tables.stored_table import StoredTable
from singletable.engine.tables.table_definition import (
    IndexDefinition,
    KeyElement,
    OnDemandCeiling,
    RestoreOrigin,
    TableDefinition,
    TableStatus,
    Throughput,
    WarmUnits,
)
from singletable.engine.tables.throughput import decreases_today, warm_units


def table_description(
    definition: TableDefinition, arn: str, status: str, sizes: dict[str, tuple[int, int]], now: float
) -> dict[str, Any]:
    """Return the description of a table.

    `sizes` maps each index name, and "" for the table itself, to the number of items and bytes. `now` determines
    NumberOfDecreasesToday.
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
        # This date remains when the table is switched back to PROVISIONED. Only CreateTable omits it (captured from
        # AWS).
        if status != "CREATING":
            summary["LastUpdateToPayPerRequestDateTime"] = definition.billing_chosen_at
        document["BillingModeSummary"] = summary
    if definition.on_demand is not None:
        document["OnDemandThroughput"] = ceiling_description(definition.on_demand)
    warm = warm_units(definition.warm, definition.billing_mode, definition.throughput)
    document.update(_warm(warm, is_shown=status != "CREATING" or definition.warm != WarmUnits()))
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
    """Return AttributeDefinitions: the key attributes of the table and its indexes."""
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


def _restore_summary(restored: RestoreOrigin, status: TableStatus) -> dict[str, Any]:
    summary: dict[str, Any] = {"SourceTableArn": restored.table, "RestoreDateTime": restored.at}
    if restored.backup is not None:
        summary["SourceBackupArn"] = restored.backup
    return {**summary, "RestoreInProgress": status == "CREATING"}


def _index(index: IndexDefinition, table_arn: str, size: tuple[int, int]) -> dict[str, Any]:
    """Return the description members that local and global indexes have in common."""
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
        document["OnDemandThroughput"] = ceiling_description(index.on_demand)
    warm = warm_units(index.warm, table.billing_mode, index.throughput)
    return document | _warm(warm, is_shown=document["IndexStatus"] != "CREATING" or index.warm != WarmUnits())


def _warm(warm: WarmUnits, *, is_shown: bool) -> dict[str, Any]:
    """Return WarmThroughput. A create response includes it only if the request specified it (captured from AWS)."""
    if not is_shown:
        return {}
    units = {"ReadUnitsPerSecond": warm.read_units, "WriteUnitsPerSecond": warm.write_units}
    return {"WarmThroughput": {**units, "Status": "ACTIVE"}}


def projection_of(index: IndexDefinition) -> dict[str, Any]:
    """Return the Projection of an index."""
    projection: dict[str, Any] = {"ProjectionType": index.projection}
    if index.included:
        projection["NonKeyAttributes"] = list(index.included)
    return projection


def key_schema(partition: tuple[KeyElement, ...], sort: tuple[KeyElement, ...]) -> list[dict[str, str]]:
    """Return the KeySchema of a key."""
    return [
        {"AttributeName": attribute.name, "KeyType": key_type}
        for key_type, attributes in (("HASH", partition), ("RANGE", sort))
        for attribute in attributes
    ]


def _throughput(throughput: Throughput | None, now: float) -> dict[str, Any]:
    units = throughput or Throughput(0, 0)
    document: dict[str, Any] = {
        "NumberOfDecreasesToday": decreases_today(units, now),
        "ReadCapacityUnits": units.read_units,
        "WriteCapacityUnits": units.write_units,
    }
    if units.increased_at is not None:
        document["LastIncreaseDateTime"] = units.increased_at
    if units.decreased_at is not None:
        document["LastDecreaseDateTime"] = units.decreased_at
    return document


def ceiling_description(ceiling: OnDemandCeiling) -> dict[str, int]:
    """Return the OnDemandThroughput of a table or index."""
    members = (
        ("MaxReadRequestUnits", ceiling.read_units_max),
        ("MaxWriteRequestUnits", ceiling.write_units_max),
    )
    return {member: units for member, units in members if units is not None}


# DynamoDB updates item counts about every six hours. The engine counts the items of a small table at every request, so
# that a new item appears in the count at once. It counts larger tables less often, so that counting takes at most this
# share of the time.
SMALL_ENTRIES = 10_000
COUNTING_SHARE = 0.01


class _Counted(NamedTuple):
    table: StoredTable
    sizes: dict[str, tuple[int, int]]
    at: float
    took: float


class TableSizes:
    """Cached item counts and sizes of tables and indexes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._counted: dict[str, _Counted] = {}

    def of(self, table: StoredTable) -> dict[str, tuple[int, int]]:
        """Return the number of items and bytes of each index, by index name, and of the table, under the name ""."""
        counted = self._counted.get(table.name)
        if counted is None or counted.table is not table or self._is_due(counted):
            counted = self._count(table)
            self._counted[table.name] = counted
        return counted.sizes

    def _is_due(self, counted: _Counted) -> bool:
        if sum(entries for entries, _ in counted.sizes.values()) < SMALL_ENTRIES:
            return True
        return time.monotonic() - counted.at > counted.took / COUNTING_SHARE

    def _count(self, table: StoredTable) -> _Counted:
        started = time.monotonic()
        with self._store.snapshot() as connection:
            sizes = {"": table.tree.count(connection)}
            sizes.update({index.name: index.tree.count(connection) for index in table.indexes})
        now = time.monotonic()
        return _Counted(table, sizes, now, now - started)
