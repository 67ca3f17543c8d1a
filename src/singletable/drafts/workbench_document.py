"""The document of NoSQL Workbench, formats 1.0 to 3.0: tables, indexes, facets, rows and templates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from singletable.drafts.json_place import Place, read_json
from singletable.drafts.seen_items import PROJECTIONS, Item, SeenIndex, SeenTable
from singletable.drafts.workbench_rows import read_row

VERSIONS = ("1", "2", "3")
KEY_TYPES = ("S", "N", "B")


@dataclass(frozen=True)
class Facet:
    """A view of a table that somebody gave a name: usually one entity."""

    name: str
    partition_alias: str
    sort_alias: str | None
    attributes: tuple[str, ...]


@dataclass(frozen=True)
class WorkbenchTable:
    """A table of the document."""

    seen: SeenTable
    types: dict[str, str]
    """The types of attributes, as far as the document says them."""
    facets: tuple[Facet, ...]
    schema: Place | None
    """ModelSchema: models with `${}` templates, where a tool has written it."""


@dataclass(frozen=True)
class WorkbenchModel:
    """A whole document."""

    name: str
    tables: tuple[WorkbenchTable, ...]
    description: str | None = None


def read_workbench(text: str | bytes) -> WorkbenchModel:
    """The tables of a document; raises ImportRefused with what is wrong and where."""
    document = read_json(text)
    if not isinstance(document.value, dict) or "DataModel" not in document.value:
        raise document.refuse("is not a model of NoSQL Workbench: it has no DataModel")
    metadata = document.get("ModelMetadata")
    version = metadata.get("Version") if metadata is not None else None
    if version is not None and str(version.value).split(".")[0] not in VERSIONS:
        raise version.refuse(f"is {version.value!r}; the formats that are read are 1.0, 2.0 and 3.0")
    name = document.get("ModelName")
    tables = tuple(_table(each) for each in document.need("DataModel").elements())
    if not tables:
        raise document.need("DataModel").refuse("holds no table")
    names = [table.seen.name for table in tables]
    if len(set(names)) < len(names):
        raise document.need("DataModel").refuse("holds two tables of one name")
    described = metadata.get("Description") if metadata is not None else None
    description = described.value if described is not None and isinstance(described.value, str) else None
    return WorkbenchModel(name.text() if name is not None and name.value else names[0], tables, description)


def _table(place: Place) -> WorkbenchTable:
    name = place.need("TableName").text()
    keys = place.need("KeyAttributes")
    partition, sort = _key_names(keys)
    table_keys = (*partition, *sort)
    indexes = [
        *(_index(each, "GSI", partition) for each in place.elements_of("GlobalSecondaryIndexes")),
        *(_index(each, "LSI", partition) for each in place.elements_of("LocalSecondaryIndexes")),
    ]
    types = dict(_types(keys, place))
    rows = list(_rows(place, table_keys))
    merged: dict[tuple[str, ...], tuple[Item, str | None]] = {}
    for item, facet in rows:
        identity = tuple(repr(item[name]) for name in table_keys)
        known, known_facet = merged.get(identity, ({}, None))
        merged[identity] = ({**known, **item}, known_facet or facet)
    items = tuple(item for item, _ in merged.values())
    names = tuple(facet for _, facet in merged.values())
    facets = tuple(_facet(each) for each in place.elements_of("TableFacets"))
    kinds = names if any(names) else ()
    seen = SeenTable(name, table_keys, tuple(indexes), items, None, kinds, key_types=types)
    return WorkbenchTable(seen, types, facets, place.get("ModelSchema"))


def _rows(place: Place, keys: tuple[str, ...]) -> Iterator[tuple[Item, str | None]]:
    """The rows of the table and of its facets, each with the name of its facet."""
    found = [(row, None) for row in place.elements_of("TableData")]
    sources: list[tuple[Place, str | None]] = [*found]
    for facet in place.elements_of("TableFacets"):
        name = facet.need("FacetName").text()
        sources += [(row, name) for row in facet.elements_of("TableData")]
    for row, facet_name in sources:
        item = read_row(row)
        for key in keys:
            if key not in item:
                raise row.refuse(f"lacks {key}, which is a key of the table")
            if next(iter(item[key])) not in ("S", "N", "B"):
                raise row.refuse(f"has a {key} that is no text, number or binary, as keys are")
        yield item, facet_name


def _key_names(place: Place) -> tuple[tuple[str, ...], tuple[str, ...]]:
    partition = place.need("PartitionKey").need("AttributeName").text()
    sort = place.get("SortKey")
    return (partition,), () if sort is None else (sort.need("AttributeName").text(),)


def _types(keys: Place, table: Place) -> Iterator[tuple[str, str]]:
    places = [
        table.get("KeyAttributes"),
        *(each.get("KeyAttributes") for each in table.elements_of("GlobalSecondaryIndexes")),
        *(each.get("KeyAttributes") for each in table.elements_of("LocalSecondaryIndexes")),
    ]
    for place in places:
        for name in ("PartitionKey", "SortKey") if place is not None else ():
            key = place.get(name) if place is not None else None
            kind = key.get("AttributeType") if key is not None else None
            if key is not None and kind is not None:
                if kind.text() not in KEY_TYPES:
                    raise kind.refuse(f"is {kind.text()!r}; a key is S, N or B")
                yield key.need("AttributeName").text(), kind.text()
    for each in table.elements_of("NonKeyAttributes"):
        kind = each.get("AttributeType")
        yield each.need("AttributeName").text(), "S" if kind is None else kind.text()


def _index(place: Place, kind: Literal["GSI", "LSI"], table_partition: tuple[str, ...]) -> SeenIndex:
    keys = place.need("KeyAttributes")
    if kind == "LSI":
        partition: tuple[str, ...] = table_partition
        sort: tuple[str, ...] = (keys.need("SortKey").need("AttributeName").text(),)
    else:
        partition, sort = _key_names(keys)
    projection = place.get("Projection")
    projected = "ALL" if projection is None else projection.need("ProjectionType").text()
    if projected not in PROJECTIONS:
        raise place.need("Projection").refuse(f"has the type {projected!r}; it is ALL, KEYS_ONLY or INCLUDE")
    included = () if projection is None else tuple(each.text() for each in projection.elements_of("NonKeyAttributes"))
    name = place.need("IndexName").text()
    return SeenIndex(name, kind, partition, sort, PROJECTIONS[projected], included if projected == "INCLUDE" else ())


def _facet(place: Place) -> Facet:
    alias = place.get("KeyAttributeAlias")
    partition = alias.get("PartitionKeyAlias") if alias is not None else None
    sort = alias.get("SortKeyAlias") if alias is not None else None
    return Facet(
        place.need("FacetName").text(),
        "PK" if partition is None else partition.text(),
        None if sort is None else sort.text(),
        tuple(each.text() for each in place.elements_of("NonKeyAttributes")),
    )
