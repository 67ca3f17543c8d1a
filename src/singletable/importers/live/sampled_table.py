"""Sample of a table: its keys and indexes as DescribeTable returns them, and some of its items."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from singletable.errors import ImportRefused
from singletable.importers.draft import DraftIndex, ProjectionKind
from singletable.importers.names import index_alias
from singletable.model.table_schema import RESERVED_PREFIX

Item = Mapping[str, Mapping[str, Any]]
"""An item in DynamoDB JSON."""
PROJECTIONS: Mapping[str, ProjectionKind] = {"ALL": "ALL", "KEYS_ONLY": "KEYS_ONLY", "INCLUDE": "INCLUDE"}
_EMPTY = {"S": ""}


@dataclass(frozen=True)
class SampledTable:
    """A table with a sample of its items, and the declarations of the source about them."""

    name: str
    keys: tuple[str, ...]
    indexes: tuple[DraftIndex, ...]
    items: tuple[Item, ...]
    ttl_attribute: str | None = None
    kinds: tuple[str | None, ...] = ()
    """The entity of each item, if the source declares it. Items of one kind can have keys of several forms."""
    templates: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Declared `${}` templates, by kind and key attribute."""
    aliases: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Declared names for the content of key attributes, by kind and key attribute."""
    key_types: Mapping[str, str] = field(default_factory=dict)
    """The types of key attributes: S, N or B."""

    varying: Mapping[str, Collection[str]] = field(default_factory=dict)
    """By key attribute, the literals after which the items of one entity have several different values."""
    identifiers: Mapping[str, str] = field(default_factory=dict)
    """Words that are values in some keys, with the literal before them: `ada` of `USER#ada`, with `USER`."""

    @property
    def empty_keys(self) -> dict[str, int]:
        """The index key attributes that are an empty string in some items, which DynamoDB rejects, with a count."""
        names = sorted(self.key_attributes - set(self.keys))
        counts = {name: sum(item.get(name) == _EMPTY for item in self.items) for name in names}
        return {name: count for name, count in counts.items() if count}

    def without_empty_keys(self) -> SampledTable:
        """Return the table without these attributes, because DynamoDB rejects empty key values."""
        empty = self.empty_keys
        items = [
            {name: each for name, each in item.items() if name not in empty or each != _EMPTY} for item in self.items
        ]
        return replace(self, items=tuple(items)) if empty else self

    @property
    def key_attributes(self) -> set[str]:
        """Every attribute that is part of a key of the table or of an index."""
        return {*self.keys, *(name for index in self.indexes for name in (*index.partition, *index.sort))}


def named_indexes(indexes: Sequence[DraftIndex]) -> tuple[DraftIndex, ...]:
    """Return the indexes with aliases that come from their names."""
    found: dict[str, DraftIndex] = {}
    for index in indexes:
        alias = index_alias(index.name, found)
        values = (index.name, index.kind, index.partition, index.sort, index.projection, index.included)
        found[alias] = DraftIndex(alias, *values)
    return tuple(found.values())


def described_table(
    description: Mapping[str, Any], items: Sequence[Item], ttl_attribute: str | None = None
) -> SampledTable:
    """Return the sample of a table from the `Table` member of a DescribeTable response."""
    name = description.get("TableName")
    if not isinstance(name, str):
        raise ImportRefused("the description of the table has no TableName; pass the Table member of DescribeTable")
    partition, sort = _key_schema(description, name)
    indexes = [
        *(_index(each, "LSI", partition) for each in description.get("LocalSecondaryIndexes") or ()),
        *(_index(each, "GSI", ()) for each in description.get("GlobalSecondaryIndexes") or ()),
    ]
    definitions = description.get("AttributeDefinitions") or ()
    return SampledTable(
        name,
        (*partition, *sort),
        named_indexes(indexes),
        tuple(each for each in items if not _is_reserved(each, partition)),
        ttl_attribute,
        key_types={str(each.get("AttributeName")): str(each.get("AttributeType")) for each in definitions},
    )


def _is_reserved(item: Item, partition: tuple[str, ...]) -> bool:
    """Return whether the library itself wrote the item, such as the marker of an idempotency token."""
    return any(str(item.get(name, {}).get("S", "")).startswith(RESERVED_PREFIX) for name in partition)


def _index(description: Mapping[str, Any], kind: Literal["GSI", "LSI"], of_table: tuple[str, ...]) -> DraftIndex:
    name = str(description.get("IndexName"))
    partition, sort = _key_schema(description, name)
    projection = description.get("Projection") or {}
    known = PROJECTIONS.get(str(projection.get("ProjectionType")), "ALL")
    included = tuple(projection.get("NonKeyAttributes") or ()) if known == "INCLUDE" else ()
    return DraftIndex("", name, kind, of_table if kind == "LSI" else partition, sort, known, included)


def _key_schema(description: Mapping[str, Any], name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    schema = description.get("KeySchema") or ()
    found = {
        kind: tuple(str(each.get("AttributeName")) for each in schema if each.get("KeyType") == kind)
        for kind in ("HASH", "RANGE")
    }
    if not found["HASH"]:
        raise ImportRefused(f"{name} has no HASH key in its KeySchema")
    return found["HASH"], found["RANGE"]
