"""Documents of NoSQL Workbench, formats 1.0 to 3.0: tables, indexes, facets, rows and templates."""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from singletable.importers.draft import DraftIndex
from singletable.importers.json_document import JsonNode, parse_document, shown
from singletable.importers.live.sampled_table import PROJECTIONS, Item, SampledTable, named_indexes

VERSIONS = ("1", "2", "3")
KEY_TYPES = ("S", "N", "B")
_VALUE_TYPES = ("S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Facet:
    """A named view of a table: usually one entity."""

    name: str
    partition_alias: str
    sort_alias: str | None
    attributes: tuple[str, ...]


@dataclass(frozen=True)
class WorkbenchTable:
    """A table of the document."""

    sample: SampledTable
    types: dict[str, str]
    """The declared types of attributes."""
    facets: tuple[Facet, ...]
    schema: JsonNode | None
    """ModelSchema: models with `${}` templates, if a tool wrote it."""
    map_functions: Mapping[str, Mapping[str, str]]
    """MapFunction: `${}` templates by entity and key attribute, as an older tool wrote them."""
    saved_queries: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    """Attributes that the document declares several times."""
    overwritten: tuple[str, ...] = ()
    """The keys of rows that have the key of an earlier row of the same table or facet, but other values."""
    invalid: tuple[str, ...] = ()
    """Values that DynamoDB rejects, with their paths and the values that replace them."""


@dataclass(frozen=True)
class WorkbenchModel:
    """A whole document."""

    name: str
    tables: tuple[WorkbenchTable, ...]
    description: str | None = None


def read_workbench(text: str | bytes) -> WorkbenchModel:
    """Read a document; raise ImportRefused with the path of the first problem."""
    document = JsonNode(parse_document(text))
    if not isinstance(document.value, dict) or "DataModel" not in document.value:
        raise document.error("is not a NoSQL Workbench model: it has no DataModel")
    metadata = document.get("ModelMetadata")
    version = metadata.get("Version") if metadata is not None else None
    if version is not None and str(version.value).split(".")[0] not in VERSIONS:
        raise version.error(f"must be 1.0, 2.0 or 3.0, got {version.value!r}")
    name = document.get("ModelName")
    tables = tuple(_table(each, document) for each in document.need("DataModel").elements())
    if not tables:
        raise document.need("DataModel").error("contains no table")
    names = [table.sample.name for table in tables]
    if len(set(names)) < len(names):
        raise document.need("DataModel").error("contains two tables with one name")
    described = metadata.get("Description") if metadata is not None else None
    description = described.value if described is not None and isinstance(described.value, str) else None
    return WorkbenchModel(name.text() if name is not None and name.value else names[0], tables, description)


def _table(place: JsonNode, document: JsonNode) -> WorkbenchTable:
    name = place.need("TableName").text()
    keys = place.need("KeyAttributes")
    partition, sort = _key_names(keys)
    table_keys = (*partition, *sort)
    indexes = [
        *(_index(each, "GSI", partition) for each in place.elements_of("GlobalSecondaryIndexes")),
        *(_index(each, "LSI", partition) for each in place.elements_of("LocalSecondaryIndexes")),
    ]
    types = dict(_types(place))
    invalid: list[str] = []
    rows = list(_rows(place, table_keys, invalid))
    merged: dict[tuple[str, ...], tuple[Item, str | None]] = {}
    first: dict[tuple[object, ...], Item] = {}
    overwritten: list[str] = []
    for item, facet in rows:
        identity = tuple(repr(item[name]) for name in table_keys)
        known, known_facet = merged.get(identity, ({}, None))
        merged[identity] = ({**known, **item}, known_facet or facet)
        if first.setdefault((facet, *identity), item) != item:
            overwritten.append(", ".join(f"{name}={' '.join(map(str, item[name].values()))}" for name in table_keys))
    items = tuple(item for item, _ in merged.values())
    names = tuple(facet for _, facet in merged.values())
    facets = tuple(_facet(each) for each in place.elements_of("TableFacets"))
    kinds = names if any(names) else ()
    sample = SampledTable(name, table_keys, named_indexes(indexes), items, None, kinds, key_types=types)
    schema = place.get("ModelSchema")
    if schema is None and len(document.need("DataModel").elements()) == 1:
        schema = document.get("ModelSchema")  # an older tool wrote it as a sibling of DataModel
    saved = place.get("SavedQuery")
    queries = tuple(saved.mapping()) if saved is not None and isinstance(saved.value, dict) else ()
    counts = Counter(name for name, _ in _types(place))
    repeated = tuple(name for name, count in counts.items() if count > 1 and name not in sample.key_attributes)
    return WorkbenchTable(
        sample,
        types,
        facets,
        schema,
        _map_functions(place),
        queries,
        repeated,
        tuple(dict.fromkeys(overwritten)),
        tuple(invalid),
    )


def _rows(place: JsonNode, keys: tuple[str, ...], invalid: list[str]) -> Iterator[tuple[Item, str | None]]:
    """Yield the rows of the table and of its facets, with the name of the facet."""
    found = [(row, None) for row in place.elements_of("TableData")]
    sources: list[tuple[JsonNode, str | None]] = [*found]
    for facet in place.elements_of("TableFacets"):
        name = facet.need("FacetName").text()
        sources += [(row, name) for row in facet.elements_of("TableData")]
    for row, facet_name in sources:
        item = read_row(row, invalid)
        for key in keys:
            if key not in item:
                raise row.error(f"has no {key}, which is a key of the table")
            if next(iter(item[key])) not in ("S", "N", "B"):
                raise row.error(f"has a {key} that is not a string, number or binary")
        yield item, facet_name


def _key_names(place: JsonNode) -> tuple[tuple[str, ...], tuple[str, ...]]:
    partition = place.need("PartitionKey").need("AttributeName").text()
    sort = place.get("SortKey")
    return (partition,), () if sort is None else (sort.need("AttributeName").text(),)


def _key_attributes(table: JsonNode) -> Iterator[JsonNode]:
    """Yield the key attributes of the table and of its indexes."""
    for owner in (table, *table.elements_of("GlobalSecondaryIndexes"), *table.elements_of("LocalSecondaryIndexes")):
        place = owner.get("KeyAttributes")
        for name in ("PartitionKey", "SortKey"):
            key = place.get(name) if place is not None else None
            if key is not None:
                yield key


def _map_functions(table: JsonNode) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for key in _key_attributes(table):
        templates = key.get("MapFunction")
        members = templates.members() if templates is not None and isinstance(templates.value, dict) else ()
        for entity, template in members:
            if isinstance(template.value, str):
                found.setdefault(entity, {})[key.need("AttributeName").text()] = template.value
    return found


def _types(table: JsonNode) -> Iterator[tuple[str, str]]:
    for key in _key_attributes(table):
        kind = key.get("AttributeType")
        if kind is not None:
            if kind.text() not in KEY_TYPES:
                raise kind.error(f"must be S, N or B, got {kind.text()!r}")
            yield key.need("AttributeName").text(), kind.text()
    for each in table.elements_of("NonKeyAttributes"):
        kind = each.get("AttributeType")
        yield each.need("AttributeName").text(), "S" if kind is None else kind.text()


def _index(place: JsonNode, kind: Literal["GSI", "LSI"], table_partition: tuple[str, ...]) -> DraftIndex:
    keys = place.need("KeyAttributes")
    if kind == "LSI":
        partition: tuple[str, ...] = table_partition
        sort: tuple[str, ...] = (keys.need("SortKey").need("AttributeName").text(),)
    else:
        partition, sort = _key_names(keys)
    projection = place.get("Projection")
    projected = "ALL" if projection is None else projection.need("ProjectionType").text()
    if projected not in PROJECTIONS:
        raise place.need("Projection").error(f"must be ALL, KEYS_ONLY or INCLUDE, got {projected!r}")
    included = () if projection is None else tuple(each.text() for each in projection.elements_of("NonKeyAttributes"))
    name = place.need("IndexName").text()
    return DraftIndex(
        "", name, kind, partition, sort, PROJECTIONS[projected], included if projected == "INCLUDE" else ()
    )


def _facet(place: JsonNode) -> Facet:
    alias = place.get("KeyAttributeAlias")
    partition = alias.get("PartitionKeyAlias") if alias is not None else None
    sort = alias.get("SortKeyAlias") if alias is not None else None
    return Facet(
        place.need("FacetName").text(),
        "PK" if partition is None else partition.text(),
        None if sort is None else sort.text(),
        tuple(each.text() for each in place.elements_of("NonKeyAttributes")),
    )


def read_row(row: JsonNode, invalid: list[str]) -> Item:
    """Return an item. Add the path of each value that DynamoDB rejects, and its replacement, to `invalid`."""
    return {name: _value(place, invalid) for name, place in row.members()}


def _value(place: JsonNode, invalid: list[str]) -> dict[str, Any]:
    members = place.mapping()
    if len(members) != 1 or next(iter(members)) not in _VALUE_TYPES:
        raise place.error(
            f'is not a DynamoDB JSON value such as {{"S": "text"}}; it has the members {sorted(members)[:5]}'
        )
    ((kind, content),) = place.members()
    kind, content = _corrected(kind, content, invalid)
    return {kind: _content(kind, content, invalid)}


def _corrected(kind: str, content: JsonNode, invalid: list[str]) -> tuple[str, JsonNode]:
    """Return the type and value to read for a value that its type cannot have, such as the number " 61.00"."""
    text, other = content.value, kind
    if kind == "M" and isinstance(text, list):
        other = "L"
    elif kind == "N" and isinstance(text, str) and _NUMBER.fullmatch(text) is None:
        other, content = ("N" if _NUMBER.fullmatch(text.strip()) else "S"), JsonNode(text.strip(), content.path)
    else:
        return kind, content
    invalid.append(f"{content.path} ({shown(text)}, read as {other})")
    return other, content


def _content(kind: str, content: JsonNode, invalid: list[str]) -> Any:
    match kind:
        case "S":
            return _text(content)
        case "N":
            return _number(content)
        case "B":
            return _bytes(content)
        case "BOOL":
            return _truth(content)
        case "NULL":
            return True
        case "L":
            return [_inner(each, invalid) for each in content.elements()]
        case "M":
            return {name: _inner(each, invalid) for name, each in content.members()}
        case _:
            one = {"SS": _text, "NS": _number, "BS": _bytes}[kind]
            return [one(each) for each in content.elements()]


def _inner(place: JsonNode, invalid: list[str]) -> dict[str, Any]:
    """Return a value inside a map or a list, which is DynamoDB JSON or plain JSON."""
    value = place.value
    if isinstance(value, dict):
        if len(value) == 1 and next(iter(value)) in _VALUE_TYPES:
            return _value(place, invalid)
        return {"M": {name: _inner(each, invalid) for name, each in place.members()}}
    if isinstance(value, list):
        return {"L": [_inner(each, invalid) for each in place.elements()]}
    if value is None:
        return {"NULL": True}
    if isinstance(value, bool):
        return {"BOOL": value}
    return {"S": value} if isinstance(value, str) else {"N": _number(place)}


def _text(place: JsonNode) -> str:
    if not isinstance(place.value, str):
        raise place.error(f"must be a string, got {place.value!r}")
    return place.value


def _number(place: JsonNode) -> str:
    text = str(place.value)
    if isinstance(place.value, bool) or _NUMBER.fullmatch(text) is None:
        raise place.error(f"must be a number, got {place.value!r}")
    return text


def _bytes(place: JsonNode) -> str:
    text = _text(place)
    try:
        base64.b64decode(text, validate=True)
    except binascii.Error:
        return base64.b64encode(text.encode()).decode()  # Workbench stores bytes as the text that the user typed
    return text


def _truth(place: JsonNode) -> bool:
    if isinstance(place.value, bool):
        return place.value
    if place.value in ("true", "false"):
        return bool(place.value == "true")
    raise place.error(f"must be true or false, got {place.value!r}")
