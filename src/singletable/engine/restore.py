"""Restored tables: their definitions, and their items and index entries out of a backup, at once or in steps."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING
from uuid import uuid4

import msgspec

from singletable.engine.actions.create_table import ceiling_of, throughput_of
from singletable.engine.backups import KeptBackup, backup_arn, find_backup
from singletable.engine.definition import IndexDefinition, Restored, TableDefinition, definition_bytes, definition_from
from singletable.engine.describe import key_schema, projection_of
from singletable.engine.encryption import Encryption, KeyHome, encryption_of
from singletable.engine.jobs import Stopped
from singletable.engine.moment import STEP_ITEMS, in_steps
from singletable.engine.storage import backup_rows, catalog_rows
from singletable.engine.storage.store import StaleCatalog
from singletable.engine.storage.tree import Row
from singletable.engine.table import LEFT_OUT, OpenTable, decode_item
from singletable.engine.table_rules import check_billing, check_on_demand
from singletable.errors import RequestRefused, StoreRefused, invalid
from singletable.wire.backups import Overrides
from singletable.wire.tables import GlobalSecondaryIndex, LocalSecondaryIndex

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

_INVALID = "One or more parameter values were invalid: "


def restored_definition(
    engine: Engine, source: TableDefinition, name: str, restored: Restored, overrides: Overrides
) -> TableDefinition:
    """What the new table is: the old one without tags, protection and recovery, which the service does not restore."""
    mode = overrides.billing_mode_override or source.billing_mode
    bought = overrides.provisioned_throughput_override
    if bought is not None or mode != source.billing_mode:
        check_billing(mode, bought)
    check_on_demand(overrides.on_demand_throughput_override, mode)
    throughput = throughput_of(bought) or (source.throughput if mode == "PROVISIONED" else None)
    on_demand = ceiling_of(overrides.on_demand_throughput_override)
    indexes = (
        *_chosen(source, overrides.local_secondary_index_override, is_local=True),
        *_chosen(source, overrides.global_secondary_index_override, is_local=False),
    )
    asked = overrides.sse_specification_override
    had = Encryption(source.sse_type, source.kms_key_arn)
    encryption = had if asked is None else encryption_of(asked, KeyHome(engine.region, engine.account))
    now = engine.now()
    return TableDefinition(
        name=name,
        identifier=str(uuid4()),
        created_at=now,
        partition=source.partition,
        sort=source.sort,
        indexes=tuple(_billed(index, mode) for index in indexes),
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


def _chosen(
    source: TableDefinition,
    override: Iterable[GlobalSecondaryIndex] | Iterable[LocalSecondaryIndex] | None,
    *,
    is_local: bool,
) -> list[IndexDefinition]:
    """The indexes of the new table: all of the old ones, or those of them that the request repeats."""
    had = {index.name: index for index in source.indexes if index.is_local is is_local}
    if override is None:
        return list(had.values())
    chosen: dict[str, IndexDefinition] = {}
    for asked in override:
        index = had.get(asked.index_name)
        if index is None or not _is_same(index, asked):
            raise invalid(
                f"{_INVALID}{'Local' if is_local else 'Global'}SecondaryIndexOverride: {asked.index_name} is not an "
                "index of the source table with this KeySchema and Projection"
            )
        if asked.index_name in chosen:
            raise invalid(f"{_INVALID}Duplicate index name: {asked.index_name}")
        if isinstance(asked, GlobalSecondaryIndex):
            index = msgspec.structs.replace(
                index,
                throughput=throughput_of(asked.provisioned_throughput) or index.throughput,
                on_demand=ceiling_of(asked.on_demand_throughput) or index.on_demand,
            )
        chosen[asked.index_name] = index
    return list(chosen.values())


def _is_same(index: IndexDefinition, asked: GlobalSecondaryIndex | LocalSecondaryIndex) -> bool:
    schema = [{"AttributeName": element.attribute_name, "KeyType": element.key_type} for element in asked.key_schema]
    projection = projection_of(index)
    kept = (projection["ProjectionType"], sorted(projection.get("NonKeyAttributes", ())))
    held = (asked.projection.projection_type, sorted(asked.projection.non_key_attributes or ()))
    return schema == key_schema(index.partition, index.sort) and held == kept


def _billed(index: IndexDefinition, mode: str) -> IndexDefinition:
    """An index of the new table, whole from the start, with units only where the table has units."""
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
    """The refusal of a restore into a table that is there; other actions have other words."""
    return RequestRefused("TableAlreadyExistsException", f"Table already exists: {name}")


def new_table(engine: Engine, connection: sqlite3.Connection, definition: TableDefinition) -> OpenTable:
    """Adds the table that is restored; refuses when there is one of its name."""
    if catalog_rows.row(connection, definition.name) is not None:
        raise already_exists(definition.name)
    return engine.catalog.add(connection, definition)


def put_rows(connection: sqlite3.Connection, table: OpenTable, rows: Iterable[Row]) -> None:
    """Puts items, as they are stored, into a table that has none of their keys, and their entries into its indexes."""
    held = list(rows)
    backup_rows.add(connection, table.tree, held)
    put_entries(connection, table, held)


def put_entries(connection: sqlite3.Connection, table: OpenTable, rows: Iterable[Row]) -> None:
    """Puts the entries of items into the indexes of their table."""
    if not table.indexes:
        return
    for key, body, size in rows:
        item = decode_item(body)
        for index in table.indexes:
            try:
                entry = index.entry(item, body, size, key, LEFT_OUT)
            except RequestRefused:
                continue  # a value that is too long for a key: the index never had the item
            if entry is not None:
                index.tree.put(connection, entry.key, entry.body, entry.size)


def fill_at_once(connection: sqlite3.Connection, table: OpenTable, found: KeptBackup) -> None:
    """Copies a small backup in the transaction that makes its table."""
    backup_rows.copy_all(connection, found.row.tree, table.tree)
    if table.indexes:
        for step in in_steps(list(table.tree.all(connection))):
            put_entries(connection, table, step)


def start_fills(engine: Engine) -> None:
    """Goes on with every table that is being restored from a backup, also where a process left off."""
    for table in engine.catalog.reload():
        restored = table.definition.restored
        if table.definition.status == "CREATING" and restored is not None and restored.backup is not None:
            engine.jobs.start(f"restore {table.tree.name}", _Fill(engine, table, restored.backup))


class _Fill:
    """A table that is being restored, as a function without arguments: what its thread does."""

    def __init__(self, engine: Engine, table: OpenTable, backup: str) -> None:
        self._engine = engine
        self._table = table
        self._backup = backup

    def __call__(self) -> None:
        try:
            while self._fills_more():
                self._engine.jobs.check()
            with self._engine.store.writing() as connection:
                set_ready(connection, self._table.name)
            self._engine.store.flush()
            self._engine.catalog.reload()
        except (Stopped, StaleCatalog, StoreRefused):
            return  # another process was quicker, or the next one goes on
        except RequestRefused:
            return  # the table or its backup is gone

    def _fills_more(self) -> bool:
        """Copies the next items; where to go on is what the table has already, so that several may work on it."""
        table = self._table
        with self._engine.store.writing() as connection:
            source = find_backup(self._engine, connection, self._backup).row.tree
            rows = source.after(connection, table.tree.last_key(connection), STEP_ITEMS)
            step = next(in_steps(rows), [])
            put_rows(connection, table, step)
            return bool(step)


def set_ready(connection: sqlite3.Connection, name: str) -> None:
    """Says that all items of a table are in it, unless somebody said so already."""
    row = catalog_rows.row(connection, name)
    definition = None if row is None else definition_from(row.definition)
    if row is not None and definition is not None and definition.status == "CREATING":
        numbers = [index.number for index in definition.indexes]
        ready = msgspec.structs.replace(definition, status="ACTIVE")
        catalog_rows.change(connection, row, definition_bytes(ready), numbers, numbers)


def from_backup(engine: Engine, found: KeptBackup) -> Restored:
    """What a table that is restored from a backup says of its origin."""
    backup = found.backup
    return Restored(table=engine.arn(backup.definition.name), at=backup.at, backup=backup_arn(engine, backup))
