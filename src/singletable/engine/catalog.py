"""The catalog: the tables of a store, cached in memory and reloaded after another process has changed them."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable

import msgspec

from singletable.engine.indexes.lagging_index import LaggingTree
from singletable.engine.storage import catalog_rows
from singletable.engine.storage.catalog_rows import CatalogRow, tree_of
from singletable.engine.storage.change_log_rows import ChangeLog
from singletable.engine.storage.item_tree import ExpiryTree, Tree
from singletable.engine.storage.store import Store
from singletable.engine.streams.change_recorder import ChangeRecorder, ExpiryRecorder, apply_definition
from singletable.engine.tables.stored_table import StoredIndex, StoredTable
from singletable.engine.tables.table_definition import (
    IndexDefinition,
    TableDefinition,
    definition_bytes,
    definition_from,
)
from singletable.engine.traffic.table_traffic import Traffic
from singletable.errors import RequestRefused, invalid
from singletable.values.limits import NAME_CHARACTERS_MAX, NAME_CHARACTERS_MIN


class Catalog:
    """The tables in a store, by name."""

    def __init__(
        self,
        store: Store,
        now: Callable[[], float] = time.time,
        *,
        traffic: Traffic | None = None,
        global_index_lag_seconds: float = 0.0,
    ) -> None:
        self._store = store
        self._now = now
        self._traffic = traffic
        self._lag_seconds = global_index_lag_seconds
        # Both dicts are replaced as a whole, so that other threads can read them without a lock.
        self._tables: dict[str, StoredTable] = {}
        # Contains only the active tables. Requests cannot access the items of a table that is being restored or
        # imported.
        self._ready: dict[str, StoredTable] = {}

    def cached(self, name: str) -> StoredTable | None:
        """Return the active table from the cache, or None. Another process may have changed the table meanwhile."""
        return self._ready.get(name)

    def require(self, name: str) -> StoredTable:
        """Return the active table, for an action on its items. Raise an error if there is no such table."""
        table = self._ready.get(name)
        if table is None:
            self.reload()
            table = self._ready.get(name)
            if table is None:
                _reject_short_name(name)
                raise RequestRefused("ResourceNotFoundException", "Requested resource not found")
        return table

    def fresh(self, name: str) -> StoredTable | None:
        """Reload the catalog, and return the table, or None if there is no such table."""
        self.reload()
        return self._tables.get(name)

    def require_fresh(self, name: str) -> StoredTable:
        """Reload the catalog, and return the table, for an action on the table. Raise an error if it is missing."""
        table = self.fresh(name)
        if table is None:
            _reject_short_name(name)
            raise _not_found(name)
        return table

    def names(self) -> list[str]:
        """Reload the catalog, and return the sorted names of all tables."""
        return [table.name for table in self.reload()]

    def reload(self) -> list[StoredTable]:
        """Reload the catalog, and return all tables. For an unchanged table, return the same object as before."""
        with self._store.reading() as connection:
            rows = catalog_rows.rows(connection)
        known = self._tables
        tables = {}
        for row in rows:
            table = known.get(row.name)
            # The name of a tree contains the number and the generation of its table, so it differs after every change.
            is_same = table is not None and table.tree.name == tree_of(row.number, row.generation).name
            tables[row.name] = table if table is not None and is_same else self._open(row)
        self._ready = {name: table for name, table in tables.items() if table.definition.status == "ACTIVE"}
        self._tables = tables
        if self._traffic is not None:
            self._traffic.keep_only({table.definition.identifier for table in tables.values()})
        return list(tables.values())

    def changed(self) -> bool:
        """Reload the catalog, and return whether another process has changed a table."""
        before = self._tables
        self.reload()
        return before != self._tables

    def create(self, definition: TableDefinition) -> bool:
        """Create a table with its trees. Return False if a table with this name already exists."""
        with self._store.writing() as connection:
            if catalog_rows.row(connection, definition.name) is not None:
                return False
            self.add(connection, definition)
        self.reload()
        return True

    def add(self, connection: sqlite3.Connection, definition: TableDefinition) -> StoredTable:
        """Create a table within the caller's transaction. The caller must call `reload` after the commit."""
        row = catalog_rows.create(connection, definition.name, definition_bytes(definition), _index_numbers(definition))
        apply_definition(connection, row.number, None, definition, self._now())
        return self._open(row)

    def change(
        self, name: str, changed: Callable[[TableDefinition], TableDefinition]
    ) -> tuple[TableDefinition, TableDefinition]:
        """Change a table definition, and create or drop index trees to match. Return the old and the new definition."""
        with self._store.writing() as connection:
            row = catalog_rows.row(connection, name)
            if row is None:
                raise _not_found(name)
            before = definition_from(row.definition)
            reject_unready(before)
            after = changed(before)
            catalog_rows.change(connection, row, definition_bytes(after), _index_numbers(before), _index_numbers(after))
            apply_definition(connection, row.number, before, after, self._now())
        self.reload()
        return before, after

    def drop(self, table: StoredTable, adopt: Callable[[sqlite3.Connection, Tree], None] | None = None) -> None:
        """Drop a table. If `adopt` is given, it receives the tree with the items; otherwise the tree is dropped too."""
        with self._store.writing() as connection:
            row = catalog_rows.row(connection, table.name)
            if row is None:
                raise _not_found(table.name)
            definition = definition_from(row.definition)
            catalog_rows.drop(connection, row, _index_numbers(definition), keeps_items=adopt is not None)
            if adopt is not None:
                adopt(connection, tree_of(row.number, row.generation))
            apply_definition(connection, row.number, definition, None, self._now())
        self.reload()

    def _open(self, row: CatalogRow) -> StoredTable:
        definition = definition_from(row.definition)
        indexes = tuple(StoredIndex(definition, index, self._index_tree(row, index)) for index in definition.indexes)
        attribute = definition.expiry_attribute
        return StoredTable(
            definition,
            row.number,
            tree_of(row.number, row.generation, label=f"table {row.name}"),
            indexes,
            ChangeRecorder(ChangeLog(row.number), self._now) if definition.has_change_log else None,
            None if attribute is None else ExpiryRecorder(ExpiryTree(row.number), attribute),
            None if self._traffic is None else self._traffic.of(definition),
        )

    def _index_tree(self, row: CatalogRow, index: IndexDefinition) -> Tree:
        label = f"index {index.name} of table {row.name}"
        tree = tree_of(row.number, row.generation, index.number, label)
        if index.is_local or not self._lag_seconds:
            return tree
        return LaggingTree(tree.name, label, self._lag_seconds, self._now)


