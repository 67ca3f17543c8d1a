"""Tables as the actions use them: definitions with the trees that hold their items, and entries of items in indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from singletable.engine.definition import IndexDefinition, KeyAttribute, TableDefinition
from singletable.engine.side_records import Changes, Expiry
from singletable.engine.storage.entry_key import index_key
from singletable.engine.storage.tree import Tree
from singletable.errors import RequestRefused, invalid
from singletable.values.item_size import item_size
from singletable.values.key_bytes import key_bytes
from singletable.values.limits import PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from singletable.wire.decoders import decoder_of

if TYPE_CHECKING:
    from singletable.engine.familiar import Familiar
    from singletable.engine.traffic.table_traffic import TableTraffic

Item = dict[str, dict[str, Any]]

_encode = msgspec.json.Encoder().encode
decode_item = decoder_of(dict[str, dict[str, Any]]).decode


class Entry(NamedTuple):
    """What an index holds of an item, and where."""

    key: bytes
    body: bytes
    size: int


class Image(NamedTuple):
    """An item as it is stored: its parts, its bytes, its size, and its entry in each index (None where it has none)."""

    item: Item
    body: bytes
    size: int
    entries: tuple[Entry | None, ...]


class EmptyKeyValue(RequestRefused):
    """An empty key attribute. A transaction is refused with it, and not cancelled (captured)."""

    def __init__(self, what: str) -> None:
        super().__init__("ValidationException", f"One or more parameter values are not valid. {what}")


class IndexKeyWords:
    """How a value that an index cannot hold as a key is refused; None where the item is only left out of the index."""

    def mismatch(self, index: str, attribute: KeyAttribute, value: dict[str, Any]) -> RequestRefused | None:
        """The value is of another type than the key attribute."""
        return invalid(
            f"One or more parameter values were invalid: Type mismatch for Index Key {attribute.name} "
            f"Expected: {attribute.kind} Actual: {next(iter(value))} IndexName: {index}"
        )

    def empty(self, index: str, attribute: KeyAttribute) -> RequestRefused | None:
        """The value is empty, and no key may be."""
        return EmptyKeyValue(
            "A value specified for a secondary index key is not supported. "
            f"The AttributeValue for a key attribute cannot contain an empty {KIND_WORDS[attribute.kind]} value. "
            f"IndexName: {index}, IndexKey: {attribute.name}"
        )


class UpdatedIndexKeyWords(IndexKeyWords):
    """The same refusals when an update expression made the value; what was there before the update is let be."""

    def __init__(self, before: Item) -> None:
        self._before = before

    def mismatch(self, index: str, attribute: KeyAttribute, value: dict[str, Any]) -> RequestRefused | None:
        """The value is of another type than the key attribute."""
        if self._before.get(attribute.name) == value:
            return None
        return invalid("The update expression attempted to update the secondary index key to unsupported type")

    def empty(self, index: str, attribute: KeyAttribute) -> RequestRefused | None:
        """The value is empty, and no key may be."""
        if self._before.get(attribute.name) == {attribute.kind: ""}:
            return None
        return EmptyKeyValue(
            "The update expression attempted to update a secondary index key to a value that is not supported. "
            f"The AttributeValue for a key attribute cannot contain an empty {KIND_WORDS[attribute.kind]} value."
        )


class LeftOut(IndexKeyWords):
    """An item that was there before the index: one that the index cannot hold is not in it, as in the service."""

    def mismatch(self, index: str, attribute: KeyAttribute, value: dict[str, Any]) -> None:
        """The value is of another type than the key attribute."""

    def empty(self, index: str, attribute: KeyAttribute) -> None:
        """The value is empty, and no key may be."""


KIND_WORDS = {"S": "string", "B": "binary", "N": "number"}
PUT_WORDS = IndexKeyWords()
LEFT_OUT = LeftOut()


class KeyOrder:
    """The key that a tree is in the order of: its attributes, their names, and their types by name."""

    __slots__ = ("kinds", "names", "partition", "partition_names", "sort", "sort_names")

    def __init__(self, partition: tuple[KeyAttribute, ...], sort: tuple[KeyAttribute, ...]) -> None:
        self.partition, self.sort = partition, sort
        self.partition_names = tuple([each.name for each in partition])
        self.sort_names = tuple([each.name for each in sort])
        self.names = (*self.partition_names, *self.sort_names)
        self.kinds = {each.name: each.kind for each in (*partition, *sort)}


class OpenIndex:
    """An index with the tree that holds its entries."""

    __slots__ = ("_held", "_partition_count", "definition", "key_names", "name", "order", "tree")

    def __init__(self, table: TableDefinition, definition: IndexDefinition, tree: Tree) -> None:
        self.definition = definition
        self.name = definition.name
        self.tree = tree
        attributes = (*definition.key_attributes, *table.key_attributes)
        self.key_names = tuple(dict.fromkeys(attribute.name for attribute in attributes))
        self._partition_count = len(definition.partition)
        self.order = KeyOrder(definition.partition, definition.sort)
        self._held = None if definition.projection == "ALL" else frozenset((*self.key_names, *definition.included))

    def holds(self, attribute: str) -> bool:
        """Whether the index has the attribute of every item in it that has it."""
        return self._held is None or attribute in self._held

    def key_of(self, item: Item, base_key: bytes, words: IndexKeyWords) -> bytes | None:
        """Where the item stands in the index; None when it lacks an attribute of the index's key."""
        parts: list[bytes] = []
        is_member = True
        for attribute in self.definition.key_attributes:
            value = item.get(attribute.name)
            # An attribute behind a missing one is still held to its type.
            part = None if value is None else self._part(attribute, value, words, len(parts) < self._partition_count)
            if part is None:
                is_member = False
            parts.append(part or b"")
        if not is_member:
            return None
        return index_key(parts[: self._partition_count], parts[self._partition_count :], base_key)

    def _part(
        self, attribute: KeyAttribute, value: dict[str, Any], words: IndexKeyWords, is_partition: bool
    ) -> bytes | None:
        text = value.get(attribute.kind)
        if not text:
            is_other = text is None
            refusal = words.mismatch(self.name, attribute, value) if is_other else words.empty(self.name, attribute)
            if refusal is not None:
                raise refusal
            return None
        part = key_bytes(attribute.kind, text)
        if len(part) > SORT_KEY_BYTES_MAX:
            try:
                check_key_length(part, is_partition=is_partition)
            except RequestRefused:
                if words is LEFT_OUT:  # an item from before the index, which cannot be in it
                    return None
                raise
        return part

    def entry(self, item: Item, body: bytes, size: int, base_key: bytes, words: IndexKeyWords) -> Entry | None:
        """What the index holds of the item; None when the item is not in it."""
        key = self.key_of(item, base_key, words)
        if key is None:
            return None
        if self._held is None:
            return Entry(key, body, size)
        held = {name: value for name, value in item.items() if name in self._held}
        return Entry(key, _encode(held), item_size(held))


