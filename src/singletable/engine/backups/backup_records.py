"""Backup records: stored metadata, lookup by ARN, and descriptions."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from singletable.engine.storage import backup_rows
from singletable.engine.storage.backup_rows import BackupRow
from singletable.engine.storage.item_tree import Tree
from singletable.engine.tables.arns import arn_of, parse_arn
from singletable.engine.tables.table_definition import IndexDefinition, TableDefinition, Throughput
from singletable.engine.tables.table_description import ceiling_description, key_schema, projection_of
from singletable.errors import RequestRefused
from singletable.wire.api_types import decoder_of

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

BackupStatus = Literal["CREATING", "AVAILABLE", "DELETED"]

# A table up to this size is copied in one transaction within the request. Copying 16 MB takes a tenth of a second.
SMALL_ITEMS = 5000
SMALL_BYTES = 16 * 2**20


class Backup(msgspec.Struct, frozen=True):
    """The metadata of a backup, whose items are stored in a tree."""

    identifier: str
    name: str
    at: float
    status: BackupStatus
    definition: TableDefinition
    items: int = 0
    size: int = 0
    kind: Literal["USER", "SYSTEM"] = "USER"
    expires_at: float | None = None


_decoder = decoder_of(Backup)


class BackupRecord(NamedTuple):
    """A backup with its row in the store."""

    row: BackupRow
    backup: Backup


def backup_bytes(backup: Backup) -> bytes:
    """Encode the metadata of a backup, to store it in its row."""
    return msgspec.json.encode(backup)


def backup_record(row: BackupRow) -> BackupRecord:
    """Decode the metadata of a backup from its row."""
    return BackupRecord(row, _decoder.decode(row.document))


def all_backups(connection: sqlite3.Connection) -> list[BackupRecord]:
    """Return all backups, including deleted ones whose items still exist."""
    return [backup_record(row) for row in backup_rows.rows(connection)]


def find_backup(engine: Engine, connection: sqlite3.Connection, arn: str) -> BackupRecord:
    """Return the backup with this ARN. Raise an error if it does not exist."""
    named = parse_arn(engine, arn, "backup")
    row = None if named is None else backup_rows.row(connection, named[1])
    if named is not None and row is not None:
        found = backup_record(row)
        if not is_deleted_or_expired(found.backup, engine.now()) and found.backup.definition.name == named[0]:
            return found
    raise RequestRefused("BackupNotFoundException", f"Backup not found: {arn}")


def is_deleted_or_expired(backup: Backup, now: float) -> bool:
    """Return whether a backup was deleted or has expired. Its items may still exist."""
    return backup.status == "DELETED" or (backup.expires_at is not None and backup.expires_at <= now)


def change_backup(connection: sqlite3.Connection, row: BackupRow, backup: Backup) -> None:
    """Save the changed metadata of a backup."""
    backup_rows.change(connection, row.number, backup_bytes(backup))


def is_small(connection: sqlite3.Connection, tree: Tree) -> bool:
    """Return whether a tree is small enough to be copied in one transaction."""
    return backup_rows.is_small(connection, tree, SMALL_ITEMS, SMALL_BYTES)


def table_not_found(name: str) -> RequestRefused:
    """Return the error that backup actions return for an unknown table. Other actions return a different error."""
    return RequestRefused("TableNotFoundException", f"Table not found: {name}")


def backup_arn(engine: Engine, backup: Backup) -> str:
    """Return the ARN of a backup."""
    return arn_of(engine, backup.definition.name, "backup", backup.identifier)


def backup_details(engine: Engine, backup: Backup) -> dict[str, Any]:
    """Return the BackupDetails of a backup."""
    details: dict[str, Any] = {
        "BackupArn": backup_arn(engine, backup),
        "BackupName": backup.name,
        "BackupSizeBytes": backup.size,
        "BackupStatus": backup.status,
        "BackupType": backup.kind,
        "BackupCreationDateTime": backup.at,
    }
    if backup.expires_at is not None:
        details["BackupExpiryDateTime"] = backup.expires_at
    return details


def backup_summary(engine: Engine, backup: Backup) -> dict[str, Any]:
    """Return the BackupSummary of a backup."""
    definition = backup.definition
    table = {
        "TableName": definition.name,
        "TableId": definition.identifier,
        "TableArn": engine.arn(definition.name),
    }
    return {**table, **backup_details(engine, backup)}


def backup_description(engine: Engine, backup: Backup) -> dict[str, Any]:
    """Return the BackupDescription of a backup."""
    return {
        "BackupDetails": backup_details(engine, backup),
        "SourceTableDetails": _source_table(engine, backup),
        "SourceTableFeatureDetails": _features(backup.definition),
    }


def _source_table(engine: Engine, backup: Backup) -> dict[str, Any]:
    definition = backup.definition
    details: dict[str, Any] = {
        "TableName": definition.name,
        "TableId": definition.identifier,
        "TableArn": engine.arn(definition.name),
        "TableSizeBytes": backup.size,
        "KeySchema": key_schema((definition.partition,), (definition.sort,) if definition.sort else ()),
        "TableCreationDateTime": definition.created_at,
        "ProvisionedThroughput": _units(definition.throughput),
        "ItemCount": backup.items,
        "BillingMode": definition.billing_mode,
    }
    if definition.on_demand is not None:
        details["OnDemandThroughput"] = ceiling_description(definition.on_demand)
    return details


def _features(definition: TableDefinition) -> dict[str, Any]:
    features: dict[str, Any] = {}
    for member, is_local in (("LocalSecondaryIndexes", True), ("GlobalSecondaryIndexes", False)):
        indexes = [_index(index) for index in definition.indexes if index.is_local is is_local]
        if indexes:
            features[member] = indexes
    if definition.stream is not None:
        features["StreamDescription"] = {"StreamEnabled": True, "StreamViewType": definition.stream.view}
    if definition.expiry_attribute is not None:
        features["TimeToLiveDescription"] = {
            "TimeToLiveStatus": "ENABLED",
            "AttributeName": definition.expiry_attribute,
        }
    if definition.sse_type is not None:
        features["SSEDescription"] = {"Status": "ENABLED", "SSEType": definition.sse_type}
        if definition.kms_key_arn is not None:
            features["SSEDescription"]["KMSMasterKeyArn"] = definition.kms_key_arn
    return features


def _index(index: IndexDefinition) -> dict[str, Any]:
    document: dict[str, Any] = {
        "IndexName": index.name,
        "KeySchema": key_schema(index.partition, index.sort),
        "Projection": projection_of(index),
    }
    if not index.is_local:
        document["ProvisionedThroughput"] = _units(index.throughput)
        if index.on_demand is not None:
            document["OnDemandThroughput"] = ceiling_description(index.on_demand)
    return document


def _units(throughput: Throughput | None) -> dict[str, int]:
    units = throughput or Throughput(0, 0)
    return {"ReadCapacityUnits": units.read_units, "WriteCapacityUnits": units.write_units}
