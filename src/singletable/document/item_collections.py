"""Group items into item collections of the table or an index, sorted by sort key."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.errors import ArgumentRefused, KeyRefused
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keys import KeyValue, Placement
from singletable.model.table_schema import TABLE, Index, KeyAttribute
from singletable.model.unique_markers import MARKER
from singletable.values.scalars import canonical_number, key_bytes

Item = Mapping[str, Mapping[str, Any]]
"""An item in DynamoDB JSON: `{"PK": {"S": "CUST#c1"}, "visits": {"N": "3"}}`."""

# Separates the attributes of a multi-attribute key.
_SEPARATOR = " · "


@dataclass(frozen=True)
class CollectionRow:
    """An item: its sort key (None without a sort key), its entity, and its attributes as name and text."""

    sort_key: str | None
    entity: str
    attributes: tuple[tuple[str, str], ...] = ()
    is_read: bool = False
    """Whether the request shown in the picture reads the item."""


@dataclass(frozen=True)
class ItemCollection:
    """The rows that share a partition key, sorted by sort key."""

    key: str
    rows: tuple[CollectionRow, ...]


def collections_in(
    design: Design,
    items: Iterable[Item],
    index: str | None = None,
    *,
    attributes: Sequence[str] | None = None,
    read: Collection[tuple[bytes, ...]] = (),
) -> tuple[ItemCollection, ...]:
    """Return the item collections of these items in the table, or in the index with this name.

    Items without the keys of the index are skipped. `attributes` selects the attributes to show. By default, all
    attributes that are not part of a key are shown. `read` contains the table keys (`key_of`) of the items that a
    request reads.
    """
    where = index_named(design, index)
    found: dict[tuple[bytes, ...], list[tuple[tuple[bytes, ...], str, CollectionRow]]] = {}
    for item in items:
        partition, sort = _bytes_of(item, where.partition), _bytes_of(item, where.sort)
        if partition is None or sort is None:
            continue
        sort_key = _text_of(item, where.sort) if where.sort else None
        shown = tuple(_attribute_texts(design, item, attributes))
        row = CollectionRow(sort_key, entity_label(design, item), shown, key_of(design, item) in read)
        # Items with the same index key are sorted by their table key.
        found.setdefault(partition, []).append(
            ((*sort, *key_of(design, item)), _text_of(item, where.partition), row),
        )
    return tuple(
        ItemCollection(rows[0][1], tuple(row for _, _, row in sorted(rows, key=lambda each: each[0])))
        for _, rows in sorted(found.items())
    )


def index_named(design: Design, name: str | None) -> Index:
    """Return the table (None) or the index with this name."""
    if name is None:
        return design.indexes[TABLE]
    known = [index for index in design.indexes.values() if not index.is_table]
    for index in known:
        if index.name == name:
            return index
    names = ", ".join(index.name for index in known) or "none"
    raise ArgumentRefused(f"{design.name} has no index {name}; its indexes are {names}")


def key_of(design: Design, item: Item) -> tuple[bytes, ...]:
    """Return the table key of an item as bytes in DynamoDB's sort order."""
    table = design.table
    return _bytes_of(item, (*table.partition, *table.sort)) or ()


def entity_label(design: Design, item: Item) -> str:
    """Return the entity class name of an item, `unique` for a unique marker, or the value of its type attribute."""
    entity = _entity_of(design, item)
    if entity is not None:
        return entity.label
    if any(_fits(marker, item) for each in design.entities for marker in each.uniques):
        return "unique"
    named = item.get(design.settings.type_attribute or "", {})
    return str(named.get("S", "")) or "?"


def labels_of(design: Design) -> tuple[str, ...]:
    """Return the labels of the entities in declaration order."""
    return tuple(entity.label for entity in design.entities)


def _entity_of(design: Design, item: Item) -> Entity | None:
    named = item.get(design.settings.type_attribute or "", {}).get("S")
    if named == MARKER:
        return None
    by_name = next((entity for entity in design.entities if entity.name == named), None)
    return by_name or next((entity for entity in design.entities if _fits(entity.base, item)), None)


def _fits(placement: Placement, item: Item) -> bool:
    try:
        keys = {part.attribute: _key_value(item[part.attribute]) for part in placement.parts}
        placement.decode(keys)
    except (KeyError, KeyRefused):
        return False
    return True


def _key_value(value: Mapping[str, Any]) -> KeyValue:
    from base64 import b64decode
    from decimal import Decimal

    ((kind, content),) = value.items()
    if kind == "N":
        return Decimal(content)
    return b64decode(content) if kind == "B" else str(content)


def _attribute_texts(design: Design, item: Item, attributes: Sequence[str] | None) -> Iterator[tuple[str, str]]:
    keys = {name for index in design.indexes.values() for name in index.key_attributes}
    if attributes is None:
        entity = _entity_of(design, item)
        in_key = entity.base.exact_fields if entity else frozenset()
        key_fields = {entity.attributes[name] for name in in_key if name in entity.attributes} if entity else set()
        own = {design.settings.type_attribute, design.settings.schema_version_attribute}
        attributes = [name for name in item if name not in keys | key_fields | own]
    for name in attributes:
        if name in item:
            yield name, text_of(item[name])


def text_of(value: Mapping[str, Any]) -> str:
    """Return a value as plain text: 3, Ada, {colour: red}, [1, 2]."""
    ((kind, content),) = value.items()
    if kind == "M":
        return "{" + ", ".join(f"{name}: {text_of(each)}" for name, each in content.items()) + "}"
    if kind == "L":
        return "[" + ", ".join(text_of(each) for each in content) + "]"
    if kind in {"SS", "NS", "BS"}:
        return "{" + ", ".join(map(str, content)) + "}"
    if kind == "NULL":
        return "null"
    return str(content).lower() if kind == "BOOL" else str(content)


def _bytes_of(item: Item, attributes: Sequence[KeyAttribute]) -> tuple[bytes, ...] | None:
    found = []
    for attribute in attributes:
        value = item.get(attribute.name, {}).get(attribute.type)
        if value is None:
            return None
        found.append(key_bytes(attribute.type, canonical_number(value) if attribute.type == "N" else value))
    return tuple(found)


def _text_of(item: Item, attributes: Sequence[KeyAttribute]) -> str:
    return _SEPARATOR.join(text_of(item[attribute.name]) for attribute in attributes)
