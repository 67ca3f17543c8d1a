"""Encodes the keys of items as stored keys, with DynamoDB's errors for invalid keys."""

from __future__ import annotations

from typing import Any

from singletable.engine.storage.entry_keys import short_text, table_key
from singletable.engine.tables.stored_table import TYPE_NAMES, EmptyKeyValue, Item, StoredTable, check_key_length
from singletable.errors import RequestRefused, invalid
from singletable.values.fast_path import FastPath, NotOnFastPath, compiled_module
from singletable.values.scalars import key_bytes

FAST_KEYS = FastPath("stored keys")
_fast_keys = compiled_module("singletable.engine.items._fast_keys")


def fast_request_key(table: StoredTable, key: Item) -> bytes:
    """Return the stored key for a request's key. Its attributes must be short ASCII strings, which are always valid.

    Raise NotOnFastPath for any other key; `exact_key` then checks the key in DynamoDB's order. Call this function only
    for a table with string keys.
    """
    if len(key) != len(table.key_names):
        FAST_KEYS.misses += 1
        raise NotOnFastPath
    return _fast_key(table, key)


def _fast_key(table: StoredTable, key: Item) -> bytes:
    try:
        if _fast_keys is not None:
            stored: bytes = _fast_keys.fast_key(key, table.partition_name, table.sort_name)
        else:
            sort = None if table.sort_name is None else short_text(key, table.sort_name)
            stored = table_key(short_text(key, table.partition_name), sort)
    except NotOnFastPath:
        FAST_KEYS.misses += 1
        raise
    FAST_KEYS.hits += 1
    return stored


def exact_key(table: StoredTable, key: Item) -> bytes:
    """Return the stored key for a request's key, which must have exactly the key attributes of the table."""
    partition = key.get(table.partition_name)
    if partition is None or len(key) != len(table.key_names):
        raise key_schema_mismatch()
    text = partition.get(table.partition_kind)
    if not text:
        raise _key_error(table.partition_name, partition, table.partition_kind)
    partition_bytes = text.encode() if table.partition_kind == "S" else key_bytes(table.partition_kind, text)
    if len(partition_bytes) > 1024:
        check_key_length(partition_bytes, is_partition=True)
    if table.sort_name is None:
        return table_key(partition_bytes, None)
    sort = key.get(table.sort_name)
    if sort is None:
        raise key_schema_mismatch()
    kind = table.sort_kind
    assert kind is not None
    text = sort.get(kind)
    if not text:
        raise _key_error(table.sort_name, sort, kind)
    sort_bytes = text.encode() if kind == "S" else key_bytes(kind, text)
    if len(sort_bytes) > 1024:
        check_key_length(sort_bytes, is_partition=False)
    return table_key(partition_bytes, sort_bytes)


def item_key(table: StoredTable, item: Item) -> bytes:
    """Check the key attributes of a new item, and return its stored key."""
    if table.has_text_keys:
        try:
            return _fast_key(table, item)
        except NotOnFastPath:
            pass
    parts: list[bytes | None] = []
    for attribute in table.definition.key_attributes:
        value = item.get(attribute.name)
        if value is None:
            raise InvalidItemKey(f"Missing the key {attribute.name} in the item")
        text = value.get(attribute.kind)
        if text is None:
            raise InvalidItemKey(
                f"Type mismatch for key {attribute.name} expected: {attribute.kind} actual: {next(iter(value))}"
            )
        if not text:
            raise EmptyKey(attribute.name, attribute.kind)
        part = key_bytes(attribute.kind, text)
        check_key_length(part, is_partition=not parts)
        parts.append(part)
    partition, sort = (*parts, None)[:2]
    assert partition is not None
    return table_key(partition, sort)


def stored_key(table: StoredTable, item: Item) -> bytes:
    """Return the stored key for an item or a key. Its key attributes must be present and valid."""
    parts = [key_bytes(each.kind, item[each.name][each.kind]) for each in table.definition.key_attributes]
    return table_key(parts[0], parts[1] if len(parts) == 2 else None)


def key_of(table: StoredTable, item: Item) -> Item:
    """Return the key attributes of an item."""
    return {name: item[name] for name in table.key_names}


class EmptyKey(EmptyKeyValue):
    """The error for an empty value of a table key attribute."""

    def __init__(self, name: str, kind: str) -> None:
        super().__init__(
            f"The AttributeValue for a key attribute cannot contain an empty {TYPE_NAMES[kind]} value. Key: {name}"
        )


class InvalidItemKey(RequestRefused):
    """The error for an item in which a key attribute is missing or has the wrong type."""

    def __init__(self, what: str) -> None:
        super().__init__("ValidationException", f"One or more parameter values were invalid: {what}")


def key_schema_mismatch() -> RequestRefused:
    """Return the error for a key with the wrong attributes."""
    return invalid("The provided key element does not match the schema")


def _key_error(name: str, value: dict[str, Any], kind: str) -> RequestRefused:
    return EmptyKey(name, kind) if value.get(kind) == "" else key_schema_mismatch()
