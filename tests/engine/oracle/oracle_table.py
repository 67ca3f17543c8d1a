"""A table as a dictionary of items. The entries of its indexes are computed for every request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.engine.oracle.oracle_conditions import KeyCondition
from tests.engine.oracle.oracle_updates import Update, unchanged
from tests.engine.oracle.oracle_values import (
    Invalid,
    InvalidEmptyKey,
    InvalidTwice,
    Item,
    item_size,
    kind_of,
    normal,
    same,
    sort_key,
)

ITEM_BYTES_MAX = 400 * 1024

Key = tuple[Any, ...]


@dataclass(frozen=True)
class OracleIndex:
    """The key attributes of an index, and its projection."""

    name: str
    partition: tuple[str, ...]
    sort: tuple[str, ...]
    projection: str
    included: tuple[str, ...] = ()
    is_local: bool = False

    @property
    def key_names(self) -> tuple[str, ...]:
        return (*self.partition, *self.sort)

    def description(self) -> dict[str, Any]:
        """Return the index for CreateTable and UpdateTable."""
        projection: dict[str, Any] = {"ProjectionType": self.projection}
        if self.projection == "INCLUDE":
            projection["NonKeyAttributes"] = list(self.included)
        return {"IndexName": self.name, "KeySchema": key_schema(self.partition, self.sort), "Projection": projection}


def key_schema(partition: Iterable[str], sort: Iterable[str]) -> list[dict[str, str]]:
    return [{"AttributeName": name, "KeyType": "HASH"} for name in partition] + [
        {"AttributeName": name, "KeyType": "RANGE"} for name in sort
    ]


@dataclass
class OracleTable:
    """Items by key, and the definition of the table."""

    name: str
    partition: str
    sort: str | None
    kinds: dict[str, str]
    indexes: dict[str, OracleIndex] = field(default_factory=dict)
    items: dict[Key, Item] = field(default_factory=dict)

    @property
    def key_names(self) -> tuple[str, ...]:
        return (self.partition,) if self.sort is None else (self.partition, self.sort)

    @property
    def has_local(self) -> bool:
        return any(index.is_local for index in self.indexes.values())

    def creation(self) -> dict[str, Any]:
        """Return the CreateTable request."""
        used = {name for index in self.indexes.values() for name in index.key_names} | set(self.key_names)
        request: dict[str, Any] = {
            "TableName": self.name,
            "KeySchema": key_schema(self.key_names[:1], self.key_names[1:]),
            "AttributeDefinitions": self.definitions(used),
            "BillingMode": "PAY_PER_REQUEST",
        }
        for word, is_local in (("LocalSecondaryIndexes", True), ("GlobalSecondaryIndexes", False)):
            of_kind = [index.description() for index in self.indexes.values() if index.is_local == is_local]
            if of_kind:
                request[word] = of_kind
        return request

    def definitions(self, names: Iterable[str]) -> list[dict[str, str]]:
        return [{"AttributeName": name, "AttributeType": self.kinds[name]} for name in sorted(names)]

    # Keys

    def named_key(self, key: Item) -> Key:
        """Return the key of a request, which must have exactly the key attributes."""
        if set(key) != set(self.key_names):
            raise Invalid("the key does not match the schema")
        return self.key_of(key)

    def key_of(self, item: Item) -> Key:
        return tuple(self._key_part(item, name) for name in self.key_names)

    def _key_part(self, item: Item, name: str) -> Any:
        value = item.get(name)
        if value is None or kind_of(value) != self.kinds[name]:
            raise Invalid(f"no fitting key attribute {name}")
        if value[self.kinds[name]] == "":
            raise InvalidEmptyKey("an empty key attribute")
        return sort_key(value)

    def key_attributes(self, item: Item, index: OracleIndex | None) -> Item:
        """Return LastEvaluatedKey."""
        names = self.key_names if index is None else (*index.key_names, *self.key_names)
        return {name: item[name] for name in dict.fromkeys(names)}

    # Validation of items, and index entries

    def check(self, item: Item, before: Item | None = None) -> None:
        """Reject an item that is too large, or that has an invalid index key.

        An update ignores the values that it does not change, because a value can be older than the index.
        """
        wrong: list[Invalid] = []
        for name in {name: None for index in self.indexes.values() for name in index.key_names}:
            if name in item and (before is None or not same(item[name], before.get(name))):
                try:
                    self._key_part(item, name)
                except Invalid as invalid:
                    wrong.append(invalid)
        if wrong:
            # If there are several errors, the choice among them matters only in a transaction.
            raise wrong[0] if len({type(each) for each in wrong}) == 1 else InvalidTwice("two kinds of index keys")
        if self.counted_size(item) > ITEM_BYTES_MAX:
            raise Invalid("an item of more than 400 KB")

    def misfits(self, update: Update) -> bool:
        """Return whether an update sets an index key to another type. This is known without the item."""
        index_keys = {name for index in self.indexes.values() for name in index.key_names}
        given = [(str(path[0]), value) for path, value in update.given if len(path) == 1]
        return any(name in index_keys and kind_of(value) != self.kinds[name] for name, value in given)

    def counted_size(self, item: Item) -> int:
        """Return the size to which the 400 KB limit applies: the item and its local index entries."""
        entries = [self.entry(index, item) for index in self.indexes.values() if index.is_local]
        return item_size(item) + sum(item_size(entry) for entry in entries if entry is not None)

    def holds(self, index: OracleIndex, attribute: str) -> bool:
        return index.projection == "ALL" or attribute in (*self.key_names, *index.key_names, *index.included)

    def entry(self, index: OracleIndex, item: Item) -> Item | None:
        """Return the index entry of an item, or None if a key attribute is missing or invalid."""
        for name in index.key_names:
            value = item.get(name)
            if value is None or not value.get(self.kinds[name]):
                return None
        return {name: value for name, value in item.items() if self.holds(index, name)}

    def entries(self, index: OracleIndex | None) -> dict[Key, Item]:
        """Return all entries of the index or table, by item key."""
        if index is None:
            return dict(self.items)
        found = {key: self.entry(index, item) for key, item in self.items.items()}
        return {key: entry for key, entry in found.items() if entry is not None}

    def matching(self, index: OracleIndex | None, condition: KeyCondition | None) -> dict[Key, Item]:
        """Return the entries that a key condition selects, or all entries for a Scan."""
        entries = self.entries(index)
        return {key: entry for key, entry in entries.items() if condition is None or condition.holds(entry)}

    def sort_of(self, index: OracleIndex | None, item: Item) -> Key:
        names = self.key_names[1:] if index is None else index.sort
        return tuple(sort_key(item[name]) for name in names)

    def partition_of(self, index: OracleIndex | None, item: Item) -> Key:
        names = self.key_names[:1] if index is None else index.partition
        return tuple(sort_key(item[name]) for name in names)

    def assert_order(self, index: OracleIndex | None, items: Sequence[Item], *, descending: bool) -> None:
        """Check that partitions are contiguous and sorted by sort key."""
        partitions = [self.partition_of(index, item) for item in items]
        together = [partition for i, partition in enumerate(partitions) if i == 0 or partitions[i - 1] != partition]
        assert len(together) == len(set(together)), "a partition is read in several pieces"
        for partition in together:
            inside = [item for item, of in zip(items, partitions, strict=True) if of == partition]
            keys = [self.sort_of(index, item) for item in inside]
            assert keys == sorted(keys, reverse=descending), "items are out of order"

    # Units

    def write_units(self, before: Item | None, after: Item | None, factor: int = 1) -> Units:
        """Return the units of a write, by table and index."""
        larger = max(item_size(before or {}), item_size(after or {}))
        units = Units(table=factor * _rounded(larger, 1024))
        for index in self.indexes.values():
            of_index = self._index_units(index, before, after)
            if of_index:
                units.add(index, of_index)
        return units

    def _index_units(self, index: OracleIndex, before: Item | None, after: Item | None) -> int:
        old = None if before is None else self.entry(index, before)
        new = None if after is None else self.entry(index, after)
        if unchanged(old, new) or (old is None and new is None):
            return 0
        moved = old is None or new is None or any(normal(old[n]) != normal(new[n]) for n in index.key_names)
        sizes = [_rounded(item_size(entry), 1024) for entry in (old, new) if entry is not None]
        return sum(sizes) if moved else max(sizes)


@dataclass
class Units:
    """Capacity units of one table."""

    table: float = 0.0
    local: dict[str, float] = field(default_factory=dict)
    global_: dict[str, float] = field(default_factory=dict)

    def add(self, index: OracleIndex, units: float) -> None:
        of_kind = self.local if index.is_local else self.global_
        of_kind[index.name] = of_kind.get(index.name, 0.0) + units

    def __add__(self, other: Units) -> Units:
        total = Units(self.table + other.table, dict(self.local), dict(self.global_))
        for mine, theirs in ((total.local, other.local), (total.global_, other.global_)):
            for name, units in theirs.items():
                mine[name] = mine.get(name, 0.0) + units
        return total

    def capacity_document(self, table: str, detail: str, axis: str | None = None) -> dict[str, Any]:
        """Return ConsumedCapacity. Transactions repeat the units by kind."""

        def units(amount: float) -> dict[str, float]:
            return {"CapacityUnits": amount} | ({axis: amount} if axis else {})

        total = self.table + sum(self.local.values()) + sum(self.global_.values())
        capacity_document: dict[str, Any] = {"TableName": table, **units(total)}
        if detail == "INDEXES":
            capacity_document["Table"] = units(self.table)
            if self.local:
                capacity_document["LocalSecondaryIndexes"] = {
                    name: units(amount) for name, amount in self.local.items()
                }
            if self.global_:
                capacity_document["GlobalSecondaryIndexes"] = {
                    name: units(amount) for name, amount in self.global_.items()
                }
        return capacity_document


def read_units(size: int, factor: float) -> float:
    return _rounded(size, 4096) * factor


def _rounded(size: int, unit: int) -> int:
    return max(1, (size + unit - 1) // unit)
