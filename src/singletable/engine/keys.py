"""Keys of requests and items as the bytes under which items are stored, refused in DynamoDB's words."""

from __future__ import annotations

from typing import Any

from singletable.engine.storage.entry_key import table_key
from singletable.engine.table import KIND_WORDS, EmptyKeyValue, Item, OpenTable, check_key_length
from singletable.errors import RequestRefused, invalid
from singletable.values.compiled import compiled
from singletable.values.key_bytes import key_bytes
from singletable.values.limits import SORT_KEY_BYTES_MAX

PLAIN_CHARACTERS_MAX = SORT_KEY_BYTES_MAX
_quick_keys = compiled("singletable.engine._quick_keys", form=1)


def plain_key(table: OpenTable, key: Item) -> bytes | None:
    """The stored key that a request names, if that is plain to see: short ASCII texts, which nothing can be wrong with.

    Every other key is looked at with care, in the service's order. Most are plain, and care costs more than the read.
    """
    return _plain(table, key) if len(key) == len(table.key_names) else None


def _plain(table: OpenTable, key: Item) -> bytes | None:
    if not table.has_text_keys:
        return None
    if _quick_keys is not None:
        quick: bytes | None = _quick_keys.plain_key(key, table.partition_name, table.sort_name)
        return quick
    value = key.get(table.partition_name)
    text = value.get("S") if value is not None and len(value) == 1 else None
    if type(text) is not str or not text.isascii() or not 0 < len(text) <= PLAIN_CHARACTERS_MAX:
        return None
    if table.sort_name is None:
        return table_key(text.encode(), None)
    value = key.get(table.sort_name)
    sort = value.get("S") if value is not None and len(value) == 1 else None
    if type(sort) is not str or not sort.isascii() or not 0 < len(sort) <= PLAIN_CHARACTERS_MAX:
        return None
    return table_key(text.encode(), sort.encode())


def exact_key(table: OpenTable, key: Item) -> bytes:
    """The stored key that a request names: exactly the attributes of the table's key."""
    partition = key.get(table.partition_name)
    if partition is None or len(key) != len(table.key_names):
        raise no_match()
    text = partition.get(table.partition_kind)
    if not text:
        raise _unfit(table.partition_name, partition, table.partition_kind)
    partition_bytes = text.encode() if table.partition_kind == "S" else key_bytes(table.partition_kind, text)
    if len(partition_bytes) > 1024:
        check_key_length(partition_bytes, is_partition=True)
    if table.sort_name is None:
        return table_key(partition_bytes, None)
    sort = key.get(table.sort_name)
    if sort is None:
        raise no_match()
    kind = table.sort_kind
    assert kind is not None
    text = sort.get(kind)
    if not text:
        raise _unfit(table.sort_name, sort, kind)
    sort_bytes = text.encode() if kind == "S" else key_bytes(kind, text)
    if len(sort_bytes) > 1024:
        check_key_length(sort_bytes, is_partition=False)
    return table_key(partition_bytes, sort_bytes)


def item_key(table: OpenTable, item: Item) -> bytes:
    """The stored key of an item that is about to be put."""
    plain = _plain(table, item)
    if plain is not None:
        return plain
    parts: list[bytes | None] = []
    for attribute in table.definition.key_attributes:
        value = item.get(attribute.name)
        if value is None:
            raise UnfitKey(f"Missing the key {attribute.name} in the item")
        text = value.get(attribute.kind)
        if text is None:
            raise UnfitKey(
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


def stored_key(table: OpenTable, item: Item) -> bytes:
    """The stored key of an item, or of a part of one that has the key, which is known to be right."""
    parts = [key_bytes(each.kind, item[each.name][each.kind]) for each in table.definition.key_attributes]
    return table_key(parts[0], parts[1] if len(parts) == 2 else None)


def key_of(table: OpenTable, item: Item) -> Item:
    """The attributes of the table's key, out of an item."""
    return {name: item[name] for name in table.key_names}


class EmptyKey(EmptyKeyValue):
    """An empty attribute of the table's key."""

    def __init__(self, name: str, kind: str) -> None:
        super().__init__(
            f"The AttributeValue for a key attribute cannot contain an empty {KIND_WORDS[kind]} value. Key: {name}"
        )


class UnfitKey(RequestRefused):
    """An item without an attribute of the table's key, or with one of another type."""

    def __init__(self, what: str) -> None:
        super().__init__("ValidationException", f"One or more parameter values were invalid: {what}")


def no_match() -> RequestRefused:
    """The refusal of a key that is not one of the table."""
    return invalid("The provided key element does not match the schema")


def _unfit(name: str, value: dict[str, Any], kind: str) -> RequestRefused:
    return EmptyKey(name, kind) if value.get(kind) == "" else no_match()
