"""A table as DescribeTable describes it, with some of its items: what a live table shows of itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from singletable.drafts.seen_items import PROJECTIONS, Item, SeenIndex, SeenTable
from singletable.errors import ImportRefused
from singletable.model.table_schema import RESERVED_PREFIX


def seen_table(description: Mapping[str, Any], items: Sequence[Item], ttl_attribute: str | None = None) -> SeenTable:
    """What was seen of a table; members of the description that are not known here are passed over."""
    name = description.get("TableName")
    if not isinstance(name, str):
        raise ImportRefused("the description of the table has no TableName; it is what DescribeTable answers as Table")
    hash_names, range_names = _key_schema(description, name)
    indexes = [
        *(_index(each, "LSI", hash_names) for each in description.get("LocalSecondaryIndexes") or ()),
        *(_index(each, "GSI", ()) for each in description.get("GlobalSecondaryIndexes") or ()),
    ]
    definitions = description.get("AttributeDefinitions") or ()
    return SeenTable(
        name,
        (*hash_names, *range_names),
        tuple(indexes),
        tuple(each for each in items if not _is_reserved(each, hash_names)),
        ttl_attribute,
        key_types={str(each.get("AttributeName")): str(each.get("AttributeType")) for each in definitions},
    )


def _is_reserved(item: Item, hash_names: tuple[str, ...]) -> bool:
    """Whether an item is one of the library's own, such as the marker of a token, and no entity of a model."""
    return any(str(item.get(name, {}).get("S", "")).startswith(RESERVED_PREFIX) for name in hash_names)


def _index(description: Mapping[str, Any], kind: Literal["GSI", "LSI"], table_hash: tuple[str, ...]) -> SeenIndex:
    name = str(description.get("IndexName"))
    partition, sort = _key_schema(description, name)
    projection = description.get("Projection") or {}
    known = PROJECTIONS.get(str(projection.get("ProjectionType")), "ALL")
    included = tuple(projection.get("NonKeyAttributes") or ()) if known == "INCLUDE" else ()
    return SeenIndex(name, kind, table_hash if kind == "LSI" else partition, sort, known, included)


def _key_schema(description: Mapping[str, Any], name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    schema = description.get("KeySchema") or ()
    found = {
        kind: tuple(str(each.get("AttributeName")) for each in schema if each.get("KeyType") == kind)
        for kind in ("HASH", "RANGE")
    }
    if not found["HASH"]:
        raise ImportRefused(f"{name} has no key of the type HASH in its KeySchema")
    return found["HASH"], found["RANGE"]
