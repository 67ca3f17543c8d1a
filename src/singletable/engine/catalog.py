"""The tables that exist, remembered by this process and read again when another process changed them."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable

from singletable.engine.definition import IndexDefinition, TableDefinition, definition_bytes, definition_from
from singletable.engine.following import follow
from singletable.engine.lagging_tree import LaggingTree
from singletable.engine.side_records import Changes, Expiry
from singletable.engine.storage import catalog_rows
from singletable.engine.storage.catalog_rows import CatalogRow, tree_of
from singletable.engine.storage.change_log import ChangeLog
from singletable.engine.storage.expiry_tree import ExpiryTree
from singletable.engine.storage.store import Store
from singletable.engine.storage.tree import Tree
from singletable.engine.table import OpenIndex, OpenTable
from singletable.engine.traffic.traffic import Traffic
from singletable.errors import RequestRefused


class Catalog:
    """Tables by name."""

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
        # Replaced as a whole, so that other threads read it without a lock and never see half of a change.
        self._tables: dict[str, OpenTable] = {}
        # Those of them that are ready; a table that is being restored or imported into has no items to ask for yet.
        self._ready: dict[str, OpenTable] = {}

    def known(self, name: str) -> OpenTable | None:
        """The table of that name as far as it is remembered, which another process may have changed."""
        return self._ready.get(name)

    def require(self, name: str) -> OpenTable:
        """The table of that name, for an action on items."""
        table = self._ready.get(name)
        if table is None:
            self.reload()
            table = self._ready.get(name)
            if table is None:
                raise RequestRefused("ResourceNotFoundException", "Requested resource not found")
        return table

    def fresh(self, name: str) -> OpenTable | None:
        """The table as it is on disk now, if there is one of that name."""
        self.reload()
        return self._tables.get(name)

    def require_fresh(self, name: str) -> OpenTable:
        """The table as it is on disk now, for an action on the table itself."""
        table = self.fresh(name)
        if table is None:
            raise _not_found(name)
        return table

    def names(self) -> list[str]:
        """The names of all tables, in order."""
        return [table.name for table in self.reload()]

    def reload(self) -> list[OpenTable]:
        """Reads the catalog again; a table that did not change stays the object it was."""
        with self._store.reading() as connection:
            rows = catalog_rows.rows(connection)
        known = self._tables
        tables = {}
        for row in rows:
            table = known.get(row.name)
            # The name of a tree says which table and which generation of it it is.
            is_same = table is not None and table.tree.name == tree_of(row.number, row.generation).name
            tables[row.name] = table if table is not None and is_same else self._opened(row)
        self._ready = {name: table for name, table in tables.items() if table.definition.status == "ACTIVE"}
        self._tables = tables
        if self._traffic is not None:
            self._traffic.keep_only({table.definition.identifier for table in tables.values()})
        return list(tables.values())

    def changed(self) -> bool:
        """Reads the catalog again, and says whether what was known of it was no longer true."""
        before = self._tables
        self.reload()
        return before != self._tables

    def create(self, definition: TableDefinition) -> bool:
        """Makes a table with its trees; False when there is one of that name."""
        with self._store.writing() as connection:
            if catalog_rows.row(connection, definition.name) is not None:
                return False
            self.add(connection, definition)
        self.reload()
        return True

    def add(self, connection: sqlite3.Connection, definition: TableDefinition) -> OpenTable:
        """Makes a table with its trees in a transaction that does more than this; `reload` lets others see it."""
        row = catalog_rows.create(connection, definition.name, definition_bytes(definition), _numbers(definition))
        follow(connection, row.number, None, definition, self._now())
        return self._opened(row)

    def change(
        self, name: str, changed: Callable[[TableDefinition], TableDefinition]
    ) -> tuple[TableDefinition, TableDefinition]:
        """Changes a definition and makes or drops the trees of its indexes; returns it before and after."""
        with self._store.writing() as connection:
            row = catalog_rows.row(connection, name)
            if row is None:
                raise _not_found(name)
            before = definition_from(row.definition)
            refuse_unready(before)
            after = changed(before)
            catalog_rows.change(connection, row, definition_bytes(after), _numbers(before), _numbers(after))
            follow(connection, row.number, before, after, self._now())
        self.reload()
        return before, after

    def drop(self, table: OpenTable, adopt: Callable[[sqlite3.Connection, Tree], None] | None = None) -> None:
        """Ends a table with everything in it; but for its items, where somebody adopts the tree that they are in."""
        with self._store.writing() as connection:
            row = catalog_rows.row(connection, table.name)
            if row is None:
                raise _not_found(table.name)
            definition = definition_from(row.definition)
            catalog_rows.drop(connection, row, _numbers(definition), keeps_items=adopt is not None)
            if adopt is not None:
                adopt(connection, tree_of(row.number, row.generation))
            follow(connection, row.number, definition, None, self._now())
        self.reload()

    def _opened(self, row: CatalogRow) -> OpenTable:
        definition = definition_from(row.definition)
        indexes = tuple(OpenIndex(definition, index, self._index_tree(row, index)) for index in definition.indexes)
        attribute = definition.expiry_attribute
        return OpenTable(
            definition,
            row.number,
            tree_of(row.number, row.generation),
            indexes,
            Changes(ChangeLog(row.number), self._now) if definition.keeps_changes else None,
            None if attribute is None else Expiry(ExpiryTree(row.number), attribute),
            None if self._traffic is None else self._traffic.of(definition),
        )

    def _index_tree(self, row: CatalogRow, index: IndexDefinition) -> Tree:
        tree = tree_of(row.number, row.generation, index.number)
        if index.is_local or not self._lag_seconds:
            return tree
        return LaggingTree(tree.name, self._lag_seconds, self._now)


def refuse_unready(definition: TableDefinition) -> None:
    """Refuses to change a table whose items are still being put in."""
    if definition.status == "CREATING":
        raise RequestRefused(
            "ResourceInUseException",
            f"Attempt to change a resource which is still in use: Table is being created: {definition.name}",
        )


def _numbers(definition: TableDefinition) -> tuple[int, ...]:
    return tuple(index.number for index in definition.indexes)


def _not_found(name: str) -> RequestRefused:
    return RequestRefused("ResourceNotFoundException", f"Requested resource not found: Table: {name} not found")