def check_key_length(part: bytes, *, is_partition: bool) -> None:
    """Refuses a key attribute that is too long."""
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


class OpenTable:
    """A table with the trees that hold its items and the entries of its indexes."""

    __slots__ = (
        "changes",
        "definition",
        "expiry",
        "familiar",
        "has_local_indexes",
        "has_text_keys",
        "index_keys",
        "indexes",
        "is_bare",
        "is_certain",
        "key_names",
        "name",
        "number",
        "order",
        "partition_kind",
        "partition_name",
        "sort_kind",
        "sort_name",
        "traffic",
        "tree",
    )

    def __init__(
        self,
        definition: TableDefinition,
        number: int,
        tree: Tree,
        indexes: tuple[OpenIndex, ...],
        changes: Changes | None = None,
        expiry: Expiry | None = None,
        traffic: TableTraffic | None = None,
    ) -> None:
        # What every read and write is passed by; None, as for most tables, when nothing is limited or counted.
        self.traffic = traffic
        self.definition = definition
        self.name = definition.name
        self.number = number
        self.tree = tree
        self.indexes = indexes
        self.changes = changes
        self.expiry = expiry
        # Whether an item is all that a write has to write.
        self.is_bare = not indexes and changes is None and expiry is None and traffic is None
        # Whether one write has only trees to change that come and go together: the first of them is there or none is.
        self.is_certain = changes is None and expiry is None
        self.partition_name = definition.partition.name
        self.partition_kind = definition.partition.kind
        self.sort_name = definition.sort.name if definition.sort else None
        self.sort_kind = definition.sort.kind if definition.sort else None
        self.has_text_keys = self.partition_kind == "S" and self.sort_kind in (None, "S")
        self.key_names = tuple(attribute.name for attribute in definition.key_attributes)
        self.order = KeyOrder((definition.partition,), (definition.sort,) if definition.sort else ())
        # The attributes of index keys by name, each with the first index, by name, that it is a key of.
        self.index_keys: dict[str, tuple[KeyAttribute, str]] = {}
        for index in sorted(indexes, key=lambda index: index.name):
            for attribute in index.definition.key_attributes:
                self.index_keys.setdefault(attribute.name, (attribute, index.name))
        self.has_local_indexes = any(index.definition.is_local for index in indexes)
        # The Queries that were asked of this table, by all of them but their values.
        self.familiar: dict[tuple[object, ...], Familiar] = {}

    def index(self, name: str) -> OpenIndex | None:
        """The index of that name, if there is one."""
        return next((index for index in self.indexes if index.name == name), None)

    def image(self, key: bytes, item: Item, size: int, words: IndexKeyWords = PUT_WORDS) -> Image:
        """An item as it will be stored; refuses values that an index cannot hold."""
        body = _encode(item)
        return Image(item, body, size, self._entries(key, item, body, size, words) if self.indexes else ())

    def stored_image(self, key: bytes, body: bytes, size: int) -> Image:
        """An item as it is stored."""
        item = decode_item(body)
        return Image(item, body, size, self._entries(key, item, body, size, LEFT_OUT) if self.indexes else ())

    def _entries(
        self, key: bytes, item: Item, body: bytes, size: int, words: IndexKeyWords
    ) -> tuple[Entry | None, ...]:
        try:
            return tuple(index.entry(item, body, size, key, words) for index in self.indexes)
        except RequestRefused:
            # Of several refusals, that of the index whose name comes first is told (captured).
            for index in sorted(self.indexes, key=lambda index: index.name):
                index.entry(item, body, size, key, words)
            raise
