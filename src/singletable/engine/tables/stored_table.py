"""Stored tables and indexes: a definition with the trees of its items and index entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from singletable.engine.storage.entry_keys import index_key
from singletable.engine.storage.item_tree import Tree
from singletable.engine.streams.change_recorder import ChangeRecorder, ExpiryRecorder
from singletable.engine.tables.table_definition import IndexDefinition, KeyElement, TableDefinition
from singletable.errors import RequestRefused, invalid
from singletable.values.item_size import item_size
from singletable.values.limits import PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from singletable.values.scalars import key_bytes
from singletable.wire.api_types import decoder_of

if TYPE_CHECKING:
    from singletable.engine.items.query_ranges import QueryFastPath
    from singletable.engine.traffic.table_traffic import TableTraffic

Item = dict[str, dict[str, Any]]

_encode = msgspec.json.Encoder().encode
decode_item = decoder_of(dict[str, dict[str, Any]]).decode


class IndexEntry(NamedTuple):
    """The entry of an item in an index."""

    key: bytes
    body: bytes
    size: int


class Image(NamedTuple):
    """A stored item: its attributes, JSON and size, and its entry in each index (None if it has none)."""

    item: Item
    body: bytes
    size: int
    entries: tuple[IndexEntry | None, ...]


class EmptyKeyValue(RequestRefused):
    """The error for an empty key attribute. A transaction returns it instead of a cancellation (captured from AWS)."""

    def __init__(self, what: str) -> None:
        super().__init__("ValidationException", f"One or more parameter values are not valid. {what}")


class IndexKeyErrors:
    """Creates the errors for invalid index key values. If a method returns None, the index omits the item instead."""

    def mismatch(self, index: str, attribute: KeyElement, value: dict[str, Any]) -> RequestRefused | None:
        """Return the error of a value with the wrong type."""
        return invalid(
            f"One or more parameter values were invalid: Type mismatch for Index Key {attribute.name} "
            f"Expected: {attribute.kind} Actual: {next(iter(value))} IndexName: {index}"
        )

    def empty(self, index: str, attribute: KeyElement) -> RequestRefused | None:
        """Return the error of an empty value."""
        return EmptyKeyValue(
            "A value specified for a secondary index key is not supported. "
            f"The AttributeValue for a key attribute cannot contain an empty {TYPE_NAMES[attribute.kind]} value. "
            f"IndexName: {index}, IndexKey: {attribute.name}"
        )


class UpdateIndexKeyErrors(IndexKeyErrors):
    """The errors of an update expression. A value that the update did not change is not an error."""

    def __init__(self, before: Item) -> None:
        self._before = before

    def mismatch(self, index: str, attribute: KeyElement, value: dict[str, Any]) -> RequestRefused | None:
        """Return the error of a value with the wrong type."""
        if self._before.get(attribute.name) == value:
            return None
        return invalid("The update expression attempted to update the secondary index key to unsupported type")

    def empty(self, index: str, attribute: KeyElement) -> RequestRefused | None:
        """Return the error of an empty value."""
        if self._before.get(attribute.name) == {attribute.kind: ""}:
            return None
        return EmptyKeyValue(
            "The update expression attempted to update a secondary index key to a value that is not supported. "
            f"The AttributeValue for a key attribute cannot contain an empty {TYPE_NAMES[attribute.kind]} value."
        )


class OmitFromIndex(IndexKeyErrors):
    """Returns no errors. As in DynamoDB, an index omits existing items with invalid key values."""

    def mismatch(self, index: str, attribute: KeyElement, value: dict[str, Any]) -> None:
        """Return None, because a value with the wrong type is not an error."""

    def empty(self, index: str, attribute: KeyElement) -> None:
        """Return None, because an empty value is not an error."""


TYPE_NAMES = {"S": "string", "B": "binary", "N": "number"}
PUT_ERRORS = IndexKeyErrors()
OMIT_FROM_INDEX = OmitFromIndex()


class KeyOrder:
    """The key that orders a tree: its attributes, their names and their types."""

    __slots__ = ("kinds", "names", "partition", "partition_names", "sort", "sort_names")

    def __init__(self, partition: tuple[KeyElement, ...], sort: tuple[KeyElement, ...]) -> None:
        self.partition, self.sort = partition, sort
        self.partition_names = tuple([each.name for each in partition])
        self.sort_names = tuple([each.name for each in sort])
        self.names = (*self.partition_names, *self.sort_names)
        self.kinds = {each.name: each.kind for each in (*partition, *sort)}


class StoredIndex:
    """An index with the tree of its entries."""

    __slots__ = ("_partition_count", "_projected", "definition", "key_names", "name", "order", "tree")

    def __init__(self, table: TableDefinition, definition: IndexDefinition, tree: Tree) -> None:
        self.definition = definition
        self.name = definition.name
        self.tree = tree
        attributes = (*definition.key_attributes, *table.key_attributes)
        self.key_names = tuple(dict.fromkeys(attribute.name for attribute in attributes))
        self._partition_count = len(definition.partition)
        self.order = KeyOrder(definition.partition, definition.sort)
        self._projected = None if definition.projection == "ALL" else frozenset((*self.key_names, *definition.included))

    def holds(self, attribute: str) -> bool:
        """Whether the projection of the index includes an attribute."""
        return self._projected is None or attribute in self._projected

    def key_of(self, item: Item, base_key: bytes, errors: IndexKeyErrors) -> bytes | None:
        """Return the key of an item in the index, or None if it lacks an index key attribute."""
        parts: list[bytes] = []
        is_member = True
        for attribute in self.definition.key_attributes:
            value = item.get(attribute.name)
            # The types are checked even after a missing attribute.
            part = None if value is None else self._part(attribute, value, errors, len(parts) < self._partition_count)
            if part is None:
                is_member = False
            parts.append(part or b"")
        if not is_member:
            return None
        return index_key(parts[: self._partition_count], parts[self._partition_count :], base_key)

    def _part(
        self, attribute: KeyElement, value: dict[str, Any], errors: IndexKeyErrors, is_partition: bool
    ) -> bytes | None:
        text = value.get(attribute.kind)
        if not text:
            is_other = text is None
            error = errors.mismatch(self.name, attribute, value) if is_other else errors.empty(self.name, attribute)
            if error is not None:
                raise error
            return None
        part = key_bytes(attribute.kind, text)
        if len(part) > SORT_KEY_BYTES_MAX:
            try:
                check_key_length(part, is_partition=is_partition)
            except RequestRefused:
                if errors is OMIT_FROM_INDEX:
                    return None
                raise
        return part

    def entry(self, item: Item, body: bytes, size: int, base_key: bytes, errors: IndexKeyErrors) -> IndexEntry | None:
        """Return the index entry of an item, or None if the index omits it."""
        key = self.key_of(item, base_key, errors)
        if key is None:
            return None
        if self._projected is None:
            return IndexEntry(key, body, size)
        projected = {name: value for name, value in item.items() if name in self._projected}
        return IndexEntry(key, _encode(projected), item_size(projected))


def check_key_length(part: bytes, *, is_partition: bool) -> None:
    """Reject a key attribute that is too long."""
    if is_partition and len(part) > PARTITION_KEY_BYTES_MAX:
        raise invalid(
            "One or more parameter values were invalid: "
            f"Size of hashkey has exceeded the maximum size limit of{PARTITION_KEY_BYTES_MAX} bytes"
        )
    if not is_partition and len(part) > SORT_KEY_BYTES_MAX:
        raise invalid(
            "One or more parameter values were invalid: "
            f"Aggregated size of all range keys has exceeded the size limit of {SORT_KEY_BYTES_MAX} bytes"
        )


class StoredTable:
    """A table with the trees of its items and index entries."""

    __slots__ = (
        "changes",
        "definition",
        "expiry",
        "has_local_indexes",
        "has_text_keys",
        "index_keys",
        "indexes",
        "key_names",
        "name",
        "needs_savepoint",
        "number",
        "order",
        "partition_kind",
        "partition_name",
        "query_fast_paths",
        "sort_kind",
        "sort_name",
        "traffic",
        "tree",
        "writes_items_only",
    )

    def __init__(
        self,
        definition: TableDefinition,
        number: int,
        tree: Tree,
        indexes: tuple[StoredIndex, ...],
        changes: ChangeRecorder | None = None,
        expiry: ExpiryRecorder | None = None,
        traffic: TableTraffic | None = None,
    ) -> None:
        # The limits and counters of reads and writes. None for most tables.
        self.traffic = traffic
        self.definition = definition
        self.name = definition.name
        self.number = number
        self.tree = tree
        self.indexes = indexes
        self.changes = changes
        self.expiry = expiry
        # Whether a write changes only the item: no index entries, change log, expiry times, limits or counters.
        self.writes_items_only = not indexes and changes is None and expiry is None and traffic is None
        # A write of an item and its index entries cannot fail part-way: the trees of a table exist together or not at
        # all. Only writes to a change log or of expiry times need a savepoint.
        self.needs_savepoint = changes is not None or expiry is not None
        self.partition_name = definition.partition.name
        self.partition_kind = definition.partition.kind
        self.sort_name = definition.sort.name if definition.sort else None
        self.sort_kind = definition.sort.kind if definition.sort else None
        self.has_text_keys = self.partition_kind == "S" and self.sort_kind in (None, "S")
        self.key_names = tuple(attribute.name for attribute in definition.key_attributes)
        self.order = KeyOrder((definition.partition,), (definition.sort,) if definition.sort else ())
        # Index key attributes by name, each with the first index (by name) that uses it.
        self.index_keys: dict[str, tuple[KeyElement, str]] = {}
        for index in sorted(indexes, key=lambda index: index.name):
            for attribute in index.definition.key_attributes:
                self.index_keys.setdefault(attribute.name, (attribute, index.name))
        self.has_local_indexes = any(index.definition.is_local for index in indexes)
        # Checked Queries, stored by all of their parts except the values.
        self.query_fast_paths: dict[tuple[object, ...], QueryFastPath] = {}

    def index(self, name: str) -> StoredIndex | None:
        """Return the index of that name, or None."""
        return next((index for index in self.indexes if index.name == name), None)

    def image(self, key: bytes, item: Item, size: int, errors: IndexKeyErrors = PUT_ERRORS) -> Image:
        """Return the image of a new item. Reject invalid index key values."""
        body = _encode(item)
        return Image(item, body, size, self._entries(key, item, body, size, errors) if self.indexes else ())

    def stored_image(self, key: bytes, body: bytes, size: int) -> Image:
        """Return the image of a stored item."""
        item = decode_item(body)
        return Image(item, body, size, self._entries(key, item, body, size, OMIT_FROM_INDEX) if self.indexes else ())

    def _entries(
        self, key: bytes, item: Item, body: bytes, size: int, errors: IndexKeyErrors
    ) -> tuple[IndexEntry | None, ...]:
        try:
            return tuple(index.entry(item, body, size, key, errors) for index in self.indexes)
        except RequestRefused:
            # If several indexes have errors, DynamoDB returns the error of the first index by name (captured from AWS).
            for index in sorted(self.indexes, key=lambda index: index.name):
                index.entry(item, body, size, key, errors)
            raise
