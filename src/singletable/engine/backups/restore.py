"""Restores a table from a backup, with its definition, items and index entries, at once or in a background job."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING
from uuid import uuid4

import msgspec

from singletable.engine.background_jobs import Stopped
from singletable.engine.backups.backup_records import BackupRecord, backup_arn, find_backup
from singletable.engine.backups.table_snapshot import STEP_ITEMS, in_steps
from singletable.engine.catalog import mark_table_active
from singletable.engine.storage import backup_rows, catalog_rows
from singletable.engine.storage.item_tree import Row
from singletable.engine.storage.store import StaleCatalog
from singletable.engine.tables.encryption import Encryption, KeyScope, encryption_of
from singletable.engine.tables.stored_table import OMIT_FROM_INDEX, StoredTable, decode_item
from singletable.engine.tables.table_definition import IndexDefinition, RestoreOrigin, TableDefinition
from singletable.engine.tables.table_description import key_schema, projection_of
from singletable.engine.tables.table_validation import check_billing, check_on_demand
from singletable.engine.tables.throughput import ceiling_of, throughput_of
from singletable.errors import RequestRefused, StoreRefused, invalid
from singletable.wire.backup_requests import Overrides
from singletable.wire.table_requests import GlobalSecondaryIndex, LocalSecondaryIndex

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

_INVALID = "One or more parameter values were invalid: "


def restored_definition(
    engine: Engine, source: TableDefinition, name: str, restored: RestoreOrigin, overrides: Overrides
) -> TableDefinition:
    """Return the definition of a restored table.

    As in DynamoDB, tags, deletion protection and point-in-time recovery are not restored.
    """
    mode = overrides.billing_mode_override or source.billing_mode
    provisioned = overrides.provisioned_throughput_override
    if provisioned is not None or mode != source.billing_mode:
        check_billing(mode, provisioned)
    check_on_demand(overrides.on_demand_throughput_override, mode)
    throughput = throughput_of(provisioned) or (source.throughput if mode == "PROVISIONED" else None)
    on_demand = ceiling_of(overrides.on_demand_throughput_override)
    indexes = (
        *_restored_indexes(source, overrides.local_secondary_index_override, is_local=True),
        *_restored_indexes(source, overrides.global_secondary_index_override, is_local=False),
    )
    requested = overrides.sse_specification_override
    current = Encryption(source.sse_type, source.kms_key_arn)
    encryption = current if requested is None else encryption_of(requested, KeyScope(engine.region, engine.account))
    now = engine.now()
    return TableDefinition(
        name=name,
        identifier=str(uuid4()),
        created_at=now,
        partition=source.partition,
        sort=source.sort,
        indexes=tuple(_with_billing_mode(index, mode) for index in indexes),
        billing_mode=mode,
        billing_chosen_at=now if mode == "PAY_PER_REQUEST" else None,
        throughput=throughput,
        on_demand=on_demand or (source.on_demand if mode == "PAY_PER_REQUEST" else None),
        table_class=source.table_class,
        sse_type=encryption.sse_type,
        kms_key_arn=encryption.key_arn,
        warm=source.warm,
        next_index_number=source.next_index_number,
        status="CREATING",
        restored=restored,
    )


def _restored_indexes(
    source: TableDefinition,
    override: Iterable[GlobalSecondaryIndex] | Iterable[LocalSecondaryIndex] | None,
    *,
    is_local: bool,
) -> list[IndexDefinition]:
    """Return the indexes of the restored table: all indexes of the source, or only those that the override names."""
    current = {index.name: index for index in source.indexes if index.is_local is is_local}
    if override is None:
        return list(current.values())
    restored_indexes: dict[str, IndexDefinition] = {}
    for requested in override:
        index = current.get(requested.index_name)
        if index is None or not _is_same(index, requested):
            raise invalid(
                f"{_INVALID}{'Local' if is_local else 'Global'}SecondaryIndexOverride: {requested.index_name} is not "
                "an index of the source table with this KeySchema and Projection"
            )
        if requested.index_name in restored_indexes:
            raise invalid(f"{_INVALID}Duplicate index name: {requested.index_name}")
        if isinstance(requested, GlobalSecondaryIndex):
            index = msgspec.structs.replace(
                index,
                throughput=throughput_of(requested.provisioned_throughput) or index.throughput,
                on_demand=ceiling_of(requested.on_demand_throughput) or index.on_demand,
            )
        restored_indexes[requested.index_name] = index
    return list(restored_indexes.values())


def _is_same(index: IndexDefinition, requested: GlobalSecondaryIndex | LocalSecondaryIndex) -> bool:
    schema = [
        {"AttributeName": element.attribute_name, "KeyType": element.key_type} for element in requested.key_schema
    ]
    projection = projection_of(index)
    current = (projection["ProjectionType"], sorted(projection.get("NonKeyAttributes", ())))
    override = (requested.projection.projection_type, sorted(requested.projection.non_key_attributes or ()))
    return schema == key_schema(index.partition, index.sort) and override == current


def _with_billing_mode(index: IndexDefinition, mode: str) -> IndexDefinition:
    """Return the index with the status ACTIVE and only the throughput settings that fit the billing mode."""
    if index.is_local:
        return index
    if mode == "PROVISIONED" and index.throughput is None:
        raise invalid(
            f"{_INVALID}ProvisionedThroughput is required for index: {index.name} when BillingMode is PROVISIONED"
        )
    return msgspec.structs.replace(
        index,
        status="ACTIVE",
        insights=None,
        throughput=index.throughput if mode == "PROVISIONED" else None,
        on_demand=index.on_demand if mode == "PAY_PER_REQUEST" else None,
    )


def already_exists(name: str) -> RequestRefused:
    """Return the error for restoring to an existing table name. Other actions return a different error."""
    return RequestRefused("TableAlreadyExistsException", f"Table already exists: {name}")


def new_table(engine: Engine, connection: sqlite3.Connection, definition: TableDefinition) -> StoredTable:
    """Create the table of a restore. Raise an error if a table with its name exists."""
    if catalog_rows.row(connection, definition.name) is not None:
        raise already_exists(definition.name)
    return engine.catalog.add(connection, definition)


def put_rows(connection: sqlite3.Connection, table: StoredTable, rows: Iterable[Row]) -> None:
    """Insert stored items into a table, and their index entries into its indexes. Their keys must not exist yet."""
    listed = list(rows)
    backup_rows.add(connection, table.tree, listed)
    put_entries(connection, table, listed)


def put_entries(connection: sqlite3.Connection, table: StoredTable, rows: Iterable[Row]) -> None:
    """Write the index entries of items to the indexes of their table."""
    if not table.indexes:
        return
    for key, body, size in rows:
        item = decode_item(body)
        for index in table.indexes:
            try:
                entry = index.entry(item, body, size, key, OMIT_FROM_INDEX)
            except RequestRefused:
                continue  # the value is too long for an index key, so the index omits the item
            if entry is not None:
                index.tree.put(connection, entry.key, entry.body, entry.size)


def fill_at_once(connection: sqlite3.Connection, table: StoredTable, found: BackupRecord) -> None:
    """Copy a small backup in the same transaction that creates the restored table."""
    backup_rows.copy_all(connection, found.row.tree, table.tree)
    if table.indexes:
        for step in in_steps(list(table.tree.all(connection))):
            put_entries(connection, table, step)


def resume_restores(engine: Engine) -> None:
    """Start or resume the restore of every table that is being restored from a backup."""
    for table in engine.catalog.reload():
        restored = table.definition.restored
        if table.definition.status == "CREATING" and restored is not None and restored.backup is not None:
            engine.jobs.start(f"restore {table.tree.name}", _BackupRestore(engine, table, restored.backup))


class _BackupRestore:
    """The background job that copies a backup into a table."""

    def __init__(self, engine: Engine, table: StoredTable, backup: str) -> None:
        self._engine = engine
        self._table = table
        self._backup = backup

    def __call__(self) -> None:
        try:
            while self._copy_some():
                self._engine.jobs.check()
            with self._engine.store.writing() as connection:
                mark_table_active(connection, self._table.name)
            self._engine.store.flush()
            self._engine.catalog.reload()
        except (Stopped, StaleCatalog, StoreRefused):
            return  # another process has finished the restore, or the next engine resumes it
        except RequestRefused:
            return  # the table or its backup was deleted

    def _copy_some(self) -> bool:
        """Copy the next batch of items, starting after the last key in the table. Return False if no items remain.

        Several processes can run this step in turn.
        """
        table = self._table
        with self._engine.store.writing() as connection:
            source = find_backup(self._engine, connection, self._backup).row.tree
            rows = source.after(connection, table.tree.last_key(connection), STEP_ITEMS)
            step = next(in_steps(rows), [])
            put_rows(connection, table, step)
            return bool(step)


def from_backup(engine: Engine, found: BackupRecord) -> RestoreOrigin:
    """Return the origin of a table restored from a backup."""
    backup = found.backup
    return RestoreOrigin(table=engine.arn(backup.definition.name), at=backup.at, backup=backup_arn(engine, backup))
