"""Creates the change log and the expiry times of a table, and updates both with every item write."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from singletable.engine.storage import change_log_rows
from singletable.engine.storage.change_log_rows import ChangeLog
from singletable.engine.storage.item_tree import ExpiryTree
from singletable.engine.storage.sqlite_connection import StoreConnection
from singletable.engine.tables.table_definition import KeyElement, TableDefinition
from singletable.values.attribute_value import equal


class StreamDocument(msgspec.Struct, frozen=True):
    """The description of a stream, which remains readable after its table is deleted."""

    view: Literal["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"]
    created_at: float
    partition: KeyElement
    sort: KeyElement | None

    @property
    def key_attributes(self) -> tuple[KeyElement, ...]:
        """Return the key attributes of the table, partition key first."""
        return (self.partition,) if self.sort is None else (self.partition, self.sort)


def apply_definition(
    connection: sqlite3.Connection,
    number: int,
    before: TableDefinition | None,
    after: TableDefinition | None,
    now: float,
) -> None:
    """Create or drop the change log, stream and expiry tree of a table, to match its new definition.

    `before` is None if the table is new, and `after` is None if the table is deleted.
    """
    log = ChangeLog(number)
    if after is not None and after.has_change_log and not (before is not None and before.has_change_log):
        log.create(connection)
        if log.last(connection):  # an earlier stream still uses the log
            log.mark_gap(connection, now)
    had, has = (None if definition is None else definition.stream for definition in (before, after))
    if had is not None and had != has:
        change_log_rows.end_stream(connection, number, log.last(connection), now)
    if after is not None and has is not None and has != had:
        document = StreamDocument(has.view, has.created_at, after.partition, after.sort)
        first = log.last(connection) + 1
        row = change_log_rows.StreamRow(after.name, has.label, number, first, None, None, msgspec.json.encode(document))
        change_log_rows.insert_stream(connection, row)
    is_needed = after is not None and after.has_change_log
    if (
        before is not None
        and before.has_change_log
        and not is_needed
        and number not in change_log_rows.streamed_table_numbers(connection)
    ):
        log.drop(connection)
    _apply_expiry(connection, number, before, after)


def _apply_expiry(
    connection: sqlite3.Connection, number: int, before: TableDefinition | None, after: TableDefinition | None
) -> None:
    had, has = (None if definition is None else definition.expiry_attribute for definition in (before, after))
    if had == has:
        return
    tree = ExpiryTree(number)
    if had is not None:
        tree.drop(connection)
    if has is not None:
        tree.create(connection)


# The largest integer in SQLite, which no clock reaches.
_SECONDS_MAX = 2**63 - 1


class ChangeRecorder:
    """Records item changes in the change log of a table."""

    __slots__ = ("_now", "log")

    def __init__(self, log: ChangeLog, now: Callable[[], float]) -> None:
        self.log = log
        self._now = now

    def record(
        self, connection: sqlite3.Connection, key: bytes, before: Any, after: Any, by_service: bool = False
    ) -> None:
        """Record the item before and after a write, unless the write changed nothing."""
        if before is None and after is None:
            return
        if before is not None and after is not None:
            is_same = before.body == after.body or equal({"M": before.item}, {"M": after.item})
            if is_same:
                return
        old, new = (None if image is None else image.body for image in (before, after))
        assert isinstance(connection, StoreConnection)
        if connection.moment is None:
            connection.moment = self._now()
        self.log.add(connection, connection.moment, key, old, new, by_service)


class ExpiryRecorder:
    """Keeps the expiry times of a table in sync with its items."""

    __slots__ = ("_attribute", "tree")

    def __init__(self, tree: ExpiryTree, attribute: str) -> None:
        self.tree = tree
        self._attribute = attribute

    def time_of(self, item: dict[str, Any]) -> int | None:
        """Return the time in seconds at which an item expires, or None if it has no numeric expiry attribute."""
        value = item.get(self._attribute)
        text = None if value is None else value.get("N")
        if text is None:
            return None
        # Numbers are stored without an exponent, so the digits before the decimal point are the whole seconds.
        seconds = int(text.partition(".")[0] or "0")
        return seconds if 0 <= seconds <= _SECONDS_MAX else None

    def record(self, connection: sqlite3.Connection, key: bytes, before: Any, after: Any) -> None:
        """Update the recorded expiry time of an item."""
        old, new = (None if image is None else self.time_of(image.item) for image in (before, after))
        if old == new:
            return
        if old is not None:
            self.tree.remove(connection, old, key)
        if new is not None:
            self.tree.add(connection, new, key)
