"""Checks a store: every item stands under its own key with its own size, and every index entry matches its item."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from singletable.engine.backups import all_backups
from singletable.engine.catalog import Catalog
from singletable.engine.check_side_records import wrong_changes, wrong_expiries
from singletable.engine.keys import stored_key
from singletable.engine.storage.check import check as check_format
from singletable.engine.storage.layout import BACKUPS_SINCE, version_of
from singletable.engine.storage.store import Store
from singletable.engine.table import LEFT_OUT, Item, OpenIndex, OpenTable, decode_item
from singletable.values.item_size import item_size

STEP_ROWS = 1000


class Checked(NamedTuple):
    """What was looked at, and what is wrong with it."""

    tables: int
    items: int
    entries: int
    problems: list[str]
    backups: int = 0


def check_store(path: Path | str) -> Checked:
    """Reads the whole store, from one moment, and changes nothing."""
    store = Store.open(f"file:{path}", create=False)
    try:
        problems = check_format(store)
        if problems:
            # What the format does not explain cannot be read item by item.
            return Checked(0, 0, 0, problems)
        tables = Catalog(store).reload()
        items = entries = 0
        with store.snapshot() as connection:
            for table in tables:
                items += table.tree.count(connection)[0]
                problems.extend(_of_table(connection, table))
                for index in table.indexes:
                    entries += index.tree.count(connection)[0]
                    problems.extend(_of_index(connection, table, index))
                problems.extend(wrong_changes(connection, table))
                problems.extend(wrong_expiries(connection, table))
            backups = backups_of(connection)
            for name, backup in backups.items():
                problems.extend(f"backup {name} of {problem}" for problem in _of_table(connection, backup))
        return Checked(len(tables), items, entries, problems, len(backups))
    finally:
        store.close()


def backups_of(connection: sqlite3.Connection) -> dict[str, OpenTable]:
    """The backups of a store that are whole, each as a table without indexes."""
    if version_of(connection) < BACKUPS_SINCE:
        return {}
    found = [(each.row, each.backup) for each in all_backups(connection) if each.backup.status == "AVAILABLE"]
    return {
        row.identifier: OpenTable(msgspec.structs.replace(backup.definition, indexes=()), 0, row.tree, ())
        for row, backup in found
    }


def _of_table(connection: sqlite3.Connection, table: OpenTable) -> Iterator[str]:
    """Every item, and that each index which is filled has the entry that the item asks for."""
    for key, body, size in _rows(connection, table):
        item = _decoded(body)
        if item is None:
            yield f"{table.name}: the item under {key.hex()} is no JSON"
            continue
        problem = _of_item(table, key, item, size)
        if problem is not None:
            yield f"{table.name}: {problem}"
            continue
        for index in table.indexes:
            entry = index.entry(item, body, size, key, LEFT_OUT)
            if entry is None or index.definition.status != "ACTIVE":
                continue
            row = index.tree.get(connection, entry.key)
            if row is None:
                yield f"{table.name}/{index.name}: the entry of {_named(table, item)} is missing"
            elif row != (entry.body, entry.size):
                yield f"{table.name}/{index.name}: the entry of {_named(table, item)} is not what its item says"


def _of_item(table: OpenTable, key: bytes, item: Item, size: int) -> str | None:
    try:
        own_key, own_size = stored_key(table, item), item_size(item)
    except (KeyError, TypeError, ValueError):
        return f"the item under {key.hex()} has no key of its table, or a value that is none"
    if own_key != key:
        return f"{_named(table, item)} stands under another key, {key.hex()}"
    if own_size != size:
        return f"{_named(table, item)} has {own_size} bytes, and {size} are noted"
    return None


def _of_index(connection: sqlite3.Connection, table: OpenTable, index: OpenIndex) -> Iterator[str]:
    """That every entry has an item which asks for it."""
    position = b""
    while rows := index.tree.after(connection, position, STEP_ROWS):
        for key, body, _ in rows:
            entry = _decoded(body)
            if entry is None or not _is_asked_for(connection, table, index, key, entry):
                yield f"{table.name}/{index.name}: the entry under {key.hex()} belongs to no item"
        position = rows[-1][0]


def _is_asked_for(connection: sqlite3.Connection, table: OpenTable, index: OpenIndex, key: bytes, entry: Item) -> bool:
    try:
        base_key = stored_key(table, entry)
    except (KeyError, TypeError, ValueError):
        return False
    row = table.tree.get(connection, base_key)
    item = None if row is None else _decoded(row[0])
    return item is not None and index.key_of(item, base_key, LEFT_OUT) == key


def _rows(connection: sqlite3.Connection, table: OpenTable) -> Iterator[tuple[bytes, bytes, int]]:
    position = b""
    while rows := table.tree.after(connection, position, STEP_ROWS):
        yield from rows
        position = rows[-1][0]


def _decoded(body: bytes) -> Item | None:
    try:
        return decode_item(body)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _named(table: OpenTable, item: Item) -> str:
    return ", ".join(f"{name}={next(iter(item[name].values()))}" for name in table.key_names)
