"""Item rows: the stored items in a drawer of the page, each with its keys, entity, size and a few values.

A drawer shows one item collection: the items of the table or an index with the same partition key.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from singletable.client.items.item_types import ItemTypes
from singletable.document.item_collections import text_of
from singletable.document.svg import clean
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.table_schema import TABLE, Index
from singletable.studio.key_pieces import KeyPieces, key_texts
from singletable.values.item_size import item_size

Item = dict[str, Any]
INTERNAL, NO_ENTITY = -1, -2
_VALUES_MAX, _VALUE_CHARACTERS = 2, 28
_KEY_IN_MESSAGE = re.compile(r"^the item \{.*?\}\} ")
_CACHED_ITEMS_MAX, _CACHED_BYTES_MAX = 5_000, 16_000_000


@dataclass(frozen=True)
class ItemRow:
    """One item of a drawer."""

    id: str
    """The table key as JSON. It is the same in the table and every index."""
    entity: int
    """The number of the entity in the design. INTERNAL or NO_ENTITY for other items."""
    label: str
    partition: KeyPieces
    sort: KeyPieces
    values: tuple[str, ...]
    """The first values that the keys do not show."""
    bytes: int
    partition_id: str
    """The partition key as JSON."""

    def document(self) -> dict[str, Any]:
        """Return the row as JSON for the page."""
        return {
            "id": self.id,
            "e": self.entity,
            "l": self.label,
            "p": [list(each) for each in self.partition],
            "s": [list(each) for each in self.sort],
            "v": list(self.values),
            "b": self.bytes,
            "k": self.partition_id,
        }


class ItemRows:
    """Turns the items of one table into rows."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.types = ItemTypes(design)
        self._numbers = {entity.name: number for number, entity in enumerate(design.entities)}
        self._keys = frozenset(name for index in design.indexes.values() for name in index.key_attributes)
        own = {design.settings.type_attribute, design.settings.schema_version_attribute}
        self._hidden = self._keys | {name for name in own if name}

    def index(self, label: str) -> Index | None:
        """Return the table (`table`) or the index with this name. Return None if there is none."""
        return next((each for each in self.design.indexes.values() if each.label == label), None)

    def entity_of(self, item: Item) -> Entity | None:
        """Return the entity of an item. Return None for internal and unknown items."""
        return None if self.types.is_marker(item) else self.types.entity_of(item)

    def number_of(self, item: Item) -> int:
        """Return the number of the entity of an item, INTERNAL or NO_ENTITY."""
        if self.types.is_marker(item):
            return INTERNAL
        entity = self.types.entity_of(item)
        return NO_ENTITY if entity is None else self._numbers[entity.name]

    def label_of(self, number: int) -> str:
        """Return the name to show for an entity number."""
        if number >= 0:
            return self.design.entities[number].label
        return "internal" if number == INTERNAL else "no entity"

    def row(self, item: Item, index: Index) -> ItemRow:
        """Return the row of an item in the table or an index."""
        number = self.number_of(item)
        entity = self.design.entities[number] if number >= 0 else None
        return ItemRow(
            item_id(self.design, item),
            number,
            self.label_of(number),
            key_texts(item, index.partition, entity, index),
            key_texts(item, index.sort, entity, index),
            tuple(self._values(item, entity, index)),
            item_size(item),
            key_json(item, tuple(each.name for each in index.partition)),
        )

    def _values(self, item: Item, entity: Entity | None, index: Index) -> Iterator[str]:
        """Yield the first short values that the keys of the row do not show."""
        in_key: set[str] = set()
        names: Sequence[str] = list(item)
        if entity is not None:
            placement = entity.placements.get(index.alias)
            base = entity.placements[TABLE]
            in_key = {entity.attributes[name] for each in (placement, base) if each for name in each.exact_fields}
            names = list(entity.attributes.values())
        texts = [
            clean(text_of(item[name]))
            for name in names
            if name in item and name not in self._hidden and name not in in_key and {"S", "N"} & item[name].keys()
        ]
        short = [text for text in texts if 0 < len(text) <= _VALUE_CHARACTERS]
        yield from (short or [f"{text[:_VALUE_CHARACTERS]}…" for text in texts if text])[:_VALUES_MAX]


def item_id(design: Design, item: Mapping[str, Any]) -> str:
    """Return the table key of an item as JSON. It identifies the item on every page."""
    return key_json(item, design.table.key_attributes)


def reading_problem(message: str) -> str:
    """Return the message of an unreadable item without its key, which the page shows next to it."""
    return _KEY_IN_MESSAGE.sub("The item ", message)


def key_json(item: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return these key attributes of an item as compact JSON."""
    return json.dumps({name: item[name] for name in names}, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class ReadItem:
    """A whole item, and the time when it was read."""

    item: Item
    read_at: datetime
    bytes: int


class ReadItems:
    """The whole items that were read last, so that selecting a row sends no request.

    Their number and size are limited.
    """

    def __init__(self) -> None:
        self._items: OrderedDict[tuple[str, str], ReadItem] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def add(self, table: str, key: str, item: Item) -> None:
        """Store an item."""
        read = ReadItem(item, datetime.now(UTC), item_size(item))
        with self._lock:
            self._drop((table, key))
            self._items[table, key] = read
            self._bytes += read.bytes
            while len(self._items) > _CACHED_ITEMS_MAX or self._bytes > _CACHED_BYTES_MAX:
                self._drop(next(iter(self._items)))

    def get(self, table: str, key: str) -> ReadItem | None:
        """Return an item that was read, or None."""
        return self._items.get((table, key))

    def newest(self, table: str) -> list[ReadItem]:
        """Return the items of a table, with the newest first."""
        with self._lock:
            return [read for (name, _), read in reversed(self._items.items()) if name == table]

    def discard(self, table: str, key: str) -> None:
        """Remove an item, because a write may have changed it."""
        with self._lock:
            self._drop((table, key))

    def clear(self) -> None:
        """Remove all items."""
        with self._lock:
            self._items.clear()
            self._bytes = 0

    def _drop(self, key: tuple[str, str]) -> None:
        known = self._items.pop(key, None)
        if known is not None:
            self._bytes -= known.bytes
