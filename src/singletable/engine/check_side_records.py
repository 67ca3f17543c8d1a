"""Checks what stands beside the items: that the log leads to the items as they are, and each expiry to an item."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import msgspec

from singletable.engine.storage.change_log import NO_KEY
from singletable.engine.table import OpenTable, decode_item
from singletable.values.comparison import equal

STEP_ROWS = 1000


def wrong_changes(connection: sqlite3.Connection, table: OpenTable) -> Iterator[str]:
    """Every change begins where the one before it ended, and every item is as its latest change left it."""
    if table.changes is None:
        return
    log = table.changes.log
    latest: dict[bytes, bytes | None] = {}
    position, last = log.first(connection), log.last(connection)
    while changes := log.between(connection, position, last, STEP_ROWS):
        for change in changes:
            if change.key == NO_KEY:
                latest.clear()
                continue
            if change.key in latest and not _same(latest[change.key], change.before):
                yield f"{table.name}: change {change.sequence} does not begin where the one before it ended"
            latest[change.key] = change.after
        position = changes[-1].sequence + 1
    for key, body in latest.items():
        row = table.tree.get(connection, key)
        if not _same(None if row is None else row[0], body):
            yield f"{table.name}: the item under {key.hex()} is not as its latest change left it"


def wrong_expiries(connection: sqlite3.Connection, table: OpenTable) -> Iterator[str]:
    """Every time of expiry is that of an item, and, once all were looked at, every item's is there."""
    if table.expiry is None:
        return
    noted = {(at, key) for at, key in table.expiry.tree.rows(connection)}
    for at, key in sorted(noted):
        row = table.tree.get(connection, key)
        if row is None or _time_of(table, row[0]) != at:
            yield f"{table.name}: {key.hex()} is noted to expire at {at}, and its item is not"
    setting = table.definition.time_to_live
    if setting is None or setting.status != "ENABLED":
        return
    position = b""
    while rows := table.tree.after(connection, position, STEP_ROWS):
        for key, body, _ in rows:
            time = _time_of(table, body)
            if time is not None and (time, key) not in noted:
                yield f"{table.name}: the item under {key.hex()} expires at {time}, which is not noted"
        position = rows[-1][0]


def _same(left: bytes | None, right: bytes | None) -> bool:
    """Whether two bodies are the same item: a write that only changes the order of attributes is no change."""
    if left is None or right is None or left == right:
        return left == right
    try:
        return equal({"M": decode_item(left)}, {"M": decode_item(right)})
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return False


def _time_of(table: OpenTable, body: bytes) -> int | None:
    assert table.expiry is not None
    try:
        return table.expiry.time_of(decode_item(body))
    except (msgspec.MsgspecError, ValueError, TypeError, AttributeError):
        return None  # that the item is none is told elsewhere