def reject_unready(definition: TableDefinition) -> None:
    """Reject a change to a table that is still being restored or imported."""
    if definition.status == "CREATING":
        raise RequestRefused(
            "ResourceInUseException",
            f"Attempt to change a resource which is still in use: Table is being created: {definition.name}",
        )


def mark_table_active(connection: sqlite3.Connection, name: str) -> None:
    """Change the status of a table from CREATING to ACTIVE, after all of its items were copied."""
    row = catalog_rows.row(connection, name)
    definition = None if row is None else definition_from(row.definition)
    if row is not None and definition is not None and definition.status == "CREATING":
        numbers = [index.number for index in definition.indexes]
        ready = msgspec.structs.replace(definition, status="ACTIVE")
        catalog_rows.change(connection, row, definition_bytes(ready), numbers, numbers)


def _index_numbers(definition: TableDefinition) -> tuple[int, ...]:
    return tuple(index.number for index in definition.indexes)


def _reject_short_name(name: str) -> None:
    """Raise an error for a name that no table can have (tests of Alternator; the message is DynamoDB Local's)."""
    if len(name) < NAME_CHARACTERS_MIN:
        raise invalid(
            f"Invalid table/index name.  Table/index names must be between {NAME_CHARACTERS_MIN} and "
            f"{NAME_CHARACTERS_MAX} characters long, and may contain only the characters a-z, A-Z, 0-9, '_', '-', "
            "and '.'"
        )


def _not_found(name: str) -> RequestRefused:
    return RequestRefused("ResourceNotFoundException", f"Requested resource not found: Table: {name} not found")
