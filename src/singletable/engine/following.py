"""Has a table's log, its streams and its expiry tree follow its definition, in the transaction that changes it."""

from __future__ import annotations

import sqlite3
from typing import Literal

import msgspec

from singletable.engine.definition import KeyAttribute, TableDefinition
from singletable.engine.storage import stream_rows
from singletable.engine.storage.change_log import ChangeLog
from singletable.engine.storage.expiry_tree import ExpiryTree


class StreamDocument(msgspec.Struct, frozen=True):
    """What is kept of a stream for its readers, who may come after the end of its table."""

    view: Literal["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"]
    created_at: float
    partition: KeyAttribute
    sort: KeyAttribute | None

    @property
    def key_attributes(self) -> tuple[KeyAttribute, ...]:
        """The attributes of the key of the table, partition first."""
        return (self.partition,) if self.sort is None else (self.partition, self.sort)


def follow(
    connection: sqlite3.Connection,
    number: int,
    before: TableDefinition | None,
    after: TableDefinition | None,
    now: float,
) -> None:
    """Makes and ends what the change from one definition to the other asks for; either may be nothing."""
    log = ChangeLog(number)
    if after is not None and after.keeps_changes and not (before is not None and before.keeps_changes):
        log.create(connection)
        if log.last(connection):  # it is there for the readers of an earlier stream
            log.mark_gap(connection, now)
    had, has = (None if definition is None else definition.stream for definition in (before, after))
    if had is not None and had != has:
        stream_rows.end(connection, number, log.last(connection), now)
    if after is not None and has is not None and has != had:
        document = StreamDocument(has.view, has.created_at, after.partition, after.sort)
        first = log.last(connection) + 1
        row = stream_rows.StreamRow(after.name, has.label, number, first, None, None, msgspec.json.encode(document))
        stream_rows.begin(connection, row)
    is_kept = after is not None and after.keeps_changes
    if before is not None and before.keeps_changes and not is_kept and number not in stream_rows.numbers(connection):
        log.drop(connection)
    _follow_expiry(connection, number, before, after)


def _follow_expiry(
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
