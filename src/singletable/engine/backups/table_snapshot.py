"""Snapshots of a table, as it is now or as it was at a past time. They are read in steps while other requests write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import chain, islice
from typing import Generic, TypeVar

from singletable.engine.storage.change_log_rows import ChangeLog, ItemChangeSpan
from singletable.engine.storage.item_tree import Row
from singletable.engine.storage.sqlite_connection import StoreConnection
from singletable.engine.storage.store import Store
from singletable.engine.tables.stored_table import StoredTable, decode_item
from singletable.values.item_size import item_size

RecordType = TypeVar("RecordType")

# One step of a copy is one transaction, which is short enough that other writers are not delayed.
STEP_ITEMS = 500
STEP_BYTES = 4 * 2**20


class TableSnapshot(Generic[RecordType]):
    """The rows of a SQL query, read from one snapshot of the store. The object holds a connection until `close`.

    Only one thread at a time may read the snapshot. Any thread may close it.
    """

    def __init__(self, store: Store, query: Callable[[StoreConnection], Iterator[RecordType]]) -> None:
        self._stack = ExitStack()
        if store.is_memory:
            # An in-memory store has a single connection, which other requests need for their writes.
            with store.reading() as connection:
                self.rows: Iterator[RecordType] = iter(list(query(connection)))
            return
        with ExitStack() as stack:
            rows = query(stack.enter_context(store.snapshot()))
            # Read the first row now, because the snapshot starts with its first read.
            first = list(islice(rows, 1))
            self.rows = chain(first, rows)
            self._stack = stack.pop_all()

    def close(self) -> None:
        """Release the snapshot."""
        self._stack.close()


def items_now(store: Store, table: StoredTable) -> TableSnapshot[Row]:
    """Return the current items of a table, in key order."""
    return TableSnapshot(store, table.tree.all)


def items_at(store: Store, table: StoredTable, at: float) -> TableSnapshot[Row]:
    """Return the items that a table had at a past time, by undoing later changes."""

    def query(connection: StoreConnection) -> Iterator[Row]:
        assert table.changes is not None
        return _undone(connection, table, table.changes.log, at)

    return TableSnapshot(store, query)


def _undone(connection: StoreConnection, table: StoredTable, log: ChangeLog, at: float) -> Iterator[Row]:
    """Undo the changes made after the time `at`, and yield the resulting items.

    The current items and the changes are merged in key order. Each change records the item before the change.
    """
    spans = log.spans(connection, log.first_after(connection, at), log.last(connection))
    span = next(spans, None)
    for row in table.tree.all(connection):
        while span is not None and span.key < row[0]:
            yield from _before(connection, log, span)
            span = next(spans, None)
        if span is not None and span.key == row[0]:
            yield from _before(connection, log, span)
            span = next(spans, None)
        else:
            yield row
    while span is not None:
        yield from _before(connection, log, span)
        span = next(spans, None)


def _before(connection: StoreConnection, log: ChangeLog, span: ItemChangeSpan) -> Iterator[Row]:
    body = log.change(connection, span.first).before
    if body is not None:
        yield span.key, body, item_size(decode_item(body))


def in_steps(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield rows in lists of limited length and size."""
    step: list[Row] = []
    size = 0
    for row in rows:
        step.append(row)
        size += len(row[1])
        if len(step) == STEP_ITEMS or size >= STEP_BYTES:
            yield step
            step, size = [], 0
    if step:
        yield step
