"""The items of a table at one moment, of now or of the past, read a little at a time while others write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import chain, islice
from typing import Generic, TypeVar

from singletable.engine.storage.change_log import ChangeLog, Span
from singletable.engine.storage.connection import Connection
from singletable.engine.storage.store import Store
from singletable.engine.storage.tree import Row
from singletable.engine.table import OpenTable, decode_item
from singletable.values.item_size import item_size

Each = TypeVar("Each")

# One step is one transaction where it is written: short enough that other writers do not notice it.
STEP_ITEMS = 500
STEP_BYTES = 4 * 2**20


class Held(Generic[Each]):
    """What a query finds, all of it as it was at the first read; it holds a connection until it is closed.

    It may be read by one thread after another, and closed by any.
    """

    def __init__(self, store: Store, query: Callable[[Connection], Iterator[Each]]) -> None:
        self._held = ExitStack()
        if store.is_memory:
            # The one connection of a store in memory cannot be held while others write.
            with store.reading() as connection:
                self.found: Iterator[Each] = iter(list(query(connection)))
            return
        with ExitStack() as held:
            found = query(held.enter_context(store.snapshot()))
            # The first of them is read now, since the moment is that of the first read.
            first = list(islice(found, 1))
            self.found = chain(first, found)
            self._held = held.pop_all()

    def close(self) -> None:
        """Lets go of the moment."""
        self._held.close()


def items_now(store: Store, table: OpenTable) -> Held[Row]:
    """The items of a table as they are when this is called, in the order of their keys."""
    return Held(store, table.tree.all)


def items_at(store: Store, table: OpenTable, at: float) -> Held[Row]:
    """The items of a table as they were at a time: those of now, without the changes that were made later."""

    def query(connection: Connection) -> Iterator[Row]:
        assert table.changes is not None
        return _undone(connection, table, table.changes.log, at)

    return Held(store, query)


def _undone(connection: Connection, table: OpenTable, log: ChangeLog, at: float) -> Iterator[Row]:
    """Items and what was changed since, both in the order of their keys; a change has the item before it."""
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


def _before(connection: Connection, log: ChangeLog, span: Span) -> Iterator[Row]:
    body = log.change(connection, span.first).before
    if body is not None:
        yield span.key, body, item_size(decode_item(body))


def in_steps(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows in lists that are neither long nor large."""
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
