"""Integrity check of a store: compares items, index entries, change logs, expiry times and backups."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from singletable.engine.backups.backup_records import all_backups
from singletable.engine.catalog import Catalog
from singletable.engine.items.item_keys import stored_key
from singletable.engine.storage.change_log_rows import NO_KEY
from singletable.engine.storage.row_checksum import verified_size
from singletable.engine.storage.storage_check import check_storage as check_format
from singletable.engine.storage.store import Store
from singletable.engine.storage.store_format import BACKUPS_SINCE, may_lack_checksums, read_version
from singletable.engine.tables.stored_table import OMIT_FROM_INDEX, Item, StoredIndex, StoredTable, decode_item
from singletable.values.attribute_value import equal
from singletable.values.fast_path import NotOnFastPath
from singletable.values.item_size import item_size

STEP_ROWS = 1000


class IntegrityReport(NamedTuple):
    """The numbers of checked tables, items, index entries and backups, and the problems."""

    tables: int
    items: int
    entries: int
    problems: list[str]
    backups: int = 0


def check_store(path: Path | str) -> IntegrityReport:
    """Check the whole store in one snapshot, without changing it."""
    store = Store.open(f"file:{path}", create=False)
    try:
        problems = check_format(store)
        if problems:
            # If the file format is damaged, the items cannot be read.
            return IntegrityReport(0, 0, 0, problems)
        tables = Catalog(store).reload()
        items = entries = 0
        with store.snapshot() as connection:
            for table in tables:
                items += table.tree.count(connection)[0]
                problems.extend(_table_problems(connection, table))
                for index in table.indexes:
                    entries += index.tree.count(connection)[0]
                    problems.extend(_index_problems(connection, table, index))
                problems.extend(_change_log_problems(connection, table))
                problems.extend(_expiry_problems(connection, table))
            backups = backups_of(connection)
            for name, backup in backups.items():
                problems.extend(f"backup {name} of {problem}" for problem in _table_problems(connection, backup))
        return IntegrityReport(len(tables), items, entries, problems, len(backups))
    finally:
        store.close()


def backups_of(connection: sqlite3.Connection) -> dict[str, StoredTable]:
    """Return the complete backups of a store, each as a table without indexes."""
    if read_version(connection) < BACKUPS_SINCE:
        return {}
    found = [(each.row, each.backup) for each in all_backups(connection) if each.backup.status == "AVAILABLE"]
    return {
        row.identifier: StoredTable(msgspec.structs.replace(backup.definition, indexes=()), 0, row.tree, ())
        for row, backup in found
    }


def _table_problems(connection: sqlite3.Connection, table: StoredTable) -> Iterator[str]:
    """Yield a problem for each invalid item, and for each item whose entry in an active index is missing or wrong."""
    for key, body, size, checksum in _rows(connection, table):
        if not _matches(connection, key, body, size, checksum):
            yield f"{table.name}: the item at key {key.hex()} does not match its checksum"
        item = _decode_or_none(body)
        if item is None:
            yield f"{table.name}: the item at key {key.hex()} is not valid JSON"
            continue
        problem = _item_problem(table, key, item, size)
        if problem is not None:
            yield f"{table.name}: {problem}"
            continue
        for index in table.indexes:
            entry = index.entry(item, body, size, key, OMIT_FROM_INDEX)
            if entry is None or index.definition.status != "ACTIVE":
                continue
            row = index.tree.unverified_get(connection, entry.key)
            if row is None:
                yield f"{table.name}/{index.name}: the entry of {_key_text(table, item)} is missing"
            elif row != (entry.body, entry.size):
                yield f"{table.name}/{index.name}: the entry of {_key_text(table, item)} differs from the item"


def _item_problem(table: StoredTable, key: bytes, item: Item, size: int) -> str | None:
    try:
        own_key, own_size = stored_key(table, item), item_size(item)
    except (KeyError, TypeError, ValueError):
        return f"the item at key {key.hex()} has an invalid key or value"
    if own_key != key:
        return f"{_key_text(table, item)} is stored under the wrong key {key.hex()}"
    if own_size != size:
        return f"{_key_text(table, item)} has {own_size} bytes, but the store records {size}"
    return None


def _index_problems(connection: sqlite3.Connection, table: StoredTable, index: StoredIndex) -> Iterator[str]:
    """Yield a problem for each index entry that does not belong to an item."""
    position = b""
    while rows := index.tree.unverified_after(connection, position, STEP_ROWS):
        for key, body, size, checksum in rows:
            if not _matches(connection, key, body, size, checksum):
                yield f"{table.name}/{index.name}: the entry at key {key.hex()} does not match its checksum"
            entry = _decode_or_none(body)
            if entry is None or not _has_item(connection, table, index, key, entry):
                yield f"{table.name}/{index.name}: the entry at key {key.hex()} belongs to no item"
        position = rows[-1][0]


def _has_item(connection: sqlite3.Connection, table: StoredTable, index: StoredIndex, key: bytes, entry: Item) -> bool:
    try:
        base_key = stored_key(table, entry)
    except (KeyError, TypeError, ValueError):
        return False
    row = table.tree.unverified_get(connection, base_key)
    item = None if row is None else _decode_or_none(row[0])
    return item is not None and index.key_of(item, base_key, OMIT_FROM_INDEX) == key


def _change_log_problems(connection: sqlite3.Connection, table: StoredTable) -> Iterator[str]:
    """Yield the problems of a change log.

    A change must start from the result of the previous change to the same item, and the current item must be the result
    of its last change.
    """
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
            if change.key in latest and not _is_same_item(latest[change.key], change.before):
                yield f"{table.name}: change {change.sequence} does not start from the result of the previous change"
            latest[change.key] = change.after
        position = changes[-1].sequence + 1
    for key, body in latest.items():
        row = table.tree.unverified_get(connection, key)
        if not _is_same_item(None if row is None else row[0], body):
            yield f"{table.name}: the item at key {key.hex()} differs from its last change"


def _expiry_problems(connection: sqlite3.Connection, table: StoredTable) -> Iterator[str]:
    """Yield a problem for each recorded expiry time that no item has.

    If TTL is enabled, also yield a problem for each item whose expiry time is not recorded.
    """
    if table.expiry is None:
        return
    recorded = {(at, key) for at, key in table.expiry.tree.rows(connection)}
    for at, key in sorted(recorded):
        row = table.tree.unverified_get(connection, key)
        if row is None or _expiry_time(table, row[0]) != at:
            yield (
                f"{table.name}: an expiry at {at} is recorded for key {key.hex()}, but the item does not expire at "
                "that time"
            )
    setting = table.definition.time_to_live
    if setting is None or setting.status != "ENABLED":
        return
    position = b""
    while rows := table.tree.unverified_after(connection, position, STEP_ROWS):
        for key, body, _, _ in rows:
            time = _expiry_time(table, body)
            if time is not None and (time, key) not in recorded:
                yield f"{table.name}: the item at key {key.hex()} expires at {time}, but no expiry is recorded"
        position = rows[-1][0]


def _is_same_item(left: bytes | None, right: bytes | None) -> bool:
    """Return whether two stored JSON bodies contain the same item, regardless of the order of attributes."""
    if left is None or right is None or left == right:
        return left == right
    try:
        return equal({"M": decode_item(left)}, {"M": decode_item(right)})
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return False


def _expiry_time(table: StoredTable, body: bytes) -> int | None:
    assert table.expiry is not None
    try:
        return table.expiry.time_of(decode_item(body))
    except (msgspec.MsgspecError, ValueError, TypeError, AttributeError):
        return None  # `_table_problems` reports an invalid item


def _matches(connection: sqlite3.Connection, key: bytes, body: bytes, size: int, checksum: bytes | None) -> bool:
    """Return whether a row matches its checksum; a row of an upgraded store may not have one yet."""
    try:
        return verified_size(key, body, checksum) == size
    except NotOnFastPath:
        return checksum is None and may_lack_checksums(connection)


def _rows(connection: sqlite3.Connection, table: StoredTable) -> Iterator[tuple[bytes, bytes, int, bytes | None]]:
    position = b""
    while rows := table.tree.unverified_after(connection, position, STEP_ROWS):
        yield from rows
        position = rows[-1][0]


def _decode_or_none(body: bytes) -> Item | None:
    try:
        return decode_item(body)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _key_text(table: StoredTable, item: Item) -> str:
    return ", ".join(f"{name}={next(iter(item[name].values()))}" for name in table.key_names)
