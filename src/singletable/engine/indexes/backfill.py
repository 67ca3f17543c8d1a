"""Backfill: fills a new index with the existing items of its table, in small steps while the table is in use."""

from __future__ import annotations

import threading

import msgspec

from singletable.engine.catalog import Catalog
from singletable.engine.storage.store import StaleCatalog, Store
from singletable.engine.tables.stored_table import OMIT_FROM_INDEX, StoredIndex, StoredTable, decode_item
from singletable.engine.tables.table_definition import IndexDefinition, TableDefinition
from singletable.errors import RequestRefused

# One step is one transaction, which is short enough that other writers are not delayed.
STEP_ITEMS = 500
# A pause between steps, so that waiting writers can take the lock.
PAUSE_SECONDS = 0.001


class Backfill:
    """Fills the new indexes of a store, each in its own thread."""

    def __init__(self, store: Store, catalog: Catalog) -> None:
        self._store = store
        self._catalog = catalog
        self._stopping = threading.Event()
        self._running: dict[str, threading.Thread] = {}
        self._lock = threading.Lock()

    def start_missing(self) -> None:
        """Start filling every index with the status CREATING, including unfinished indexes of an earlier process."""
        for table in self._catalog.reload():
            for index in table.definition.indexes:
                if index.status == "CREATING":
                    self._start(table.name, index.name)

    def _start(self, table: str, index: str) -> None:
        name = f"{table}/{index}"
        with self._lock:
            running = self._running.get(name)
            if (running is not None and running.is_alive()) or self._stopping.is_set():
                return
            thread = threading.Thread(target=self._fill, args=(table, index), name=f"backfill {name}", daemon=True)
            self._running[name] = thread
            thread.start()

    def stop(self) -> None:
        """Stop each backfill after its current step. The next engine that opens this store resumes the backfill."""
        self._stopping.set()
        for thread in list(self._running.values()):
            thread.join()

    def wait(self) -> None:
        """Wait until every index is filled."""
        for thread in list(self._running.values()):
            thread.join()

    def _fill(self, table_name: str, index_name: str) -> None:
        position = b""
        while not self._stopping.is_set():
            try:
                table = self._catalog.require(table_name)
                index = table.index(index_name)
                if index is None or index.definition.status != "CREATING":
                    return
                position = self._step(table, index, position)
                self._stopping.wait(PAUSE_SECONDS)
                if not position:
                    self._catalog.change(table_name, lambda definition: _activated(definition, index_name))
                    return
            except StaleCatalog:
                self._catalog.reload()
            except RequestRefused:
                return  # the table was deleted

    def _step(self, table: StoredTable, index: StoredIndex, position: bytes) -> bytes:
        """Write the index entries of the next items after `position`. Return the last key, or empty bytes at the end.

        The items are read and the entries are written in one transaction. So an item that is deleted at the same time
        cannot reappear as an index entry.
        """
        with self._store.writing() as connection:
            last = b""
            for key, body, size in table.tree.after(connection, position, STEP_ITEMS):
                last = key
                entry = index.entry(decode_item(body), body, size, key, OMIT_FROM_INDEX)
                if entry is not None:
                    index.tree.put(connection, entry.key, entry.body, entry.size)
            return last


def _activated(definition: TableDefinition, index_name: str) -> TableDefinition:
    def activated(index: IndexDefinition) -> IndexDefinition:
        return msgspec.structs.replace(index, status="ACTIVE") if index.name == index_name else index

    return msgspec.structs.replace(definition, indexes=tuple(activated(index) for index in definition.indexes))
