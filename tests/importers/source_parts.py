"""The parts of a foreign model, read without the importers, and which of them an import has lost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from singletable.importers.draft import Draft, DraftEntity, DraftTable, fields_in

Document = Mapping[str, Any]
_KEY_NAMES = ("PartitionKey", "SortKey")
_PAGING = ("limit", "cursor", "page_size", "page_token", "next_token", "last_evaluated_key", "exclusive_start_key")


@dataclass(frozen=True)
class SourcePart:
    """One named part of a source: a table, entity, index, projected attribute, attribute, pattern or parameter."""

    kind: str
    name: str
    table: str
    owner: str | None = None
    """The entity of an attribute, the index of a projected attribute, or the pattern of a parameter."""

    def __str__(self) -> str:
        return f"{self.kind} {self.owner}.{self.name}" if self.owner is not None else f"{self.kind} {self.name}"


def workbench_parts(document: Document) -> Iterator[SourcePart]:
    """Yield the parts of a NoSQL Workbench model."""
    for table in document["DataModel"]:
        name = table["TableName"]
        yield SourcePart("table", name, name)
        for owner in (table, *_workbench_indexes(table)):
            keys = owner["KeyAttributes"]
            yield from (
                SourcePart("attribute", keys[each]["AttributeName"], name) for each in _KEY_NAMES if each in keys
            )
        for index in _workbench_indexes(table):
            yield SourcePart("index", index["IndexName"], name)
            for each in (index.get("Projection") or {}).get("NonKeyAttributes") or ():
                yield SourcePart("projected attribute", each, name, index["IndexName"])
        for each in table.get("NonKeyAttributes") or ():
            yield SourcePart("attribute", each["AttributeName"], name)
        yield from _rows_of(table.get("TableData"), name)
        schema = table.get("ModelSchema") or document.get("ModelSchema") or {}
        for model, attributes in (schema.get("models") or {}).items():
            if not model.startswith("~"):
                yield SourcePart("entity", model, name)
                yield from (SourcePart("attribute", each, name, model) for each in attributes)
        for facet in table.get("TableFacets") or ():
            yield SourcePart("entity", facet["FacetName"], name)
            yield from _rows_of(facet.get("TableData"), name)
            for each in facet.get("NonKeyAttributes") or ():
                yield SourcePart("attribute", each, name)
        for query in (*(table.get("SavedQuery") or ()), *(schema.get("queries") or ())):
            yield SourcePart("pattern", query, name)


def _workbench_indexes(table: Document) -> tuple[Document, ...]:
    return (*(table.get("GlobalSecondaryIndexes") or ()), *(table.get("LocalSecondaryIndexes") or ()))


def _rows_of(rows: Any, table: str) -> Iterator[SourcePart]:
    for name in dict.fromkeys(name for row in rows or () for name in row):
        yield SourcePart("attribute", name, table)


def schema_json_parts(document: Document) -> Iterator[SourcePart]:
    """Yield the parts of a schema.json of the AWS modelling server."""
    for table in document["tables"]:
        config = table["table_config"]
        name = config["table_name"]
        yield SourcePart("table", name, name)
        for each in ("partition_key", "sort_key"):
            if config.get(each):
                yield SourcePart("attribute", config[each], name)
        for index in table.get("gsi_list") or ():
            yield SourcePart("index", index["name"], name)
            for each in index.get("included_attributes") or ():
                yield SourcePart("projected attribute", each, name, index["name"])
        for entity, content in table["entities"].items():
            yield SourcePart("entity", entity, name)
            for each in content["fields"]:
                yield SourcePart("attribute", each["name"], name, entity)
            for mapping in content.get("gsi_mappings") or ():
                yield SourcePart("index of an entity", mapping["name"], name, entity)
            for pattern in content.get("access_patterns") or ():
                yield from _pattern_parts(pattern, name)
    for pattern in document.get("cross_table_access_patterns") or ():
        yield SourcePart("pattern", pattern["name"], "")


def _pattern_parts(pattern: Document, table: str) -> Iterator[SourcePart]:
    """Yield a pattern and its parameters by number: the model names them after the fields that they stand for."""
    yield SourcePart("pattern", pattern["name"], table)
    plain = [each["name"] for each in pattern.get("parameters") or () if each["type"] != "entity"]
    if plain and not pattern["operation"].startswith("Put"):
        yield SourcePart("parameters", " ".join(plain), table, pattern["name"])


def onetable_parts(document: Document, table: str) -> Iterator[SourcePart]:
    """Yield the parts of a OneTable schema; it does not name its table."""
    yield SourcePart("table", table, table)
    for name, index in document["indexes"].items():
        if name != "primary":
            yield SourcePart("index", name, table)
            projected = index.get("project")
            for each in projected if isinstance(projected, list) else ():
                if each not in (*index.values(), *document["indexes"]["primary"].values()):  # keys are always projected
                    yield SourcePart("projected attribute", each, table, name)
    for model, fields in document["models"].items():
        yield SourcePart("entity", model, table)
        for name, field in fields.items():
            mapped = field.get("map")
            plain = mapped if isinstance(mapped, str) and "." not in mapped else name
            yield SourcePart("attribute", plain, table, model)


@dataclass(frozen=True)
class Losses:
    """The number of parts by kind, those that are only in a note, and those that are lost."""

    counts: Counter[str]
    noted: tuple[SourcePart, ...]
    lost: tuple[SourcePart, ...]


def losses(parts: Iterator[SourcePart], draft: Draft) -> Losses:
    """Look for every part in the draft, and for the others in its notes."""
    found = dict.fromkeys(parts)
    missing = [part for part in found if not _is_in(part, draft)]
    noted = tuple(part for part in missing if _is_noted(part, draft))
    lost = tuple(part for part in missing if part not in noted)
    return Losses(Counter(part.kind for part in found), noted, lost)


def _is_in(part: SourcePart, draft: Draft) -> bool:
    return any(_is_in_table(part, table) for table in draft.tables if part.table in (table.name, ""))


def _is_in_table(part: SourcePart, table: DraftTable) -> bool:
    indexes = {index.name: index for index in table.indexes}
    patterns = {pattern.name: pattern for pattern in table.patterns}
    owner = _plain(part.owner or "")
    entity = next((each for each in table.entities if owner in map(_plain, _names(each))), None)
    match part.kind:
        case "table":
            return True
        case "entity":
            return any(_plain(part.name) in map(_plain, _names(each)) for each in table.entities)
        case "index":
            return part.name in indexes
        case "index of an entity":
            return part.name in indexes and entity is not None and indexes[part.name].alias in entity.keys
        case "projected attribute":
            index = indexes.get(str(part.owner))
            return index is not None and (index.projection == "ALL" or part.name in _projected(index, table))
        case "attribute" if part.owner is None:
            return any(part.name in _attributes(each, table) for each in table.entities)
        case "attribute":
            return entity is not None and part.name in _attributes(entity, table)
        case "pattern":
            return part.name in patterns
        case _:
            pattern = patterns.get(str(part.owner))
            if pattern is None:
                return False
            if pattern.kind == "put":  # takes the whole item
                return any(note.startswith(f"{part.owner} (") and "became put" in note for note in table.notes)
            given = [each for each in pattern.parameters if each.name not in ("limit", "cursor")]
            bounds = sum(2 if each.range == "Between" else 1 for each in given)
            return bounds >= sum(name not in _PAGING for name in part.name.split())


def _names(entity: DraftEntity) -> set[str]:
    return {entity.class_name, entity.stored_name or entity.class_name}


def _plain(name: str) -> str:
    """Return a name without what a class name cannot contain."""
    return re.sub(r"[\W_]", "", name).lower()


def _projected(index: Any, table: DraftTable) -> set[str]:
    return {*index.included, *index.partition, *index.sort, *table.keys}


def _attributes(entity: DraftEntity, table: DraftTable) -> set[str]:
    """Return the attributes that items of an entity can have."""
    found = {table.type_attribute or "", *(field.stored_as for field in entity.fields)}
    if entity.schema_version is not None:
        found.add(table.schema_version_attribute)
    found |= {*table.keys}
    for index in table.indexes:
        keys = entity.keys.get(index.alias)
        if keys is not None and (fields_in((*keys.partition, *keys.sort)) or keys.partition):
            found |= {*index.partition, *index.sort}
    return found


def _is_noted(part: SourcePart, draft: Draft) -> bool:
    """Return whether a note names the part, and its owner if it has one."""
    own = [table for table in draft.tables if part.table in (table.name, "")]
    notes = [*draft.notes, *(note for table in own for note in table.notes)]
    names = part.name.split() if part.kind == "parameters" else [part.name]
    if part.kind == "parameters" and any(
        _names_word(note, part.owner or "") and "left out, because" in note for note in notes
    ):
        return True
    needed = [*names, *([part.owner] if part.owner is not None else [])]
    return any(all(_names_word(note, each) for each in needed) for note in notes)


def _names_word(note: str, word: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", note) is not None
